import type { Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { exactReader } from './exact-reader.ts'
import { recordCount, recordLength, RECORD_BYTES } from './layout.ts'

/** One record's worth of plaintext, in a buffer of its own. */
export interface PlainRecord {
  readonly index: number
  readonly plaintext: Bytes
}

/** Plaintext to seal, one record at a time. */
export interface PlainRecords {
  /**
   * The next whole record, `undefined` after the last. The last record is answered only once the source is known to have
   * delivered exactly its size.
   * @throws {SealError} `short-stream`; and whatever the source itself failed with
   */
  read(): Promise<PlainRecord | undefined>
  /** Lets go of the source. Safe to call at any time and again. */
  cancel(reason?: unknown): Promise<void>
}

/** Cuts a Blob or a stream of bytes that must deliver exactly `size` bytes into records. */
export function plainRecords(source: Blob | ReadableStream<Uint8Array>, size: number): PlainRecords {
  return source instanceof Blob ? blobRecords(source, size) : streamRecords(source, size)
}

function blobRecords(blob: Blob, size: number): PlainRecords {
  const count = recordCount(size)
  let next = 0
  return {
    read: async () => {
      if (blob.size !== size) throw new SealError('short-stream')
      if (next === count) return undefined
      const index = next++
      const start = index * RECORD_BYTES
      const plaintext = new Uint8Array(await blob.slice(start, start + recordLength(size, index)).arrayBuffer())
      return { index, plaintext }
    },
    cancel: () => Promise.resolve(),
  }
}

function streamRecords(stream: ReadableStream<Uint8Array>, size: number): PlainRecords {
  const source = exactReader(stream, 'short-stream')
  const count = recordCount(size)
  let next = 0
  return {
    read: async () => {
      if (next === count) return undefined
      const index = next++
      const plaintext = await source.take(recordLength(size, index))
      if (next === count) await source.end()
      return { index, plaintext }
    },
    cancel: source.cancel,
  }
}
