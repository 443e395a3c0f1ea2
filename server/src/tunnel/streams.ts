import { FRAME, type FrameType, type Session, type Stream } from '@deputy/tunnel'
import { fetchFor, type FetchNeeds } from './fetch.ts'
import { openListener } from './listener.ts'
import type { Places } from './places.ts'
import { refusing } from './refusing.ts'
import { readMemory } from './reads.ts'
import { resolveName } from './resolve.ts'
import { openTcp, type SocketNeeds } from './tcp.ts'
import { openUdp } from './udp.ts'

/** What an account may have open at once, over all its sessions of the node. */
export interface Caps {
  readonly sockets: number
  readonly listeners: number
  readonly udp: number
}
/** What an account has open. */
export type Open = { -readonly [Kind in keyof Caps]: number }

/** Serves the streams a client opens. */
export interface Streams {
  /** Streams one session may have open. */
  readonly most: number
  open(stream: Stream, type: FrameType, payload: Uint8Array<ArrayBuffer>): void
  close(): void
}

/** What the streams of one session stand on. */
export interface StreamsNeeds extends Omit<SocketNeeds, 'memory'>, FetchNeeds {
  readonly places: Places
  readonly caps: Caps
  /** Shared by all sessions of the account. */
  readonly opened: Open
  readonly session: () => Session
}

const kinds: Partial<Record<FrameType, keyof Caps>> = { [FRAME.open]: 'sockets', [FRAME.request]: 'sockets', [FRAME.listen]: 'listeners', [FRAME.bind]: 'udp' }

/** Serves streams by their opening frame, within the caps of the account. */
export function streamsOf(needs: StreamsNeeds): Streams {
  const { caps, opened, session } = needs
  const memory = readMemory()
  const live = new Map<Stream, keyof Caps>()
  const free = (stream: Stream): void => {
    const kind = live.get(stream)
    if (kind === undefined) return
    live.delete(stream)
    opened[kind] -= 1
  }
  const count = (stream: Stream, kind: keyof Caps): boolean => {
    if (opened[kind] >= caps[kind]) return false
    opened[kind] += 1
    live.set(stream, kind)
    stream.whenOver(() => free(stream))
    return true
  }
  const start = async (stream: Stream, type: FrameType, payload: Uint8Array<ArrayBuffer>): Promise<void> => {
    const kind = kinds[type]
    if (kind !== undefined && !count(stream, kind)) return stream.reset({ code: 'EMFILE', message: `too many ${kind}` })
    switch (type) {
      case FRAME.open:
        return openTcp(stream, payload, { ...needs, memory })
      case FRAME.listen:
        return openListener(stream, payload, session(), { ...needs, count: fresh => count(fresh, 'sockets') })
      case FRAME.bind:
        return openUdp(stream, payload, needs)
      case FRAME.resolve:
        return resolveName(stream, payload, needs)
      case FRAME.request:
        return fetchFor(stream, payload, needs)
      default:
        return stream.reset({ code: 'EINVAL' })
    }
  }
  return {
    most: caps.sockets + caps.listeners + caps.udp + 256,
    open: (stream, type, payload) => {
      start(stream, type, payload).catch(refusing(stream))
    },
    close: () => {
      for (const stream of [...live.keys()]) free(stream)
      void needs.upstream.destroy()
    },
  }
}
