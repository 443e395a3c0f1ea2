import type { Carrier, CarrierEars, Message } from './carrier.ts'
import { machineClock, type Clock } from './clock.ts'
import { Fifo } from './fifo.ts'
import { FIRST_COUNTED, FRAME, fromCount, fromJson, ownMessage, ProtocolError, readFrames, toCount, type Frame, type FrameType } from './frames.ts'
import { paceOf, type Departure } from './pace.ts'
import { scheduleOf } from './schedule.ts'
import { StreamState, type Stream, type StreamEnd } from './stream.ts'

/** What a session is made with. */
export interface SessionOptions {
  /** Streams this side opens have even numbers at the client, odd ones at the node. */
  readonly role: 'client' | 'node'
  /** Calls with each stream the other side opens, and the frame that opened it. */
  readonly opened: (stream: Stream, type: FrameType, payload: Uint8Array<ArrayBuffer>) => void
  /** A frame of the session itself: `quota` or `goaway`. */
  readonly told?: (type: FrameType, payload: Uint8Array<ArrayBuffer>) => void
  /** The carrier is gone; the session waits to be attached to another. */
  readonly detached?: () => void
  /** The session is over, and with it every stream. */
  readonly over?: (why: StreamEnd) => void
  /**
   * What a listener of a stream threw on a frame. The stream is reset as if the frame were malformed; what is answered here is
   * its code, and undefined ends the session.
   */
  readonly fault?: (error: unknown) => string | undefined
  /** Streams the other side may have open at once. */
  readonly streams?: number
  readonly clock?: Clock
  /** Memory that is filled at once; a platform may have a faster one than zeroed memory. */
  readonly allocate?: (bytes: number) => Uint8Array<ArrayBuffer>
  /** Runs what sends, once what is at hand was written; a node waits until it has read from every socket that is ready. */
  readonly soon?: (run: () => void) => void
}

/** Many streams over one carrier, each message counted, so that another carrier can go on where one was lost. */
export interface Session {
  /** Counted messages that have arrived: what the other side need not send again. */
  readonly received: number
  readonly attached: boolean
  /** Live streams. */
  readonly streams: number
  /** Bytes of this side that nobody has acknowledged. */
  readonly unacknowledged: number
  /** Goes on over a carrier, sending again what the other side has not had. Answers who hears that carrier. */
  attach(carrier: Carrier, theirReceived: number): CarrierEars
  /** Opens a stream by a frame. */
  open(type: FrameType, payload: Uint8Array<ArrayBuffer>): Stream
  /** Tells something of the session itself. */
  tell(type: FrameType, payload: Uint8Array<ArrayBuffer>): void
  /** Milliseconds of a round trip over this carrier, asked now; rejects when the carrier is lost. */
  ping(): Promise<number>
  /** Ends the session and its carrier. */
  end(why: StreamEnd): void
}

/** Bytes of a message where so much waits: a part of what the way holds, so that what comes next waits little behind it. */
const target = { least: 16 * 1024, most: 256 * 1024, share: 8 } as const
const acknowledgeAfter = 32 * 1024
/** Of much that comes fast only so often (ms), or after so many bytes. */
const acknowledgeApart = 2
const acknowledgeMost = 256 * 1024
const acknowledgeWithin = 20
const aheadMost = 4 * 1024 * 1024
const openers: ReadonlySet<FrameType> = new Set([FRAME.open, FRAME.listen, FRAME.incoming, FRAME.bind, FRAME.resolve, FRAME.request])

interface Sent {
  readonly message: Message
  readonly releases: readonly (() => void)[]
  departure: Departure
}

