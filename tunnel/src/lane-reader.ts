import { HEADER_BYTES, MESSAGE_BYTES, ProtocolError } from './frames.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** The messages of a lane, one after another. */
export interface LaneReader {
  /**
   * The next message in parts, each payload of some length in memory of its own; undefined where the lane ends between two messages.
   * @throws {ProtocolError} for a message too long, or one that does not end with its frames; an error where the lane breaks off.
   */
  next(): Promise<Bytes[] | undefined>
}

/** Bytes before each message of a lane: its length, little endian. */
export const LENGTH_BYTES = 4
/** Bytes read at a time while it is not known what comes. */
const stagingBytes = 4096
/** A payload from here on is read to where it stays. */
const long = 2048

/** Reads up to as many bytes as there is room for, into that memory or what takes its place; undefined at the end. */
type Fill = (into: Bytes) => Promise<Bytes | undefined>

function fillOf(body: ReadableStream<Bytes>): Fill {
  let reader: ReadableStreamBYOBReader
  try {
    reader = body.getReader({ mode: 'byob' })
  } catch {
    return fillByChunks(body)
  }
  return async into => {
    const { done, value } = await reader.read(into)
    return done || value === undefined ? undefined : value
  }
}
/** For engines whose answers are no byte streams. */
function fillByChunks(body: ReadableStream<Bytes>): Fill {
  const reader = body.getReader()
  let rest: Bytes = new Uint8Array()
  return async into => {
    while (rest.byteLength === 0) {
      const { done, value } = await reader.read()
      if (done) return undefined
      rest = value
    }
    const some = rest.subarray(0, into.byteLength)
    rest = rest.subarray(some.byteLength)
    into.set(some)
    return into.subarray(0, some.byteLength)
  }
}

/**
 * Reads a lane: before each message stand 4 bytes with its length. What is long is read to memory of just its size, so that nobody need copy it again to
 * hand it on.
 */
export function laneReader(body: ReadableStream<Bytes>): LaneReader {
  const fill = fillOf(body)
  let staged: Bytes = new Uint8Array(stagingBytes)
  let from = 0
  let to = 0

  /** Has at least so many bytes staged; false at the end of the lane. */
  const stage = async (count: number): Promise<boolean> => {
    if (to - from >= count) return true
    staged.copyWithin(0, from, to)
    to -= from
    from = 0
    while (to < count) {
      const kept = to
      const memory = staged
      const filled = await fill(memory.subarray(kept))
      if (filled === undefined) {
        if (to > 0) throw new Error('the lane broke off')
        return false
      }
      // The memory moves with what is read into it.
      staged = new Uint8Array(filled.buffer)
      to += filled.byteLength
    }
    return true
  }
  const short = async (count: number): Promise<Bytes> => {
    if (!(await stage(count))) throw new Error('the lane broke off')
    const bytes = staged.slice(from, from + count)
    from += count
    return bytes
  }
  const whole = async (count: number): Promise<Bytes> => {
    if (count < long) return short(count)
    let memory: Bytes = new Uint8Array(count)
    let done = Math.min(count, to - from)
    memory.set(staged.subarray(from, from + done))
    from += done
    while (done < count) {
      const filled = await fill(memory.subarray(done))
      if (filled === undefined) throw new Error('the lane broke off')
      memory = new Uint8Array(filled.buffer)
      done += filled.byteLength
    }
    return memory
  }

  return {
    next: async () => {
      if (!(await stage(LENGTH_BYTES))) return undefined
      let left = new DataView(staged.buffer).getUint32(from, true)
      from += LENGTH_BYTES
      if (left > MESSAGE_BYTES) throw new ProtocolError('the message is too long')
      const parts: Bytes[] = []
      while (left > 0) {
        if (left < HEADER_BYTES) throw new ProtocolError('the message ends within a header')
        const header = await short(HEADER_BYTES)
        const [, low = 0, middle = 0, high = 0] = header
        const length = low | (middle << 8) | (high << 16)
        left -= HEADER_BYTES + length
        if (left < 0) throw new ProtocolError('the message ends within a payload')
        parts.push(header)
        if (length > 0) parts.push(await whole(length))
      }
      return parts
    },
  }
}
