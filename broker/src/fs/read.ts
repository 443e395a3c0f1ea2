import { fileContentPath, fileHeaders, findFile, SMALL_FILE_BYTES } from '@deputy/contract/api-files'
import { fileName, openFile, openFileBytes, recordRange, sealedFileLength, type FileBytes, type FileHandle } from '@deputy/seal'
import { SealedFetchError, sealedSource } from '../transfer/sealed-range.ts'
import type { KeyedActor } from './acting.ts'
import type { Entries, FileRow, OpenedRow } from './entries.ts'
import { refusal, refusalOf } from './refused.ts'
import type { Versions } from './versions.ts'
import { getFile } from './wire.ts'

/** What reading stands on. */
export interface ReadNeeds {
  readonly entries: Entries
  readonly versions: Versions
}

const headerBytes = sealedFileLength(0) - 28
const tries = 3

/** The row of a path with its entry, or null where there is no file. @throws {RemoteError} */
export async function findRow(actor: KeyedActor, path: string, { entries, versions }: ReadNeeds): Promise<OpenedRow | null> {
  const name = await fileName(actor.keys, path)
  const floor = await versions.of(actor.account, name)
  const { file } = await actor.call(findFile, { name })
  if (file === null) return null
  if (file.name !== name) throw refusal('integrity')
  const unknown = floor.accept(file)
  const [opened] = await entries.open(actor, [file])
  if (opened === undefined || opened.entry.path !== path) throw refusal('integrity')
  if (unknown) await versions.note(actor.account, [file])
  return opened
}

/** The whole file. @throws {RemoteError} */
export async function readWhole(actor: KeyedActor, path: string, needs: ReadNeeds): Promise<FileBytes> {
  const name = await fileName(actor.keys, path)
  return again(async () => {
    const floor = await needs.versions.of(actor.account, name)
    const { length, bytes, cancel, ...told } = await getFile(actor, name, 0, SMALL_FILE_BYTES)
    try {
      const row: FileRow = { name, ...told, size: length, changed: told.version }
      const unknown = floor.accept(row)
      const [opened] = await needs.entries.open(actor, [row])
      if (opened === undefined || opened.entry.path !== path) throw refusal('integrity')
      const file = await (length <= SMALL_FILE_BYTES ? openSmall(actor, opened, bytes) : wholeOf(await openLarge(actor, opened, [0, opened.entry.size])))
      if (unknown) await needs.versions.note(actor.account, [row])
      return file
    } finally {
      cancel()
    }
  })
}

/** Bytes `start` to `end` (exclusive), cut off where the file ends. @throws {RemoteError} */
export async function readPart(actor: KeyedActor, path: string, start: number, end: number, needs: ReadNeeds): Promise<Uint8Array<ArrayBuffer>> {
  return again(async () => {
    const opened = await findRow(actor, path, needs)
    if (opened === null) throw refusal('notFound')
    const { size } = opened.entry
    const from = Math.min(start, size)
    const to = Math.max(from, Math.min(end, size))
    const handle = await openLarge(actor, opened, [from, to])
    const bytes = new Uint8Array(to - from)
    let at = 0
    for await (const chunk of handle.read(from, to)) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    return bytes
  })
}

/** A file to be read as it comes, little of it held at a time. @throws {RemoteError} `conflict` when the row is no longer the file's */
export async function openStream(actor: KeyedActor, opened: OpenedRow, { versions }: ReadNeeds): Promise<FileHandle> {
  const floor = await versions.of(actor.account, opened.row.name)
  floor.accept(opened.row)
  try {
    return await openLarge(actor, opened, [0, opened.entry.size])
  } catch (error) {
    throw error instanceof Replaced ? refusal('changed') : failureOf(error)
  }
}

/** Thrown when the file was replaced between two requests for its bytes. */
class Replaced extends Error {}

async function again<T>(read: () => Promise<T>): Promise<T> {
  for (let left = tries; ;) {
    try {
      return await read()
    } catch (error) {
      left -= 1
      if (!(error instanceof Replaced)) throw failureOf(error)
      if (left === 0) throw refusal('unavailable')
    }
  }
}

const failureOf = (error: unknown): Error =>
  error instanceof SealedFetchError ? refusal(error.why === 'not-found' ? 'notFound' : 'unavailable') : refusalOf(error)

async function openSmall({ keys }: KeyedActor, { row, entry }: OpenedRow, bytes: () => Promise<Uint8Array<ArrayBuffer>>): Promise<FileBytes> {
  const sealed = await bytes().catch(() => {
    throw refusal('unavailable')
  })
  return openFileBytes({ keys, ...entry, epoch: row.epoch, sealed })
}

const wholeOf = async ({ sealedAt, all }: FileHandle): Promise<FileBytes> => ({ bytes: await all(), sealedAt })

// The ranges of one read come out of one response; each request names the version, so that no two versions are mixed.
async function openLarge(actor: KeyedActor, { row, entry }: OpenedRow, [start, end]: readonly [number, number]): Promise<FileHandle> {
  let replaced = false
  const source = sealedSource(actor.api + fileContentPath, async (url, options) => {
    const token = await actor.token()
    if (token === null) throw refusal(actor.over)
    const headers = { ...options.headers, authorization: `Bearer ${token}`, [fileHeaders.name]: row.name, 'if-match': `"${row.version}"` }
    const answer = await fetch(url, { ...options, headers })
    replaced ||= answer.status === 412
    return answer
  })
  const telling = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw replaced ? new Replaced() : error
    }
  }
  const { sealedStart, sealedEnd } = recordRange(entry.size, start, end)
  const handle = await telling(openFile({ keys: actor.keys, ...entry, epoch: row.epoch, sealedLength: row.size, fetchRange: source.fetchRange }))
  // The last record was fetched to open the file, and is not fetched again.
  const lastAt = recordRange(entry.size, Math.max(0, entry.size - 1), entry.size).sealedStart
  source.expect(headerBytes + sealedStart, headerBytes + Math.min(sealedEnd, lastAt))
  return { ...handle, all: () => telling(handle.all()) }
}