/** Opens a session; it sends once it is attached. */
export function openSession({
  role,
  opened,
  told = () => {},
  detached = () => {},
  over = () => {},
  fault = error => {
    reportError(error)
    return undefined
  },
  streams: most = 4096,
  clock = machineClock,
  allocate = bytes => new Uint8Array(bytes),
  soon = queueMicrotask,
}: SessionOptions): Session {
  const pace = paceOf(clock)
  const live = new Map<number, StreamState>()
  let ending: StreamEnd | undefined
  let carrier: Carrier | undefined
  let ourNext = role === 'client' ? 2 : 1
  let theirNext = role === 'client' ? 1 : 2
  let theirs = 0
  let received = 0
  let toAcknowledge = 0
  let acknowledgedAt = clock.now()
  let isHurried = false
  let silence: (() => void) | undefined
  let acknowledged = 0
  const unacknowledged = new Fifo<Sent>()
  let underWay = 0
  const schedule = scheduleOf(allocate)
  let planned = false
  let pings: { readonly at: number; resolve(time: number): void; reject(error: Error): void }[] = []
  const ofPeer = (id: number): boolean => id % 2 === theirNext % 2

  const send = (message: Message): void => carrier?.send(message)
  /** Nothing is left to acknowledge. */
  const rest = (): void => {
    silence?.()
    silence = undefined
    toAcknowledge = 0
    isHurried = false
  }
  const acknowledge = (): void => {
    rest()
    acknowledgedAt = clock.now()
    send(ownMessage(FRAME.ack, toCount(received)))
  }

  const flush = (): void => {
    planned = false
    while (carrier !== undefined && ending === undefined && underWay < pace.limit) {
      const next = schedule.next(Math.min(target.most, Math.max(target.least, Math.floor(pace.limit / target.share))))
      if (next === undefined) {
        pace.idle()
        break
      }
      unacknowledged.push({ message: next, releases: next.releases, departure: pace.sent(next.bytes) })
      underWay += next.bytes
      send(next)
      for (const stream of next.took) stream.relieve()
    }
  }
  const plan = (): void => {
    if (planned || carrier === undefined || ending !== undefined) return
    planned = true
    soon(flush)
  }

  const host = {
    ready: (stream: StreamState): void => {
      if (stream.waiting || ending !== undefined) return
      stream.waiting = true
      schedule.ready(stream)
      plan()
    },
    over: (stream: StreamState): void => {
      if (live.delete(stream.id) && ofPeer(stream.id)) theirs -= 1
    },
    ahead: (type: FrameType, stream: number, payload: Uint8Array<ArrayBuffer>): void => {
      if (ending !== undefined) return
      schedule.ahead(type, stream, payload)
      if (schedule.aheadBytes > aheadMost) return end({ code: 'ETUNNEL', message: 'the other side does not take what it asked for' })
      plan()
    },
    roundTrip: () => pace.roundTrip,
    now: () => clock.now(),
    fault: (error: unknown): string => {
      const code = fault(error)
      if (code === undefined) throw new ProtocolError('a frame could not be taken')
      return code
    },
  }

  /** Forgets the carrier; answers whether there was one. */
  const leave = (): boolean => {
    if (carrier === undefined) return false
    carrier = undefined
    rest()
    for (const { reject } of pings) reject(new Error('the carrier was lost'))
    pings = []
    pace.restart()
    return true
  }
  const lose = (): void => {
    if (leave() && ending === undefined) detached()
  }
  function end(why: StreamEnd): void {
    if (ending !== undefined) return
    ending = why
    const last = carrier
    lose()
    last?.close()
    for (const stream of [...live.values()]) stream.lose(why)
    live.clear()
    schedule.clear()
    unacknowledged.clear()
    underWay = 0
    over(why)
  }

  /** A frame of the session itself. @throws {ProtocolError} */
  const takeOwn = (type: FrameType, payload: Uint8Array<ArrayBuffer>): void => {
    if (type === FRAME.ack) return settle(fromCount(payload))
    if (type === FRAME.ping) return send(ownMessage(FRAME.pong, payload))
    if (type === FRAME.pong) {
      const asked = pings.shift()
      asked?.resolve(clock.now() - asked.at)
      return
    }
    if (type === FRAME.quota || type === FRAME.goaway) return told(type, payload)
    if (type === FRAME.refused && role === 'client') return end(asEnd(fromJson(payload)))
    throw new ProtocolError('the session has begun')
  }
  /** @throws {ProtocolError} */
  const take = (frame: Frame): void => {
    const { type, stream: id, payload } = frame
    if (type < FIRST_COUNTED) return takeOwn(type, payload)
    const stream = live.get(id)
    if (stream !== undefined) {
      if (type === FRAME.reset) return stream.lose(asEnd(fromJson(payload)))
      return stream.receive(type, payload, fromCount)
    }
    if (!ofPeer(id) || id < theirNext) {
      // It was reset here, and the other side has not heard of it yet.
      if (id < (ofPeer(id) ? theirNext : ourNext) && id > 0) return
      throw new ProtocolError('the stream was never opened')
    }
    if (!openers.has(type)) throw new ProtocolError('the frame opens no stream')
    if (id !== theirNext) throw new ProtocolError('streams are numbered in order')
    theirNext += 2
    const fresh = new StreamState(id, host)
    live.set(id, fresh)
    theirs += 1
    if (theirs > most) return fresh.reset({ code: 'EMFILE', message: 'too many streams' })
    opened(fresh, type, payload)
  }
  /** The other side has had so many messages. */
  const settle = (count: number): void => {
    const had = count - acknowledged
    if (had <= 0) return
    if (had > unacknowledged.size) throw new ProtocolError('what was never sent was acknowledged')
    for (let left = had; left > 0; left -= 1) {
      const { departure, releases } = unacknowledged.shift() as Sent
      underWay -= departure.bytes
      pace.acknowledged(departure)
      for (const release of releases) release()
    }
    acknowledged = count
    plan()
  }
  const hear = (parts: readonly Uint8Array<ArrayBuffer>[]): void => {
    let counted = false
    try {
      for (const frame of readFrames(...parts)) {
        counted ||= frame.type >= FIRST_COUNTED
        take(frame)
        if (ending !== undefined) return
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) fault(error)
      return end({ code: 'ETUNNEL', message: `protocol: ${error instanceof ProtocolError ? error.message : 'a frame could not be taken'}` })
    }
    if (!counted) return
    received += 1
    for (const part of parts) toAcknowledge += part.byteLength
    if (toAcknowledge < acknowledgeAfter) silence ??= clock.after(acknowledgeWithin, acknowledge)
    else if (toAcknowledge >= acknowledgeMost || clock.now() - acknowledgedAt >= acknowledgeApart) acknowledge()
    else if (!isHurried) {
      isHurried = true
      silence?.()
      silence = clock.after(acknowledgeApart, acknowledge)
    }
  }

  return {
    get received() {
      return received
    },
    get attached() {
      return carrier !== undefined
    },
    get streams() {
      return live.size
    },
    get unacknowledged() {
      return underWay
    },
    attach: (next, theirReceived) => {
      // One that is gone without a word is replaced before anybody heard of it: the session was never without.
      const before = carrier
      leave()
      before?.close()
      carrier = next
      try {
        settle(theirReceived)
      } catch {
        end({ code: 'ETUNNEL', message: 'the session cannot be resumed' })
      }
      for (const sent of unacknowledged) {
        sent.departure = pace.sent(sent.message.bytes)
        send(sent.message)
      }
      plan()
      return {
        message: (...parts) => {
          if (carrier === next) hear(parts)
        },
        lost: () => {
          if (carrier === next) lose()
        },
      }
    },
    open: (type, payload) => {
      const stream = new StreamState(ourNext, host)
      ourNext += 2
      if (ending !== undefined) {
        const why = ending
        queueMicrotask(() => stream.lose(why))
        return stream
      }
      live.set(stream.id, stream)
      // Ahead of all data, so that streams are opened in the order of their numbers.
      host.ahead(type, stream.id, payload)
      return stream
    },
    tell: (type, payload) => {
      send(ownMessage(type, payload))
    },
    ping: () =>
      new Promise((resolve, reject) => {
        if (carrier === undefined) return reject(new Error('the carrier was lost'))
        pings.push({ at: clock.now(), resolve, reject })
        send(ownMessage(FRAME.ping, new Uint8Array()))
      }),
    end,
  }
}

const asEnd = (said: unknown): StreamEnd => {
  const { code, message } = (typeof said === 'object' && said !== null ? said : {}) as { code?: unknown; message?: unknown }
  return {
    code: typeof code === 'string' && code.length <= 32 ? code : 'ECONNRESET',
    ...(typeof message === 'string' ? { message: message.slice(0, 256) } : {}),
  }
}
