import type { Message } from './carrier.ts'

/** Every frame type. Those from `0x10` on belong to a stream, are counted, and are sent again after a lost connection. */
export const FRAME = {
  hello: 0x01,
  welcome: 0x02,
  refused: 0x03,
  ack: 0x04,
  ping: 0x05,
  pong: 0x06,
  goaway: 0x07,
  quota: 0x08,
  lane: 0x09,
  data: 0x10,
  fin: 0x11,
  reset: 0x12,
  limit: 0x13,
  open: 0x20,
  opened: 0x21,
  option: 0x22,
  listen: 0x23,
  listening: 0x24,
  incoming: 0x25,
  bind: 0x26,
  bound: 0x27,
  datagram: 0x28,
  connect: 0x29,
  connected: 0x2a,
  disconnect: 0x2b,
  resolve: 0x2c,
  resolved: 0x2d,
  request: 0x2e,
  response: 0x2f,
  passed: 0x30,
} as const
/** A frame type. */
export type FrameType = (typeof FRAME)[keyof typeof FRAME]

const known: ReadonlySet<number> = new Set(Object.values(FRAME))
/** The first type of those that are counted. */
export const FIRST_COUNTED = 0x10

/** Bytes before each payload: type (1), payload length (3), stream (4), little endian. */
export const HEADER_BYTES = 8
/** The most a payload may have. */
export const PAYLOAD_BYTES = 256 * 1024
/** The most a message may have: what one carrier message carries. */
export const MESSAGE_BYTES = 512 * 1024

/** The other side sent what the protocol does not know: the session ends. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

/** One frame as it was read; `payload` is a view into the message. */
export interface Frame {
  readonly type: FrameType
  readonly stream: number
  readonly payload: Uint8Array<ArrayBuffer>
}

/** Writes a header at `at`. */
export function writeHeader(into: DataView, at: number, type: FrameType, stream: number, length: number): void {
  into.setUint32(at, type | (length << 8), true)
  into.setUint32(at + 4, stream, true)
}

/**
 * The frames of one message, in order. A message may come in parts: then data that goes over a border is read as two frames of data.
 * @throws {ProtocolError} for an unknown type, a payload too long, or a message that ends within a frame.
 */
export function* readFrames(...parts: readonly Uint8Array<ArrayBuffer>[]): Generator<Frame> {
  let rest = 0
  for (const part of parts) rest += part.byteLength
  if (rest > MESSAGE_BYTES) throw new ProtocolError('the message is too long')
  let index = 0
  let at = 0
  /** The next bytes: as many as asked for, or fewer where a part ends. */
  const next = (most: number): Uint8Array<ArrayBuffer> => {
    let part = parts[index] as Uint8Array<ArrayBuffer>
    while (at === part.byteLength) {
      index += 1
      at = 0
      part = parts[index] as Uint8Array<ArrayBuffer>
    }
    const bytes = part.subarray(at, Math.min(at + most, part.byteLength))
    at += bytes.byteLength
    rest -= bytes.byteLength
    return bytes
  }
  const whole = (length: number): Uint8Array<ArrayBuffer> => {
    if (length === 0) return new Uint8Array()
    const start = next(length)
    if (start.byteLength === length) return start
    const all = new Uint8Array(length)
    all.set(start)
    for (let done = start.byteLength; done < length;) {
      const more = next(length - done)
      all.set(more, done)
      done += more.byteLength
    }
    return all
  }
  while (rest > 0) {
    if (rest < HEADER_BYTES) throw new ProtocolError('the message ends within a header')
    const header = whole(HEADER_BYTES)
    const [type = 0, low = 0, middle = 0, high = 0, first = 0, second = 0, third = 0, fourth = 0] = header
    const length = low | (middle << 8) | (high << 16)
    const stream = (first | (second << 8) | (third << 16) | (fourth << 24)) >>> 0
    if (!known.has(type)) throw new ProtocolError('the frame type is unknown')
    if (length > PAYLOAD_BYTES) throw new ProtocolError('the payload is too long')
    if (rest < length) throw new ProtocolError('the message ends within a payload')
    if (type !== FRAME.data || length === 0) yield { type: type as FrameType, stream, payload: whole(length) }
    else
      for (let left = length; left > 0;) {
        const payload = next(left)
        left -= payload.byteLength
        yield { type, stream, payload }
      }
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** A message of one frame of the session itself. */
export function ownMessage(type: FrameType, payload: Uint8Array<ArrayBuffer>): Message {
  const message = new Uint8Array(HEADER_BYTES + payload.byteLength)
  writeHeader(new DataView(message.buffer), 0, type, 0, payload.byteLength)
  message.set(payload, HEADER_BYTES)
  return { parts: [message], bytes: message.byteLength }
}

/** A payload of JSON. */
export const toJson = (value: unknown): Uint8Array<ArrayBuffer> => encoder.encode(JSON.stringify(value))

/**
 * What a JSON payload says, unchecked.
 * @throws {ProtocolError} when it is no JSON.
 */
export function fromJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(payload))
  } catch {
    throw new ProtocolError('the payload is not JSON')
  }
}

/** A whole number up to 2^53 as 8 bytes. */
export function toCount(count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(count), true)
  return bytes
}

/**
 * Reads what `toCount` wrote.
 * @throws {ProtocolError} for another length or a number past 2^53.
 */
export function fromCount(payload: Uint8Array<ArrayBuffer>): number {
  if (payload.byteLength !== 8) throw new ProtocolError('a count has eight bytes')
  const count = new DataView(payload.buffer, payload.byteOffset, 8).getBigUint64(0, true)
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw new ProtocolError('the count is too large')
  return Number(count)
}
