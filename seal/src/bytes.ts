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
