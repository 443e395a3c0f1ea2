import { refusedFrame, TUNNEL_VERSION, welcomeFrame, type Welcome } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { joiner, type CarrierEars, type Message } from './carrier.ts'
import { machineClock, type Clock } from './clock.ts'
import { FRAME, fromJson, ownMessage, readFrames, toJson } from './frames.ts'
import { downOf, type Down, type LaneRecord, type OpenLane } from './lane.ts'
import { openSession, type Session, type SessionOptions } from './session.ts'
import type { StreamEnd } from './stream.ts'

/** The part of a WebSocket that is used: the browser's, Node's or that of a library. Its messages are ArrayBuffers or views of bytes. */
export interface SocketLike {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  /** Takes a copy before it returns, as all WebSockets do. */
  send(message: Uint8Array<ArrayBuffer>): void
  close(): void
}

/** How a session is dialled. */
export interface DialOptions extends Pick<SessionOptions, 'told' | 'fault' | 'allocate'> {
  /** A fresh token for the node; rejects when there is none just now. Asked before every connection. */
  readonly token: () => Promise<string>
  /** Opens a socket to the node. */
  readonly socket: () => SocketLike
  /** A connection to a listener: a stream the node opened, and the frame that opened it. */
  readonly incoming: NonNullable<SessionOptions['opened']>
  /** The session is over: refused, or gone for good. Called once. */
  readonly over: (why: StreamEnd) => void
  /** Opens a lane for what comes down, where there is much of it; without it all comes by the WebSocket. */
  readonly lane?: OpenLane
  readonly clock?: Clock
}

/** A session that goes on by itself over lost connections. */
export interface Dial {
  readonly session: Session
  /** Resolves with the node's welcome, rejects with a `StreamEnd` when there is none. */
  readonly welcomed: Promise<Welcome>
  close(): void
}

const welcomeTime = 10_000
/** After how long a silence the node is asked for a sign of life, and how long it has to give one. */
const quietTime = 15_000
const signTime = 10_000
const waits = [0, 200, 500, 1000, 2000, 4000]

/** Dials a node and holds the session until it is closed, refused, or away for longer than the node holds it. */
export function dialTunnel({ token, socket, incoming, over, lane, clock = machineClock, ...rest }: DialOptions): Dial {
  let welcome: Welcome | undefined
  let detachedAt = clock.now()
  let tries = 0
  let ended = false
  let current: SocketLike | undefined
  const record: LaneRecord = { broken: 0 }
  const first = Promise.withResolvers<Welcome>()
  // Whoever opens a stream hears of the end there.
  first.promise.catch(() => undefined)

  const joined = joiner()
  const session = openSession({
    ...rest,
    role: 'client',
    clock,
    opened: incoming,
    detached: () => {
      detachedAt = clock.now()
      tries = 0
      again()
    },
    over: why => {
      ended = true
      current?.close()
      first.reject(why)
      over(why)
    },
  })
  const away = (): boolean => clock.now() - detachedAt >= (welcome?.hold ?? welcomeTime * 2)

  function again(): void {
    if (ended) return
    if (away()) return session.end({ code: 'ETUNNEL', message: 'the node does not answer' })
    clock.after(waits[Math.min(tries++, waits.length - 1)] ?? 0, () => void connect())
  }

  async function connect(): Promise<void> {
    if (ended) return
    let bearer: string
    try {
      bearer = await token()
    } catch {
      return again()
    }
    if (ended) return
    const one = socket()
    current = one
    let ears: CarrierEars | undefined
    let down: Pick<Down, 'message' | 'close'> | undefined
    let gone = false
    const lost = (): void => {
      if (gone) return
      gone = true
      down?.close()
      late()
      silence()
      if (ears === undefined) again()
      else ears.lost()
    }
    const late = clock.after(welcomeTime, () => {
      one.close()
      lost()
    })
    let heard = false
    let silence = (): void => undefined
    // A network that is gone tells nobody: without this a page would wait for minutes.
    const listen = (): void => {
      heard = false
      silence = clock.after(quietTime, () => {
        if (heard) return listen()
        session.ping().catch(() => undefined)
        silence = clock.after(signTime, () => {
          if (heard) return listen()
          one.close()
          lost()
        })
      })
    }
    const greet = (message: Uint8Array<ArrayBuffer>): void => {
      const [frame] = readFrames(message)
      if (frame?.type === FRAME.refused) {
        const { code, message: words } = parse(refusedFrame, fromJson(frame.payload))
        return session.end({ code, message: words })
      }
      if (frame?.type !== FRAME.welcome) return session.end({ code: 'ETUNNEL', message: 'the node does not speak the protocol' })
      const said = parse(welcomeFrame, fromJson(frame.payload))
      if (welcome !== undefined && !said.resumed) return session.end({ code: 'ETUNNEL', message: 'the node has forgotten the session' })
      late()
      welcome = said
      first.resolve(said)
      const send = (of: Message): void => one.send(joined(of))
      const close = (): void => {
        down?.close()
        one.close()
      }
      const hears = session.attach({ send, close }, said.received)
      ears = hears
      if (lane === undefined || said.lanes !== true) down = { message: hears.message, close: () => undefined }
      else
        down = downOf({
          ears: hears,
          send,
          open: lane,
          clock,
          record,
          heard: () => (heard = true),
          lost: () => {
            one.close()
            lost()
          },
        })
      listen()
    }
    one.onopen = () => {
      const resume = welcome === undefined ? {} : { resume: { session: welcome.session, secret: welcome.secret, received: session.received } }
      one.send(joined(ownMessage(FRAME.hello, toJson({ version: TUNNEL_VERSION, token: bearer, ...resume }))))
    }
    one.onmessage = ({ data }: { data: unknown }) => {
      if (gone || !(data instanceof ArrayBuffer || data instanceof Uint8Array)) return
      heard = true
      const message = data instanceof ArrayBuffer ? new Uint8Array(data) : (data as Uint8Array<ArrayBuffer>)
      try {
        if (down === undefined) greet(message)
        else down.message(message)
      } catch {
        session.end({ code: 'ETUNNEL', message: 'the node does not speak the protocol' })
      }
    }
    one.onclose = lost
    one.onerror = lost
  }

  void connect()
  return {
    session,
    welcomed: first.promise,
    close: () => {
      session.tell(FRAME.goaway, toJson({ reason: 'closed' }))
      session.end({ code: 'ETUNNEL', message: 'the tunnel was closed' })
    },
  }
}
