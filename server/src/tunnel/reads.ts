import type { OnReadOpts } from 'node:net'

/** Memory the sockets of one session read into; it is used again once the client has acknowledged what was read. */
export interface ReadMemory {
  take(size: number): Uint8Array<ArrayBuffer>
  give(memory: Uint8Array<ArrayBuffer>): void
}

const sizes = [4096, 16_384, 65_536, 131_072] as const
const kept = 64

/** Memory of one session, never shared with another: what a lost connection still had to send is read by nobody else. */
export function readMemory(): ReadMemory {
  const free = new Map<number, Uint8Array<ArrayBuffer>[]>(sizes.map(size => [size, []]))
  return {
    take: size => free.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size),
    give: memory => {
      const same = free.get(memory.byteLength)
      if (same !== undefined && same.length < kept) same.push(memory)
    },
  }
}

/** Hears what was read; `release` gives the memory back. Answers whether to read on. */
export type Heard = (bytes: Uint8Array<ArrayBuffer>, release?: () => void) => boolean

/**
 * How a socket reads without new memory for every chunk: into pieces that grow with what arrives at once, and shrink again, so that a quiet socket
 * holds little. What fills less than half of its piece is copied out. `closed` gives back the last piece.
 */
export function readsInto(memory: ReadMemory, heard: Heard): { readonly onread: OnReadOpts; closed(): void } {
  let size = 0
  let piece: Uint8Array<ArrayBuffer> | undefined
  const closed = (): void => {
    if (piece !== undefined) memory.give(piece)
    piece = undefined
  }
  return {
    closed,
    onread: {
      buffer: () => (piece ??= memory.take(sizes[size] ?? sizes[0])),
      callback: bytes => {
        const full = piece
        if (full === undefined) return false
        const capacity = full.byteLength
        if (bytes === capacity) size = Math.min(size + 1, sizes.length - 1)
        else if (bytes < capacity / 8) size = Math.max(size - 1, 0)
        if (bytes >= capacity / 2) {
          piece = undefined
          return heard(full.subarray(0, bytes), () => memory.give(full))
        }
        const copy = Buffer.from(full.subarray(0, bytes)) as Uint8Array<ArrayBuffer>
        if (sizes[size] !== capacity) closed()
        return heard(copy)
      },
    },
  }
}

/**
 * Lets go at once of memory that nobody looks at any more, where these bytes are all of it: for every 64 KiB that came by a WebSocket the collector would else
 * have one more piece to find, which on a busy node is most of its work.
 */
export function letGo({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
  if (byteLength === buffer.byteLength && byteLength > 0) buffer.transfer(0)
}
