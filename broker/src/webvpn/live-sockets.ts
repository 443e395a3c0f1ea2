import type { Stream } from '@deputy/tunnel'
import type { Tally } from '../tunnel/bytes.ts'

/** What a socket is used under: a permission, and the host it was opened for. */
export interface SocketNeed {
  readonly key: 'net.tcp' | 'net.udp' | 'net.listen'
  readonly host: string
}

/** What the bar tells of an app's connections. */
export interface Traffic {
  /** Sockets and listeners that are open. */
  readonly open: number
  /** Bytes of all sockets since the frame was made. */
  readonly sent: number
  readonly received: number
}

/** The sockets of one app that are open. */
export interface LiveSockets {
  /** Watches a stream until it is over. Answers what counts its bytes. */
  watch(stream: Stream, need: SocketNeed): Tally
  /** Cuts those whose need no longer holds. */
  cutUnless(holds: (need: SocketNeed) => Promise<boolean>): Promise<void>
  traffic(): Traffic
  /** Calls after something changed, at most once a second. */
  onChange(listener: () => void): () => void
}

const pace = 1000

/** Starts with none. */
export function liveSockets(): LiveSockets {
  const live = new Map<Stream, SocketNeed>()
  const listeners = new Set<() => void>()
  let sent = 0
  let received = 0
  let toldAt = -pace
  let planned = false
  const tell = (): void => {
    planned = false
    toldAt = performance.now()
    for (const listener of [...listeners]) listener()
  }
  const changed = (): void => {
    if (planned || listeners.size === 0) return
    planned = true
    setTimeout(tell, Math.max(0, pace - (performance.now() - toldAt)))
  }
  const tally: Tally = {
    sent: bytes => {
      sent += bytes
      changed()
    },
    received: bytes => {
      received += bytes
      changed()
    },
  }
  return {
    watch: (stream, need) => {
      live.set(stream, need)
      stream.whenOver(() => {
        live.delete(stream)
        changed()
      })
      changed()
      return tally
    },
    cutUnless: async holds => {
      const verdicts = new Map<string, Promise<boolean>>()
      const verdictOf = (need: SocketNeed): Promise<boolean> => {
        const name = `${need.key} ${need.host}`
        const known = verdicts.get(name) ?? holds(need)
        verdicts.set(name, known)
        return known
      }
      await Promise.all(
        [...live].map(async ([stream, need]) => {
          if (!(await verdictOf(need))) stream.cut({ code: 'EPERM' })
        }),
      )
    },
    traffic: () => ({ open: live.size, sent, received }),
    onChange: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
