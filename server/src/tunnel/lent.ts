/** Memory that answers of sites were read into, by its buffer. */
const lent = new WeakMap<ArrayBufferLike, { readonly bytes: number; readonly giveBack: () => void }>()

/** Remembers until it is given back, or for good where nobody does: then it is collected as any other memory. */
export const lend = (bytes: Uint8Array<ArrayBuffer>, giveBack: () => void): void => void lent.set(bytes.buffer, { bytes: bytes.byteLength, giveBack })

/** How to give back the memory of a chunk once nobody reads it any more; undefined for one that was not lent, or is only a part of what was. */
export function giverOf({ buffer, byteOffset, byteLength }: Uint8Array): (() => void) | undefined {
  const loan = lent.get(buffer)
  if (loan === undefined || byteOffset !== 0 || byteLength !== loan.bytes) return undefined
  lent.delete(buffer)
  return loan.giveBack
}
