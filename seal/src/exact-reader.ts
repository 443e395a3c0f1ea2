import type { Bytes } from './bytes.ts'
import { SealError, type SealErrorCode } from './error.ts'

/** Takes exact counts of bytes from a stream whose chunks may be of any length. */
export interface ExactReader {
  /** The next `length` bytes, in a buffer of their own. */
  take(length: number): Promise<Bytes>
  /** Passes once the stream has ended; a byte more is a failure. */
  end(): Promise<void>
  /** Lets go of the stream, which may have failed or ended already. */
  cancel(reason?: unknown): Promise<void>
}

/**
 * Reads a stream of bytes exactly. A stream that ends early, goes on too long or delivers anything but bytes fails with a
 * `SealError` of the code `failure`; a stream that fails keeps its own reason.
 */
export function exactReader(stream: ReadableStream<Uint8Array>, failure: SealErrorCode): ExactReader {
  const reader = stream.getReader()
  let rest: Uint8Array = new Uint8Array(0)

  // Whether unread bytes are at hand; false at the end of the stream.
  const more = async (): Promise<boolean> => {
    while (rest.length === 0) {
      const { done, value } = await reader.read()
      if (done) return false
      if (!(value instanceof Uint8Array)) throw new SealError(failure)
      rest = value
    }
    return true
  }

  return {
    take: async length => {
      const taken = new Uint8Array(length)
      for (let at = 0; at < length;) {
        if (!(await more())) throw new SealError(failure)
        const piece = rest.subarray(0, length - at)
        taken.set(piece, at)
        rest = rest.subarray(piece.length)
        at += piece.length
      }
      return taken
    },
    end: async () => {
      if (await more()) throw new SealError(failure)
    },
    cancel: reason => reader.cancel(reason).catch(() => undefined),
  }
}
