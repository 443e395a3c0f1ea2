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
