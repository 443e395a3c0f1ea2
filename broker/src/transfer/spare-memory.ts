/** Memory that serves one after another: to get a fresh MiB costs more than to fill it. */
export interface SpareMemory {
  /** A buffer of so many bytes, whatever is in it; undefined where that is more than is kept. */
  borrow(length: number): Uint8Array<ArrayBuffer> | undefined
  /** Takes a borrowed buffer back once nothing reads it any more. */
  giveBack(bytes: Uint8Array<ArrayBuffer>): void
}

/** Up to `most` buffers of `length` bytes, made as they are needed. */
export function spareMemory(length: number, most: number): SpareMemory {
  const spare: ArrayBuffer[] = []
  return {
    borrow: wanted => (wanted > length ? undefined : new Uint8Array(spare.pop() ?? new ArrayBuffer(length), 0, wanted)),
    giveBack: ({ buffer }) => {
      if (spare.length < most) spare.push(buffer)
    },
  }
}
