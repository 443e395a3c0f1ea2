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

/**
 * Gives the memory of bytes that nothing reads any more back at once, not when it is collected: at a hundred MiB a second that
 * is the difference between a few MiB and as many as the collector lets pile up.
 */
export function release(bytes: Bytes): void {
  bytes.buffer.transfer(0)
}
