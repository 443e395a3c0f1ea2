import { openTunnel } from '@deputy/contract/api-tunnel'
import { TUNNEL_PATH, TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { dialTunnel, type Dial, type FrameType, type Stream, type StreamEnd } from '@deputy/tunnel'
import type { Sessions } from '../sessions/sessions.ts'

/** Takes a connection of a listener: its stream, and the frame that opened it. */
export type TakeConnection = (stream: Stream, payload: Uint8Array<ArrayBuffer>) => void

/** Opens the streams of one app's tunnel. The session to the node is dialled when it is first needed, and again after it was lost. */
export interface TunnelLink {
  /** Opens a stream by a frame. @throws {NoTunnel} */
  open(type: FrameType, payload: Uint8Array<ArrayBuffer>): Promise<Opened>
  /** The node that was chosen; null is the service's choice. */
  readonly chosen: string | null
  /** Another node from now on. Streams that are open end. */
  choose(node: string | null): void
  /** Ends every stream. */
  drop(): void
}

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
  readonly listeners: Map<number, TakeConnection>
  readonly over: AbortController
  node: string | null
  origin: string
}

/** What the link stands on. */
export interface TunnelLinkNeeds {
  readonly sessions: Pick<Sessions, 'call' | 'current' | 'onChange'>
  /** The listener an `incoming` frame names. */
  readonly listenerOf: (payload: Uint8Array<ArrayBuffer>) => number | undefined
  /** Says when the page goes away, which the node need not wait out. */
  readonly page?: Pick<Window, 'addEventListener'>
}

/** The tunnel of one frame. */
export function tunnelLink({ sessions, listenerOf, page }: TunnelLinkNeeds): TunnelLink {
  let held: Held | undefined
  let chosen: string | null = null

  const dial = (account: string): Held => {
    const fresh: Held = {
      account,
      listeners: new Map(),
      over: new AbortController(),
      node: chosen,
      origin: '',
      dial: dialTunnel({
        token: async () => {
          // A session lives on the node that welcomed it.
          const outcome = await sessions.call(openTunnel, fresh.node === null ? {} : { node: fresh.node }, { account })
          if (outcome.kind === 'answer') {
            fresh.node = outcome.value.node.id
            fresh.origin = outcome.value.node.origin
            return outcome.value.token
          }
          // Nobody to act for any more, or no such node: trying again would not help.
          if (outcome.kind === 'unauthorized') fresh.dial.session.end({ code: 'EACCES', message: 'signed out' })
          if (outcome.kind === 'refused') fresh.dial.session.end({ code: 'ETUNNEL', message: 'refused' })
          throw new NoTunnel('unavailable')
        },
        socket: () =>
          Object.assign(new WebSocket(`${fresh.origin.replace(/^http/, 'ws')}${TUNNEL_PATH}`, TUNNEL_PROTOCOL), { binaryType: 'arraybuffer' as const }),
        incoming: (stream, _type, payload) => {
          const id = listenerOf(payload)
          const take = id === undefined ? undefined : fresh.listeners.get(id)
          if (take === undefined) stream.reset({ code: 'ECONNRESET' })
          else take(stream, payload)
        },
        over: () => {
          if (held === fresh) held = undefined
          fresh.over.abort()
        },
      }),
    }
    return fresh
  }
  const drop = (): void => held?.dial.close()
  const current = async (): Promise<Held> => {
    const session = await sessions.current()
    if (session === null) throw new NoTunnel('needs-account')
    if (held !== undefined && held.account !== session.account.id) drop()
    return (held ??= dial(session.account.id))
  }
  sessions.onChange(({ switched }) => {
    if (switched) drop()
  })
  page?.addEventListener('pagehide', drop)

  return {
    open: async (type, payload) => {
      const on = await current()
      let node: string
      try {
        node = (await on.dial.welcomed).node
      } catch (why) {
        throw new NoTunnel((why as StreamEnd).code === 'EACCES' ? 'needs-account' : 'unavailable')
      }
      const stream = on.dial.session.open(type, payload)
      return {
        stream,
        node,
        origin: on.origin,
        over: on.over.signal,
        accept: take => {
          on.listeners.set(stream.id, take)
          stream.whenOver(() => on.listeners.delete(stream.id))
        },
      }
    },
    get chosen() {
      return chosen
    },
    choose: node => {
      chosen = node
      drop()
    },
    drop,
  }
}
