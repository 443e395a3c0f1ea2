import { plainLength } from './layout.ts'
import { objectContext } from './object-context.ts'
import { openRecords, type RecordHandle } from './record-reader.ts'
import type { FetchRange } from './sealed-records.ts'

/** The stored object to open: 43 characters of key, its uuid, the length of what is stored and how to fetch from it. */
export interface ObjectToOpen {
  readonly key: string
  readonly id: string
  readonly sealedLength: number
  readonly fetchRange: FetchRange
  /** Ends the opening, not the reads of the handle. */
  readonly signal?: AbortSignal
}

/** An object that opened under its key. */
export type ObjectHandle = RecordHandle

/**
 * Opens an object by its last record, which proves key, id and length together.
 * @throws {SealError} `invalid-key`, `invalid-id`; `integrity` when the object is not what key, id and length say
 */
export async function openObject({ key, id, sealedLength, fetchRange, signal }: ObjectToOpen): Promise<ObjectHandle> {
  return openRecords(await objectContext(key, id, plainLength(sealedLength), 'decrypt'), fetchRange, signal)
}
