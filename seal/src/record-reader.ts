import type { Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { inOrder } from './in-order.ts'
import { RECORD_BYTES, recordCount, recordRange, SEALED_RECORD_BYTES } from './layout.ts'
import { openRecord, PREFIX_BYTES, type RecordContext } from './record-cipher.ts'
import { sealedRecords, type FetchRange } from './sealed-records.ts'

/** Sealed records that opened under their key. */
export interface RecordHandle {
  /** Plaintext bytes. */
  readonly size: number
  /**
   * Plaintext bytes `start` to `end` (exclusive). Only the records they lie in are fetched, a few ahead of the consumer, and each
   * is opened before its bytes are handed over; the stream errors with `integrity` at the first that does not open, or with what
   * the fetch failed with. Cancelling it aborts the fetch. Each chunk has a buffer of its own.
   * @throws {SealError} `invalid-range` unless 0 <= start <= end <= size
   */
  read(start: number, end: number): ReadableStream<Bytes>
}

// Records under way at once: one arrives while one is opened.
const LANES = 2

/**
 * Opens records by the last of them, which proves key, binding and length together.
 * @throws {SealError} `integrity`
 */
export async function openRecords(context: RecordContext, fetchRange: FetchRange, signal: AbortSignal | undefined): Promise<RecordHandle> {
  const { size } = context
  const lastIndex = recordCount(size) - 1
  const lastSealed = await fetchOne(fetchRange, size, lastIndex, signal)
  const last = await openRecord(context, undefined, lastIndex, lastSealed)
  const prefix = lastSealed.slice(0, PREFIX_BYTES)

  return {
    size,
    read: (start, end) => {
      const range = recordRange(size, start, end)
      const abort = new AbortController()
      // The last record is kept open since it was needed to get here: a small object is fetched once.
      const endsWithLast = range.end > lastIndex
      const stored = sealedRecords(fetchRange, size, range.first, endsWithLast ? lastIndex : range.end, abort.signal)
      const next = inOrder(LANES, stored.read, async record => {
        const plaintext = await openRecord(context, prefix, record.index, record.record)
        stored.giveBack(record)
        return plaintext
      })
      let index = range.first

      const stop = (): void => {
        abort.abort()
        stored.cancel()
      }
      return new ReadableStream<Bytes>(
        {
          start: controller => {
            if (index === range.end) controller.close()
          },
          pull: async controller => {
            try {
              const plaintext = index === lastIndex ? last.slice() : await next()
              if (plaintext === undefined) throw new SealError('integrity')
              controller.enqueue(cut(plaintext, index * RECORD_BYTES, start, end))
              if (++index === range.end) controller.close()
            } catch (error) {
              stop()
              throw error
            }
          },
          cancel: stop,
        },
        { highWaterMark: 0 },
      )
    },
  }
}

/** The plaintext of records that are all in memory. @throws {SealError} `integrity` */
export async function openAllRecords(context: RecordContext, sealed: Bytes): Promise<Bytes> {
  const { size } = context
  const count = recordCount(size)
  const recordAt = (index: number): Bytes => sealed.subarray(index * SEALED_RECORD_BYTES, (index + 1) * SEALED_RECORD_BYTES)
  const prefix = recordAt(count - 1).subarray(0, PREFIX_BYTES)
  const open = (index: number): Promise<Bytes> => openRecord(context, prefix, index, recordAt(index))
  if (count === 1) return open(0)
  const whole = new Uint8Array(size)
  const next = inOrder(LANES, counting(count), open)
  for (let index = 0; index < count; index += 1) whole.set((await next()) as Bytes, index * RECORD_BYTES)
  return whole
}

function counting(count: number): () => Promise<number | undefined> {
  let next = 0
  return async () => (next < count ? next++ : undefined)
}

async function fetchOne(fetchRange: FetchRange, size: number, index: number, signal: AbortSignal | undefined): Promise<Bytes> {
  const opening = signal ?? new AbortController().signal
  opening.throwIfAborted()
  const stored = sealedRecords(fetchRange, size, index, index + 1, opening)
  const found = await stored.read().finally(() => stored.cancel())
  if (found === undefined) throw new SealError('integrity')
  return found.record
}

// The part of a record, whose plaintext begins at `at`, that lies in the range, in a buffer of exactly its length.
function cut(plaintext: Bytes, at: number, start: number, end: number): Bytes {
  const from = Math.max(0, start - at)
  const to = Math.min(plaintext.length, end - at)
  return from === 0 && to === plaintext.length ? plaintext : plaintext.slice(from, to)
}
