import { Fifo } from './fifo.ts'
import { FRAME, ProtocolError, toCount, toJson, type FrameType } from './frames.ts'

/** Why a stream ended before its time; `code` is one of Node's, or `ETUNNEL`. */
export interface StreamEnd {
  readonly code: string
  readonly message?: string
}

/** Who hears a stream. */
export interface StreamEars {
  /** A frame other than data and endings. */
  frame?(type: FrameType, payload: Uint8Array<ArrayBuffer>): void
  /** Bytes in order; `consumed` grants the sender as many more. The view is the listener's to keep. */
  data?(bytes: Uint8Array<ArrayBuffer>): void
  /** The other side sends nothing more. */
  end?(): void
  /** The stream is over, both ways: reset by the other side, or lost with the session. */
  reset?(why: StreamEnd): void
  /** What was written has left, more may be written. */
  drain?(): void
}

/** One stream of a session. */
export interface Stream {
  readonly id: number
  /** Written bytes that have not left yet. */
  readonly queued: number
  /** Offered frames that were dropped. */
  readonly dropped: number
  /** Whether it can no more be written to: ended here, or over. */
  readonly ended: boolean
  /** Sends a frame of the stream, in order with its data. */
  send(type: FrameType, payload: Uint8Array<ArrayBuffer>): void
  /**
   * Writes bytes, which must not change until `release` is called: once the other side has had them, or never where the stream is lost.
   * False once more than a window is waiting: then `drain` will be heard.
   */
  write(bytes: Uint8Array<ArrayBuffer>, release?: () => void): boolean
  /** Sends a frame that may be lost: when more than 1 MiB of such waits, the oldest is dropped. */
  offer(type: FrameType, payload: Uint8Array<ArrayBuffer>): void
  /** Sends nothing more after what was written. */
  end(): void
  /** Ends both ways at once; what was not sent is dropped. */
  reset(why: StreamEnd): void
  /** Ends both ways at once as `reset` does, and tells who hears it. */
  cut(why: StreamEnd): void
  /** So many bytes were used up: the sender may send as many more. */
  consumed(bytes: number): void
  hear(ears: StreamEars): void
  /** Calls once all that was written so far, and an end, has left; at once when nothing waits or the stream is over. */
  whenSent(run: () => void): void
  /** Calls once the stream is over, however it ended. */
  whenOver(run: () => void): void
}

/** What a stream needs of its session. */
export interface StreamHost {
  /** Something of this stream is ready to leave. */
  ready(stream: StreamState): void
  /** The stream is over. */
  over(stream: StreamState): void
  /** Sends ahead of all data. */
  ahead(type: FrameType, stream: number, payload: Uint8Array<ArrayBuffer>): void
  /** Milliseconds of a round trip, as far as known. */
  roundTrip(): number
  now(): number
  /**
   * Code for what a listener threw.
   * @throws {ProtocolError} when the session has to end for it.
   */
  fault(error: unknown): string
}

/** Bytes a stream may have under way at first, and the most its window grows to. */
export const WINDOW = { first: 256 * 1024, most: 4 * 1024 * 1024 } as const
const queueMark = 256 * 1024
/** Bytes after which a large window is granted anew: the sender goes on smoothly, not from burst to burst. */
const grantStep = 256 * 1024

const offeredMost = 1024 * 1024
/** Frames other than data that may wait to be sent. */
const toldMost = 4096

interface Queued {
  readonly type: FrameType
  readonly offered?: boolean
  readonly payload: Uint8Array<ArrayBuffer>
  readonly release?: (() => void) | undefined
}

/** A stream with what its session reads and moves. */
export class StreamState implements Stream {
  readonly id: number
  readonly #host: StreamHost
  #ears: StreamEars = {}
  readonly #whenOver: (() => void)[] = []
  #whenSent: (() => void)[] = []
  readonly #queue = new Fifo<Queued>()
  #offset = 0
  #queued = 0
  #offered = 0
  #told = 0
  #dropped = 0
  #choked = false
  #sent = 0
  #allowed = WINDOW.first
  #received = 0
  #consumed = 0
  #granted = WINDOW.first
  #window = WINDOW.first
  #turnAt = 0
  #turnFrom = 0
  #localEnd = false
  #remoteEnd = false
  #over = false
  /** Whether the session has it in its round. */
  waiting = false

  constructor(id: number, host: StreamHost) {
    this.id = id
    this.#host = host
    this.#turnAt = host.now()
  }

  get queued(): number {
    return this.#queued
  }
  get dropped(): number {
    return this.#dropped
  }
  get ended(): boolean {
    return this.#localEnd || this.#over
  }

