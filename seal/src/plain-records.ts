import { scratch, type Bytes } from './bytes.ts'
import { exactReader } from './exact-reader.ts'
import { recordCount, recordLength, RECORD_BYTES } from './layout.ts'

/** One record's worth of plaintext, in a borrowed buffer. */
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
  /** Takes the buffer of a record back that nothing reads any more. */
  giveBack(record: PlainRecord): void
  /** Lets go of the source. Safe to call at any time and again. */
  cancel(reason?: unknown): Promise<void>
}

/** Cuts a Blob or a stream of bytes that must deliver exactly `size` bytes into records. */
export function plainRecords(source: Blob | ReadableStream<Uint8Array>, size: number): PlainRecords {
  // A stream of the whole Blob: Chromium reads slices of it, one by one, at a fifth of the speed.
  const bytes = exactReader(source instanceof Blob ? source.stream() : source, 'short-stream')
  const buffers = scratch(Math.min(size, RECORD_BYTES))
  const count = recordCount(size)
  let next = 0
  return {
    read: async () => {
      if (next === count) return undefined
      const index = next++
      const plaintext = await bytes.take(buffers.borrow(recordLength(size, index)))
      if (next === count) await bytes.end()
      return { index, plaintext }
    },
    giveBack: ({ plaintext }) => buffers.giveBack(plaintext),
    cancel: bytes.cancel,
  }
}
