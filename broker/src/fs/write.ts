import { abortFile, beginFile, commitFile, findFile, SMALL_FILE_BYTES } from '@deputy/contract/api-files'
import { sealedFileLength, sealNamedEntry, sealFile } from '@deputy/seal'
import { wait } from '../api/api.ts'
import { notedStream } from '../transfer/failing-stream.ts'
import { spareMemory } from '../transfer/spare-memory.ts'
import { streamOf } from '../transfer/stream-of.ts'
import type { Uploader } from '../transfer/uploader.ts'
import type { KeyedActor } from './acting.ts'
import type { FileKeys } from './file-keys.ts'
import { isRefusal, refusal, refusalOf } from './refused.ts'
import type { Versions } from './versions.ts'
import { putFile, Unsure, type Base, type Written } from './wire.ts'

/** A file to write, already known to be one. */
export interface FileToWrite {
  readonly path: string
  readonly bytes: Uint8Array<ArrayBuffer> | Streamed
  readonly contentType: string | null
  readonly base: Base
  /** When its bytes were written, where that was before: epoch ms. */
  readonly sealedAt?: number
}

/** Bytes that are read as they are sealed; each call of `stream` begins again. */
export interface Streamed {
  readonly length: number
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>
}

/** What a write answers, and what was sealed with it. */
export interface Sealing extends Written {
  readonly epoch: number
  readonly sealedAt: number
}

/** What writing stands on. */
export interface WriteNeeds {
  readonly keys: FileKeys
  readonly versions: Versions
  readonly uploader: Uploader
  readonly now: () => number
}

/** Files up to here are sealed in fresh memory, which for little is as quick. */
const littleBytes = 2 ** 17
const sealedMemory = spareMemory(2 ** 21, 8)

/**
 * Seals and stores a file, all or nothing, durable once answered. Keys replaced meanwhile are taken up once, where this partition
 * has the new ones already.
 * @throws {RemoteError} `conflict` when the base is another, `stale-epoch`, `quota`, …
 */
export async function writeFile(actor: KeyedActor, file: FileToWrite, needs: WriteNeeds): Promise<Sealing> {
  try {
    return await writeOnce(actor, file, needs)
  } catch (error) {
    const keys = isRefusal(error, 'staleEpoch') ? await needs.keys.of(actor.account, actor.keys.epoch) : null
    if (keys === null) throw error
    return await writeOnce({ ...actor, keys }, file, needs)
  }
}

async function writeOnce(actor: KeyedActor, file: FileToWrite, { versions, uploader, now }: WriteNeeds): Promise<Sealing> {
  const { keys } = actor
  const { path, bytes, contentType, base, sealedAt = now() } = file
  const entry = { path, contentType, size: bytes.length, sealedAt }
  const isSmall = bytes instanceof Uint8Array && sealedFileLength(bytes.length) <= SMALL_FILE_BYTES
  const borrowed = isSmall && bytes.length > littleBytes ? sealedMemory.borrow(sealedFileLength(bytes.length)) : undefined
  const small = isSmall ? sealFile({ keys, ...entry }).then(sealer => sealer.all(bytes, borrowed)) : null
  try {
    const [named, content] = await Promise.all([sealNamedEntry(keys, entry), small])
    const sealed = { ...named, epoch: keys.epoch, base }
    const written = await (content === null ? putLarge(actor, sealed, { file: { keys, ...entry }, bytes }, uploader) : putSmall(actor, sealed, content))
    await versions.note(actor.account, [{ ...named, version: written.version }])
    return { ...written, epoch: keys.epoch, sealedAt }
  } catch (error) {
    throw refusalOf(error)
  } finally {
    // A request takes its copy of the bytes when it is made, and none is made any more; only sealing may still go on.
    if (borrowed !== undefined) void Promise.allSettled([small]).then(() => sealedMemory.giveBack(borrowed))
  }
}

interface Sealed {
  readonly name: string
  readonly meta: string
  readonly epoch: number
  readonly base: Base
}

async function putSmall(actor: KeyedActor, sealed: Sealed, bytes: Uint8Array<ArrayBuffer>): Promise<Written> {
  try {
    return await putFile(actor, { ...sealed, bytes })
  } catch (error) {
    if (!(error instanceof Unsure)) throw error
    // The put whose answer was lost may be what the base is now: its sealed entry is like no other.
    const { file } = await actor.call(findFile, { name: sealed.name })
    if (file?.meta !== sealed.meta) throw error.refusal
    return { version: file.version, updatedAt: file.updatedAt, changed: file.changed }
  }
}

interface Large {
  readonly file: Parameters<typeof sealFile>[0]
  readonly bytes: FileToWrite['bytes']
}

const failures = { 'short-stream': 'unavailable', gone: 'unavailable', unavailable: 'unavailable' } as const

async function putLarge(actor: KeyedActor, { name, meta, epoch, base }: Sealed, { file, bytes }: Large, uploader: Uploader): Promise<Written> {
  const { upload, partBytes } = await actor.call(beginFile, { size: sealedFileLength(file.size), epoch })
  try {
    const order = { parts: `${actor.api}/v1/files/uploads/${upload}`, size: file.size, content: { kind: 'file', file, partBytes } } as const
    const { signal } = new AbortController()
    let fault: Error | undefined
    const note = (error: Error): void => {
      fault = error
    }
    const source = bytes instanceof Uint8Array ? streamOf(bytes) : notedStream(bytes.stream(), note)
    const failure = await uploader(order, { source, token: actor.token, onProgress: () => {}, signal })
    if (fault !== undefined) throw fault
    if (failure !== null) throw refusal(failure === 'unauthorized' ? actor.over : failures[failure])
    const there = base === 'any' ? {} : { base: base === 'none' ? null : base }
    return await actor.call(commitFile, { upload, name, meta, epoch, ...there }, { deadline: 60_000, repeatable: true })
  } catch (error) {
    // What never became a file takes room until it is given up or out of time.
    await Promise.race([actor.call(abortFile, { upload }, { repeatable: true, keepalive: true }).catch(() => undefined), wait(3000)])
    throw error
  }
}
