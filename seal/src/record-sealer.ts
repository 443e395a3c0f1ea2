import { scratch, type Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { inOrder } from './in-order.ts'
import { plainRecords } from './plain-records.ts'
import type { SealedRecord } from './record-cipher.ts'

/** Sealed bytes to upload together. Keep `bytes` until the part has landed, and retry with these same bytes. */
export interface SealedPart {
  /** Counted from 0. */
  readonly part: number
  readonly bytes: Bytes
  /** Call it once the part has landed and nothing reads `bytes` any more: a later part is written over them. Not calling it costs memory only. */
  release(): void
}

/** How a source is sealed in parts. */
export interface SealingInParts {
  readonly source: Blob | ReadableStream<Uint8Array>
  /** Plaintext bytes. */
  readonly size: number
  /** Sealed bytes that stand before the first record. */
  readonly header?: Bytes
  /** Sealed bytes of the whole, header and records. */
  readonly length: number
  /** Sealed bytes of every part but the last, wherever the records' borders lie. */
  readonly partBytes: number
  seal(index: number, plaintext: Bytes): Promise<SealedRecord>
  readonly signal: AbortSignal | undefined
}

// Records under way at once: one is read while one is sealed. More fill the processor's cache and gain nothing.
const LANES = 2

/** Seals a whole source in parts, in order, a few records at a time and no more than the consumer takes. */
export async function* sealedParts({ source, size, header, length, partBytes, seal, signal }: SealingInParts): AsyncGenerator<SealedPart, void, void> {
  signal?.throwIfAborted()
  if (!Number.isSafeInteger(partBytes) || partBytes < 1) throw new SealError('invalid-size')
  const plain = plainRecords(source, size)
  const cancel = (): void => void plain.cancel(signal?.reason)
  signal?.addEventListener('abort', cancel)
  try {
    const next = inOrder(LANES, plain.read, async record => {
      const sealed = await seal(record.index, record.plaintext)
      plain.giveBack(record)
      return sealed
    })
    // What is sealed and not yet in a part: a record's nonce and body, of which parts may end in the middle.
    let ready: Bytes[] = header === undefined ? [] : [header]
    const buffers = scratch(Math.min(partBytes, length))
    for (let part = 0, start = 0; start < length; part++, start += partBytes) {
      const bytes = buffers.borrow(Math.min(partBytes, length - start))
      for (let at = 0; at < bytes.length;) {
        const [piece, ...rest] = ready
        if (piece === undefined) {
          const record = await next()
          signal?.throwIfAborted()
          if (record === undefined) throw new SealError('short-stream')
          ready = [record.nonce, record.body]
          continue
        }
        const taken = piece.subarray(0, bytes.length - at)
        bytes.set(taken, at)
        at += taken.length
        if (taken.length < piece.length) ready = [piece.subarray(taken.length), ...rest]
        else {
          ready = rest
          // Freed at once, not when it is collected, so that a fast upload does not pile up memory.
          if (piece !== header) piece.buffer.transfer(0)
        }
      }
      yield { part, bytes, release: once(() => buffers.giveBack(bytes)) }
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', cancel)
    await plain.cancel()
  }
}

// A buffer given back twice would be written to by two parts at once.
function once(work: () => void): () => void {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
