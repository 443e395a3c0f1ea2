import type { Message } from './carrier.ts'
import { Fifo } from './fifo.ts'
import { FRAME, HEADER_BYTES, PAYLOAD_BYTES, writeHeader, type FrameType } from './frames.ts'
import type { StreamState } from './stream.ts'

/** What leaves as one message, and what is to be done for it. */
export interface Outgoing extends Message {
  /** To be called once the message was acknowledged: memory that may be used again. */
  readonly releases: readonly (() => void)[]
  /** Streams it took from. */
  readonly took: readonly StreamState[]
}

/** Whose turn it is to send. */
export interface Schedule {
  /** Payload and header bytes that go ahead of all streams. */
  readonly aheadBytes: number
  ahead(type: FrameType, stream: number, payload: Uint8Array<ArrayBuffer>): void
  ready(stream: StreamState): void
  /** The next message, of about `target` bytes where so much waits; undefined when nothing may leave. */
  next(target: number): Outgoing | undefined
  clear(): void
}

interface Leaving {
  readonly type: FrameType
  readonly stream: number
  readonly payload: Uint8Array<ArrayBuffer>
}

/** Payloads up to here are copied beside their headers; longer ones are sent from where they are. */
const copied = 4096
const leastTurn = 16 * 1024

/** Frames that go ahead, then streams with little to say, then the others in turns. */
export function scheduleOf(allocate: (bytes: number) => Uint8Array<ArrayBuffer>): Schedule {
  const first = new Fifo<Leaving>()
  const small = new Fifo<StreamState>()
  const bulk = new Fifo<StreamState>()
  let aheadBytes = 0

  const write = (frames: readonly Leaving[]): Message => {
    /** The length of each frame that has a header; bytes of one stream that follow one another share one, so that they are received in one piece. */
    const lengths: (number | undefined)[] = []
    let size = 0
    let bytes = 0
    let last = 0
    for (const [index, { type, stream, payload }] of frames.entries()) {
      const before = frames[index - 1]
      const goesOn =
        type === FRAME.data && before?.type === FRAME.data && before.stream === stream && (lengths[last] ?? 0) + payload.byteLength <= PAYLOAD_BYTES
      if (!goesOn) last = index
      lengths[last] = (lengths[last] ?? 0) + payload.byteLength
      size += (goesOn ? 0 : HEADER_BYTES) + (payload.byteLength <= copied ? payload.byteLength : 0)
      bytes += (goesOn ? 0 : HEADER_BYTES) + payload.byteLength
    }
    const words = allocate(size)
    const view = new DataView(words.buffer, words.byteOffset, size)
    const parts: Uint8Array<ArrayBuffer>[] = []
    let from = 0
    let at = 0
    for (const [index, { type, stream, payload }] of frames.entries()) {
      const length = lengths[index]
      if (length !== undefined) {
        writeHeader(view, at, type, stream, length)
        at += HEADER_BYTES
      }
      if (payload.byteLength <= copied) {
        words.set(payload, at)
        at += payload.byteLength
      } else {
        if (at > from) parts.push(words.subarray(from, at))
        parts.push(payload)
        from = at
      }
    }
    if (at > from) parts.push(words.subarray(from, at))
    return { parts, bytes }
  }

  return {
    get aheadBytes() {
      return aheadBytes
    },
    ahead: (type, stream, payload) => {
      first.push({ type, stream, payload })
      aheadBytes += HEADER_BYTES + payload.byteLength
    },
    ready: stream => (stream.small ? small : bulk).push(stream),
    next: target => {
      const frames: Leaving[] = []
      const releases: (() => void)[] = []
      const took: StreamState[] = []
      let bytes = 0
      while (bytes < target) {
        const next = first.shift()
        if (next === undefined) break
        frames.push(next)
        bytes += HEADER_BYTES + next.payload.byteLength
        aheadBytes -= HEADER_BYTES + next.payload.byteLength
      }
      /** One stream's turn; it comes back into the round when it has more. */
      const turn = (stream: StreamState, quantum: number): void => {
        let left = Math.min(quantum, target - bytes)
        while (left > 0) {
          // A little beyond the target rather than a few bytes now and the rest later.
          const frame = stream.take(Math.max(left - HEADER_BYTES, copied))
          if (frame === undefined) break
          frames.push({ type: frame.type, stream: stream.id, payload: frame.payload })
          if (frame.release !== undefined) releases.push(frame.release)
          bytes += HEADER_BYTES + frame.payload.byteLength
          left -= HEADER_BYTES + frame.payload.byteLength
        }
        took.push(stream)
        stream.waiting = stream.sendable
        if (stream.waiting) bulk.push(stream)
      }
      while (bytes < target) {
        const next = small.shift()
        if (next === undefined) break
        turn(next, leastTurn)
      }
      while (bytes < target) {
        const next = bulk.shift()
        if (next === undefined) break
        turn(next, bulk.size === 0 ? target : Math.max(leastTurn, target / 4))
      }
      return frames.length === 0 ? undefined : { ...write(frames), releases, took }
    },
    clear: () => {
      first.clear()
      small.clear()
      bulk.clear()
      aheadBytes = 0
    },
  }
}