  hear(ears: StreamEars): void {
    this.#ears = ears
  }
  whenOver(run: () => void): void {
    if (this.#over) run()
    else this.#whenOver.push(run)
  }
  whenSent(run: () => void): void {
    if (this.#over || this.#queue.first === undefined) run()
    else this.#whenSent.push(run)
  }
  send(type: FrameType, payload: Uint8Array<ArrayBuffer>): void {
    if (this.#over) return
    // Whoever asks and never takes the answers pays with the stream, not with the memory of who answers.
    if (this.#told === toldMost) return this.cut({ code: 'EMFILE', message: 'too many frames wait' })
    this.#told += 1
    this.#push({ type, payload })
  }
  write(bytes: Uint8Array<ArrayBuffer>, release?: () => void): boolean {
    if (this.ended) return false
    if (bytes.byteLength > 0) {
      this.#queued += bytes.byteLength
      this.#push({ type: FRAME.data, payload: bytes, release })
    }
    if (this.#queued < queueMark) return true
    this.#choked = true
    return false
  }
  offer(type: FrameType, payload: Uint8Array<ArrayBuffer>): void {
    if (this.ended) return
    this.#offered += payload.byteLength
    while (this.#offered > offeredMost) {
      const oldest = this.#queue.remove(queued => queued.offered === true)
      if (oldest === undefined) break
      this.#offered -= oldest.payload.byteLength
      this.#dropped += 1
    }
    this.#push({ type, payload, offered: true })
  }
  end(): void {
    if (this.ended) return
    this.#localEnd = true
    this.#push({ type: FRAME.fin, payload: new Uint8Array() })
  }
  reset(why: StreamEnd): void {
    if (this.#over) return
    this.#host.ahead(FRAME.reset, this.id, toJson(why))
    this.#finish()
  }
  cut(why: StreamEnd): void {
    if (this.#over) return
    this.#host.ahead(FRAME.reset, this.id, toJson(why))
    this.lose(why)
  }
  consumed(bytes: number): void {
    if (this.#over || this.#remoteEnd) return
    this.#consumed += bytes
    if (this.#granted - this.#consumed > this.#window - Math.min(this.#window / 2, grantStep)) return
    if (this.#consumed - this.#turnFrom >= this.#window / 2) this.#grow()
    this.#granted = this.#consumed + this.#window
    this.#host.ahead(FRAME.limit, this.id, toCount(this.#granted))
  }

  /** A window of which half is used up within a round trip holds the sender back. */
  #grow(): void {
    const now = this.#host.now()
    if (now - this.#turnAt < this.#host.roundTrip() + 2) this.#window = Math.min(WINDOW.most, this.#window * 2)
    this.#turnAt = now
    this.#turnFrom = this.#consumed
  }
  #push(queued: Queued): void {
    this.#queue.push(queued)
    if (this.sendable) this.#host.ready(this)
  }
  #sentAll(): void {
    const runs = this.#whenSent
    this.#whenSent = []
    for (const run of runs) run()
  }
  #finish(): void {
    this.#over = true
    this.#queue.clear()
    this.#queued = 0
    this.#host.over(this)
    for (const run of this.#whenOver) run()
    this.#sentAll()
  }

  /** Whether a frame may leave now. */
  get sendable(): boolean {
    const next = this.#queue.first
    return next !== undefined && (next.type !== FRAME.data || this.#sent < this.#allowed)
  }
  /** Whether little enough waits that it may go before bulk. */
  get small(): boolean {
    return this.#queued <= 1024
  }
  /** The next frame, of at most `room` payload bytes where it is data; undefined when none may leave. */
  take(room: number): Queued | undefined {
    const next = this.#queue.first
    if (next === undefined) return undefined
    if (next.type !== FRAME.data) {
      this.#queue.shift()
      if (next.offered === true) this.#offered -= next.payload.byteLength
      else if (next.type !== FRAME.fin) this.#told -= 1
      if (next.type === FRAME.fin && this.#remoteEnd) this.#finish()
      return next
    }
    const length = Math.min(room, this.#allowed - this.#sent, next.payload.byteLength - this.#offset)
    if (length <= 0) return undefined
    const payload = next.payload.subarray(this.#offset, this.#offset + length)
    this.#offset += length
    this.#sent += length
    this.#queued -= length
    if (this.#offset < next.payload.byteLength) return { type: FRAME.data, payload }
    this.#offset = 0
    this.#queue.shift()
    return { type: FRAME.data, payload, release: next.release }
  }
  /** Tells the writer, once a round of sending is done. */
  relieve(): void {
    if (this.#queue.first === undefined && this.#whenSent.length > 0) this.#sentAll()
    if (!this.#choked || this.#over || this.#queued >= queueMark / 2) return
    this.#choked = false
    this.#ears.drain?.()
  }

  /**
   * A frame of the stream arrived.
   * @throws {ProtocolError} when the sender was not allowed to send it.
   */
  receive(type: FrameType, payload: Uint8Array<ArrayBuffer>, count: (payload: Uint8Array<ArrayBuffer>) => number): void {
    if (this.#over) return
    switch (type) {
      case FRAME.limit:
        this.#allowed = Math.max(this.#allowed, count(payload))
        if (this.sendable) this.#host.ready(this)
        return
      case FRAME.data:
        this.#received += payload.byteLength
        if (this.#remoteEnd || this.#received > this.#granted) throw new ProtocolError('the stream sent more than it may')
        return this.#tell(() => this.#ears.data?.(payload))
      case FRAME.fin:
        if (this.#remoteEnd) throw new ProtocolError('the stream ended twice')
        this.#remoteEnd = true
        this.#ears.end?.()
        // Its own end may still wait behind what was written.
        if (this.#localEnd && this.#queue.first === undefined) this.#finish()
        return
      default:
        this.#tell(() => this.#ears.frame?.(type, payload))
    }
  }
  /** What a listener throws is a fault of this stream, or of the program. */
  #tell(run: () => void): void {
    try {
      run()
    } catch (error) {
      const why = { code: this.#host.fault(error) }
      this.reset(why)
      // The listener has not reset it, and has something to release.
      this.#ears.reset?.(why)
    }
  }
  /** The other side reset it, or the session is over. */
  lose(why: StreamEnd): void {
    if (this.#over) return
    this.#finish()
    this.#ears.reset?.(why)
  }
}
