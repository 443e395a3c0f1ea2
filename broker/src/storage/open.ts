import { RemoteError } from '@deputy/channel'
import type { Served } from '@deputy/contract/shape'
import type { StorageFail, storedHandle } from '@deputy/contract/storage'
import { openObject, recordRange, SealError } from '@deputy/seal'
import { aborted, refused } from './refused.ts'
import { failingStream } from '../transfer/failing-stream.ts'
import { SealedFetchError, sealedLengthAt, sealedSource } from '../transfer/sealed-range.ts'

type Members = typeof storedHandle extends { readonly members: infer M } ? M : never
/** An opened object as the broker serves it. */
export type Opened = Served<Members>

/** Opens a stored object by its last record; needs no account. */
export async function openStored(url: string, id: string, key: string, signal: AbortSignal | undefined): Promise<Opened | StorageFail> {
  try {
    const sealedLength = await sealedLengthAt(url, signal)
    const source = sealedSource(url)
    const { size, read } = await openObject({ key, id, sealedLength, fetchRange: source.fetchRange, ...(signal === undefined ? {} : { signal }) })
    const inside = (place: number): number => Math.min(size, Math.max(0, Math.floor(place)))
    // The last record was fetched to open the object, and is not fetched again.
    const lastAt = recordRange(size, Math.max(0, size - 1), size).sealedStart
    return {
      size,
      // As with Blob.slice, what lies outside is cut off, and an end before the start is nothing.
      read: (from, to) => {
        const [start, end] = [inside(from), Math.max(inside(from), inside(to))]
        const { sealedStart, sealedEnd } = recordRange(size, start, end)
        source.expect(sealedStart, Math.min(sealedEnd, lastAt))
        return failingStream(read(start, end), told)
      },
    }
  } catch (error) {
    return signal?.aborted ? aborted : refusalOf(error)
  }
}

const refusalOf = (error: unknown): StorageFail => {
  if (error instanceof SealError) return refused('integrity')
  return refused(error instanceof SealedFetchError && error.why === 'not-found' ? 'notFound' : 'unavailable')
}

/** A failure in the contract's words. */
const told = (error: unknown): RemoteError => {
  const { error: code, message } = refusalOf(error)
  return new RemoteError('StorageError', message, code)
}
