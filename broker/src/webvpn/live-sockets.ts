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
  /** Bytes of all sockets and fetches since the frame was made. */
  readonly sent: number
  readonly received: number
  /** When the account's day ends whose limit is reached, in epoch milliseconds; null while there is room. */
  readonly spentUntil: number | null
}

/** What one app does through the tunnel: the sockets that are open, and what passes. */
export interface LiveSockets {
  /** Counts bytes of what is no socket. */
  readonly tally: Tally
  /** Watches a stream until it is over. Answers what counts its bytes. */
  watch(stream: Stream, need: SocketNeed): Tally
  /** Cuts those whose need no longer holds. */
  cutUnless(holds: (need: SocketNeed) => Promise<boolean>): Promise<void>
  /** Whether the account has used up what it may today, as somebody found out. */
  noteSpent(isSpent: boolean): void
  traffic(): Traffic
  /** Calls after something changed, at most once a second. */
  onChange(listener: () => void): () => void
}

/** What it stands on. */
export interface LiveSocketsNeeds {
  /** Asks whether the account has used up what it may today; undefined where nobody knows. */
  readonly askSpent: () => Promise<boolean | undefined>
}

const pace = 1000
/** Connections that stand only become slow at the limit, so it is asked for while bytes pass. */
const askEvery = 30_000
const dayLength = 86_400_000

/** Starts with none. */
export function liveSockets({ askSpent }: LiveSocketsNeeds): LiveSockets {
  const live = new Map<Stream, SocketNeed>()
  const listeners = new Set<() => void>()
  let sent = 0
  let received = 0
  let toldAt = -pace
  let planned = false
  let askedAt = performance.now()
  let spentUntil = 0
  let renewal: ReturnType<typeof setTimeout> | undefined
  const noteSpent = (isSpent: boolean): void => {
    askedAt = performance.now()
    if (isSpent === spentUntil > Date.now()) return
    clearTimeout(renewal)
    spentUntil = isSpent ? (Math.floor(Date.now() / dayLength) + 1) * dayLength : 0
    if (isSpent) renewal = setTimeout(changed, spentUntil - Date.now() + pace)
    changed()
  }
  const tell = (): void => {
    planned = false
    toldAt = performance.now()
    if (toldAt - askedAt > askEvery) {
      askedAt = toldAt
      askSpent().then(
        isSpent => isSpent !== undefined && noteSpent(isSpent),
        () => undefined,
      )
    }
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
    tally,
    noteSpent,
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
    traffic: () => ({ open: live.size, sent, received, spentUntil: spentUntil > Date.now() ? spentUntil : null }),
    onChange: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
