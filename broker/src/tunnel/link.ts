import { openTunnel } from '@deputy/contract/api-tunnel'
import { TUNNEL_PATH, TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { dialTunnel, type Dial, type FrameType, type SocketLike, type Stream, type StreamEnd } from '@deputy/tunnel'
import type { Sessions } from '../sessions/sessions.ts'

/** Opens the streams of one app's tunnel. The session to the node is dialled when it is first needed, and again after it was lost. */
export interface TunnelLink {
  /** Opens a stream by a frame. */
  open(type: FrameType, payload: Uint8Array<ArrayBuffer>): Promise<Opened>
  /** Takes the connections of a listener's stream; answers the end of it. */
  accept(listener: Stream, take: (stream: Stream, payload: Uint8Array<ArrayBuffer>) => void): () => void
  /** Another node from now on; null is the service's choice. Streams that are open end. */
  choose(node: string | null): void
  /** Ends every stream: the app may not use the tunnel any more. */
  drop(): void
  /** Streams that are open. */
  readonly streams: number
}

/** A stream on a node. */
export interface Opened {
  readonly stream: Stream
  readonly node: string
  /** Where the node is reached by HTTP. */
  readonly origin: string
}

/** Why there is no tunnel: nobody is connected, or the node is out of reach. */
export class NoTunnel extends Error {
  override readonly name = 'NoTunnel'
  readonly why: 'needs-account' | 'unavailable'
  constructor(why: 'needs-account' | 'unavailable') {
    super(why)
    this.why = why
  }
}

interface Held {
  readonly dial: Dial
  readonly account: string
  readonly listeners: Map<number, (stream: Stream, payload: Uint8Array<ArrayBuffer>) => void>
  origin: string
  over: boolean
}

/** Where a listener says which stream it is: the first member of an `incoming` frame. */
export type ReadListener = (payload: Uint8Array<ArrayBuffer>) => number | undefined

/** The tunnel of one frame. */
export function tunnelLink(sessions: Sessions, listenerOf: ReadListener): TunnelLink {
  let held: Held | undefined
  let chosen: string | null = null

  const dial = (account: string): Held => {
    const fresh: Held = {
      account,
      listeners: new Map(),
      origin: '',
      over: false,
      dial: dialTunnel({
        token: async () => {
          const outcome = await sessions.call(openTunnel, chosen === null ? {} : { node: chosen }, { account })
          if (outcome.kind === 'answer') {
            fresh.origin = outcome.value.node.origin
            return outcome.value.token
          }
          // Nobody to act for any more: trying again would not help.
          if (outcome.kind === 'unauthorized') fresh.dial.session.end({ code: 'EACCES', message: 'signed out' })
          throw new NoTunnel('unavailable')
        },
        socket: () => new WebSocket(`${fresh.origin.replace(/^http/, 'ws')}${TUNNEL_PATH}`, TUNNEL_PROTOCOL) as unknown as SocketLike,
        incoming: (stream, _type, payload) => {
          const id = listenerOf(payload)
          const take = id === undefined ? undefined : fresh.listeners.get(id)
          if (take === undefined) stream.reset({ code: 'ECONNRESET' })
          else take(stream, payload)
        },
        over: () => {
          fresh.over = true
          if (held === fresh) held = undefined
        },
      }),
    }
    return fresh
  }
  const current = async (): Promise<Held> => {
    const session = await sessions.current()
    if (session === null) throw new NoTunnel('needs-account')
    if (held !== undefined && held.account !== session.account.id) held.dial.close()
    if (held === undefined || held.over) held = dial(session.account.id)
    return held
  }
  sessions.onChange(({ switched }) => {
    if (switched) held?.dial.close()
  })

  return {
    open: async (type, payload) => {
      const on = await current()
      try {
        const { node } = await on.dial.welcomed
        return { stream: on.dial.session.open(type, payload), node, origin: on.origin }
      } catch (why) {
        const { code } = why as StreamEnd
        throw new NoTunnel(code === 'EACCES' ? 'needs-account' : 'unavailable')
      }
    },
    accept: (listener, take) => {
      const on = held
      on?.listeners.set(listener.id, take)
      return () => void on?.listeners.delete(listener.id)
    },
    choose: node => {
      chosen = node
      held?.dial.close()
    },
    drop: () => held?.dial.close(),
    get streams() {
      return held?.dial.session.streams ?? 0
    },
  }
}
