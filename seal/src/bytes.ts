/** Bytes over memory of their own, which WebCrypto takes as they are. */
export type Bytes = Uint8Array<ArrayBuffer>

/** One array holding the given ones after each other. */
export function concat(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Whether two short, public byte strings are equal; not constant in time. */
export function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}

/** Buffers of up to `length` bytes that serve again and again: fresh memory costs several times what filling it does. */
export interface Scratch {
  /** A buffer to fill; what it holds before is of no meaning. */
  borrow(length: number): Bytes
  /** Takes a borrowed buffer back once nothing reads it any more. */
  giveBack(bytes: Bytes): void
}

/** An empty store of scratch buffers, as many as are ever borrowed at once. */
export function scratch(length: number): Scratch {
  const spare: ArrayBuffer[] = []
  return {
    borrow: wanted => new Uint8Array(spare.pop() ?? new ArrayBuffer(length), 0, wanted),
    giveBack: bytes => void spare.push(bytes.buffer),
  }
}

/** Unsigned big-endian integers of 2, 4 and 8 bytes. */
export const u16 = (value: number): Bytes => Uint8Array.of(value >> 8, value & 255)
export const u32 = (value: number): Bytes => integer(4, view => view.setUint32(0, value))
export const u64 = (value: number): Bytes => integer(8, view => view.setBigUint64(0, BigInt(value)))

function integer(length: number, write: (view: DataView) => void): Bytes {
  const bytes = new Uint8Array(length)
  write(new DataView(bytes.buffer))
  return bytes
}

const utf8 = new TextEncoder()

/** The UTF-8 bytes of a text. */
export const utf8Bytes = (text: string): Bytes => utf8.encode(text)

/** A text in UTF-8 behind its length, so that what follows cannot be taken for a part of it. At most 65,535 bytes. */
export function field(text: string): Bytes {
  const bytes = utf8.encode(text)
  if (bytes.length > 0xffff) throw new RangeError('a field has at most 65,535 bytes')
  return concat(u16(bytes.length), bytes)
}

/** Fresh random bytes. */
export const randomBytes = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length))
