import type { Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { exactReader } from './exact-reader.ts'
import { FILE_HEADER_BYTES, fileContext, plainFileLength, readHeader, type FilePlace } from './file-header.ts'
import { openAllRecords, openRecords, type RecordHandle } from './record-reader.ts'
import type { FetchRange } from './sealed-records.ts'

/** The stored file to open: what its entry told, the epoch and the length of what is stored, and how to fetch from it. */
export interface FileToOpen extends FilePlace {
  readonly epoch: number
  /** The time its entry told, in epoch ms: content of another sealing than the entry's is refused. Any, where absent. */
  readonly sealedAt?: number
  /** Bytes stored, where known. */
  readonly sealedLength?: number
  readonly fetchRange: FetchRange
  /** Ends the opening, not the reads of the handle. */
  readonly signal?: AbortSignal
}

/** A file that opened under its key. */
export interface FileHandle extends RecordHandle {
  /** The writer's word on when it was sealed, in epoch ms; authenticated. */
  readonly sealedAt: number
  /** The whole file in memory. @throws {SealError} `integrity`; and whatever the fetch failed with */
  all(): Promise<Bytes>
}

/** A stored file in memory, whole. */
export interface FileBytesToOpen extends Omit<FileToOpen, 'fetchRange' | 'sealedLength' | 'signal'> {
  readonly sealed: Bytes
}

/** A file's own bytes, and the writer's word on when it was sealed, in epoch ms. */
export interface FileBytes {
  readonly bytes: Bytes
  readonly sealedAt: number
}

/**
 * Opens all of a file that is in memory: what `openFile` proves, at once.
 * @throws {SealError} as `openFile`
 */
export async function openFileBytes(file: FileBytesToOpen): Promise<FileBytes> {
  const { sealed, size, epoch, sealedAt } = file
  if (plainFileLength(sealed.length) !== size) throw new SealError('integrity')
  const header = readHeader(sealed.subarray(0, FILE_HEADER_BYTES))
  if (header.epoch !== epoch || (sealedAt !== undefined && header.sealedAt !== sealedAt)) throw new SealError('integrity')
  return { bytes: await openAllRecords(await fileContext(file, header), sealed.subarray(FILE_HEADER_BYTES)), sealedAt: header.sealedAt }
}

/**
 * Opens a file by its header and last record, which prove account, app, path, type, size, epoch and time together.
 * @throws {SealError} `stale-epoch` when it was sealed under later keys than these; `integrity` when it is not this file
 */
export async function openFile(file: FileToOpen): Promise<FileHandle> {
  const { size, epoch, sealedAt, sealedLength, fetchRange, signal } = file
  if (sealedLength !== undefined && plainFileLength(sealedLength) !== size) throw new SealError('integrity')
  const opening = signal ?? new AbortController().signal
  opening.throwIfAborted()
  const header = readHeader(await fetchHeader(fetchRange, opening))
  if (header.epoch !== epoch || (sealedAt !== undefined && header.sealedAt !== sealedAt)) throw new SealError('integrity')
  const afterHeader: FetchRange = (start, end, ending) => fetchRange(start + FILE_HEADER_BYTES, end + FILE_HEADER_BYTES, ending)
  const handle = await openRecords(await fileContext(file, header), afterHeader, signal)
  return { ...handle, sealedAt: header.sealedAt, all: () => collect(handle) }
}

async function fetchHeader(fetchRange: FetchRange, signal: AbortSignal): Promise<Bytes> {
  const reader = exactReader(await fetchRange(0, FILE_HEADER_BYTES, signal), 'integrity')
  try {
    const header = await reader.take(new Uint8Array(FILE_HEADER_BYTES))
    await reader.end()
    return header
  } finally {
    await reader.cancel()
  }
}

async function collect({ size, read }: RecordHandle): Promise<Bytes> {
  const whole = new Uint8Array(size)
  let at = 0
  for await (const chunk of read(0, size)) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
