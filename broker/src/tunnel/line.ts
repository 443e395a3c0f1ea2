import { TUNNEL_LANES, TUNNEL_PATH, TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { openLane } from './open-lane.ts'
import { dialTunnel, FRAME, type Dial, type FrameType, type Stream } from '@deputy/tunnel'

/** Takes a connection of a listener: its stream, and the frame that opened it. */
export type TakeConnection = (stream: Stream, payload: Uint8Array<ArrayBuffer>) => void

/** A stream on a node. */
export interface Opened {
  readonly stream: Stream
  readonly node: string
  /** Where the node is reached by HTTP. */
  readonly origin: string
  /** Fires once the session is over, and with it what was fetched from the node beside it. */
  readonly over: AbortSignal
  /** Takes the connections of this stream, which listens, until it is over. */
  accept(take: TakeConnection): void
}

/** A session with one node, over whatever connections it takes. */
export interface Line {
  /** The account it acts for. */
  readonly account: string
  /** The node that welcomed it, or that is tried just now. */
  readonly node: string | undefined
  readonly isWelcomed: boolean
  /** Resolves with the node's id, rejects with a `StreamEnd` when there will be no session. */
  readonly welcomed: Promise<string>
  /** Whether it has a connection. */
  readonly attached: boolean
  /** Whether the node wants no more streams. */
  readonly leaving: boolean
  /** Opens a stream on a line that was welcomed. What `first` writes or ends leaves in one message with the opening. */
  open(type: FrameType, payload: Uint8Array<ArrayBuffer>, first?: (stream: Stream) => void): Opened
  /** Ends it once its streams are over, and `idle` ms have passed without another. */
  retire(idle: number): void
  close(): void
}

/** Where a line is to go: a node with a token for it; `later` when nobody could be asked, `never` when asking again would not help. */
export type Way = { readonly id: string; readonly origin: string; readonly token: string } | 'later' | 'never' | 'signed-out'

/** What a line stands on. */
export interface LineNeeds {
  readonly account: string
  /** Asks for the way, before every connection: `back` is the node that holds the session, undefined before there is one. */
  readonly way: (back: string | undefined) => Promise<Way>
  /** The listener an `incoming` frame names. */
  readonly listenerOf: (payload: Uint8Array<ArrayBuffer>) => number | undefined
  /** A node was reached, or was not. */
  readonly reached: (node: string, isReached: boolean) => void
  readonly over: (line: Line) => void
}

/** Begins a session with a node. */
export function openLine({ account, way, listenerOf, reached, over }: LineNeeds): Line {
  const listeners = new Map<number, TakeConnection>()
  const ended = new AbortController()
  let at: { readonly id: string; readonly origin: string } | undefined
  let isWelcomed = false
  let leaving = false
  let patience: number | undefined
  let late: ReturnType<typeof setTimeout> | undefined

  const settle = (): void => {
    clearTimeout(late)
    if (patience === undefined || dial.session.streams > 0) return
    if (patience === 0) dial.close()
    else late = setTimeout(() => dial.session.streams === 0 && dial.close(), patience)
  }
  const watch = (stream: Stream): void => stream.whenOver(() => queueMicrotask(settle))
  const connect = (id: string, origin: string): WebSocket => {
    const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}${TUNNEL_PATH}`, TUNNEL_PROTOCOL)
    let opened = false
    socket.addEventListener('open', () => {
      opened = true
      reached(id, true)
    })
    socket.addEventListener('close', () => opened || ended.signal.aborted || reached(id, false))
    return Object.assign(socket, { binaryType: 'arraybuffer' as const })
  }
  const dial: Dial = dialTunnel({
    token: async () => {
      const to = await way(isWelcomed ? at?.id : undefined)
      if (to === 'signed-out') dial.session.end({ code: 'EACCES', message: 'signed out' })
      if (to === 'never') dial.session.end({ code: 'ETUNNEL', message: 'the node is gone' })
      if (typeof to === 'string') throw new Error(to)
      at = to
      return to.token
    },
    lane: (ticket, signal) => openLane(`${at?.origin ?? ''}${TUNNEL_LANES}`, ticket, signal),
    socket: () => connect(at?.id ?? '', at?.origin ?? ''),
    incoming: (stream, _type, payload) => {
      watch(stream)
      const id = listenerOf(payload)
      const take = id === undefined ? undefined : listeners.get(id)
      if (take === undefined) stream.reset({ code: 'ECONNRESET' })
      else take(stream, payload)
    },
    told: type => {
      if (type !== FRAME.goaway) return
      leaving = true
      patience = 0
      settle()
    },
    over: () => {
      clearTimeout(late)
      ended.abort()
      over(line)
    },
  })
  const welcomed = dial.welcomed.then(({ node }) => {
    isWelcomed = true
    return node
  })
  // Whoever opens a stream hears of it.
  welcomed.catch(() => undefined)
  const line: Line = {
    account,
    get node() {
      return at?.id
    },
    get isWelcomed() {
      return isWelcomed
    },
    welcomed,
    get attached() {
      return dial.session.attached
    },
    get leaving() {
      return leaving
    },
    open: (type, payload, first) => {
      const stream = dial.session.open(type, payload)
      first?.(stream)
      watch(stream)
      return {
        stream,
        node: at?.id ?? '',
        origin: at?.origin ?? '',
        over: ended.signal,
        accept: take => {
          listeners.set(stream.id, take)
          stream.whenOver(() => listeners.delete(stream.id))
        },
      }
    },
    retire: idle => {
      patience = idle
      settle()
    },
    close: () => dial.close(),
  }
  return line
}
