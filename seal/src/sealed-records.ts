import { scratch, type Bytes } from './bytes.ts'
import { exactReader, type ExactReader } from './exact-reader.ts'
import { OVERHEAD, RECORD_BYTES, recordLength, sealedRange } from './layout.ts'

/** Fetches sealed bytes `start` to `end` (exclusive): a stream of exactly those bytes. Fails with its own reason; `signal` ends it. */
export type FetchRange = (start: number, end: number, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>

/** One record as it was stored, in a borrowed buffer. */
export interface StoredRecord {
  readonly index: number
  readonly record: Bytes
}

/** Stored records, one at a time, in order. */
export interface SealedRecords {
  /**
   * The next record, `undefined` after the last.
   * @throws {SealError} `integrity` when a fetch delivers less or more than was asked for; and whatever the fetch failed with
   */
  read(): Promise<StoredRecord | undefined>
  /** Takes the buffer of a record back that nothing reads any more. */
  giveBack(record: StoredRecord): void
  /** Lets go of what is being fetched. */
  cancel(): void
}

const RUN = 8

/**
 * Fetches records `first` up to but not including `end` in runs of 8, so that a reader that stalls holds no endless request; the
 * next run is asked for while the last record of the present one arrives.
 */
export function sealedRecords(fetchRange: FetchRange, size: number, first: number, end: number, signal: AbortSignal): SealedRecords {
  const buffers = scratch(Math.min(size, RECORD_BYTES) + OVERHEAD)
  let index = first
  let run: Promise<ExactReader> | undefined
  let following: Promise<ExactReader> | undefined

  const open = (from: number): Promise<ExactReader> => {
    const { sealedStart, sealedEnd } = sealedRange(size, from, Math.min(from + RUN, end))
    const opened = fetchRange(sealedStart, sealedEnd, signal).then(stream => exactReader(stream, 'integrity'))
    // The failure is told by the record that needs the run.
    opened.catch(() => undefined)
    return opened
  }

  return {
    read: async () => {
      if (index === end) return undefined
      run ??= following ?? open(index)
      following = undefined
      const lastOfRun = (index - first) % RUN === RUN - 1 || index === end - 1
      const body = await run
      if (lastOfRun && index + 1 < end) following = open(index + 1)
      const record = await body.take(buffers.borrow(recordLength(size, index) + OVERHEAD))
      if (lastOfRun) {
        await body.end()
        run = undefined
      }
      return { index: index++, record }
    },
    giveBack: ({ record }) => buffers.giveBack(record),
    cancel: () => {
      // Not waited for: a fetch that hangs must not hold up who lets go of it.
      for (const opened of [run, following]) opened?.then(body => body.cancel()).catch(() => undefined)
    },
  }
}
