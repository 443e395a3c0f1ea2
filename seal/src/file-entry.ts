import { appKey, type AppKeys } from './app-keys.ts'
import { openBox, sealBox } from './box.ts'
import { concat, field, u32, u64, utf8Bytes, type Bytes } from './bytes.ts'
import { deriveSealing } from './derive.ts'
import { SealError } from './error.ts'
import { fileName } from './file-name.ts'

/** What a file's entry tells: `size` its own bytes, `sealedAt` the writer's word on when, in epoch ms. */
export interface FileEntry {
  readonly path: string
  readonly contentType: string | null
  readonly size: number
  readonly sealedAt: number
}

const LABEL = 'deputy/file/v1/entry'
const PADDED = 64
const NAME_LENGTH = 43
const PATH_BYTES = 1_024
const TYPE_BYTES = 1_020

/**
 * Seals a file's entry under the app's newest keys, its length rounded up to 64 bytes.
 * @throws {SealError} `invalid-entry`
 */
export async function sealEntry(keys: AppKeys, entry: FileEntry): Promise<string> {
  return (await sealNamedEntry(keys, entry)).meta
}

/** As `sealEntry`, with the name that the entry is bound to. @throws {SealError} `invalid-entry` */
export async function sealNamedEntry(keys: AppKeys, entry: FileEntry): Promise<{ readonly name: string; readonly meta: string }> {
  const [key, name] = await Promise.all([entryKey(keys, keys.epoch), fileName(keys, entry.path)])
  return { name, meta: await sealBox(key, bindingOf(keys, keys.epoch)(name), plaintextOf(entry)) }
}

/** A stored entry: the name of its file, the key epoch it was sealed at, and what was sealed. */
export interface StoredEntry {
  readonly name: string
  readonly epoch: number
  readonly meta: string
}

/**
 * Opens the entry of the file of this name.
 * @throws {SealError} `stale-epoch` when it was sealed under later keys than these; `integrity` when it is not this file's
 */
export async function openEntry(keys: AppKeys, stored: StoredEntry): Promise<FileEntry> {
  const [entry] = await openEntries(keys, [stored])
  return entry as FileEntry
}

/** Opens the entries of many files, in their order: what they share is made once. @throws {SealError} as `openEntry`, for any of them */
export async function openEntries(keys: AppKeys, stored: readonly StoredEntry[]): Promise<FileEntry[]> {
  const epochs = [...new Set(stored.map(({ epoch }) => epoch))]
  const openers = new Map(await Promise.all(epochs.map(async epoch => [epoch, await entryOpener(keys, epoch)] as const)))
  return Promise.all(stored.map(entry => (openers.get(entry.epoch) as EntryOpener)(entry)))
}

type EntryOpener = (stored: StoredEntry) => Promise<FileEntry>

async function entryOpener(keys: AppKeys, epoch: number): Promise<EntryOpener> {
  const key = await entryKey(keys, epoch)
  const bind = bindingOf(keys, epoch)
  return async ({ name, meta }) => {
    // One memory serves all bindings: WebCrypto takes its copy when it is called.
    const plaintext = await openBox(key, bind(name), meta)
    try {
      return entryOf(plaintext)
    } catch {
      throw new SealError('integrity')
    }
  }
}

const utf8 = new TextEncoder()
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const derived = new WeakMap<CryptoKey, Promise<CryptoKey>>()

// Derived once per key, not once per entry: a list has thousands.
function entryKey(keys: AppKeys, epoch: number): Promise<CryptoKey> {
  const from = appKey(keys, epoch)
  const known = derived.get(from) ?? deriveSealing(from, '', LABEL)
  derived.set(from, known)
  return known
}

/** What the entries of one epoch are bound to, by name: use it before the next is asked for. */
function bindingOf({ account, app }: AppKeys, epoch: number): (name: string) => Bytes {
  const [head, tail] = [concat(utf8Bytes(LABEL), field(account), field(app)), u32(epoch)]
  const usual = concat(head, field('-'.repeat(NAME_LENGTH)), tail)
  const place = usual.subarray(head.length + 2, usual.length - tail.length)
  return name => {
    const { read, written } = utf8.encodeInto(name, place)
    return read === name.length && written === place.length ? usual : concat(head, field(name), tail)
  }
}

function plaintextOf({ path, contentType, size, sealedAt }: FileEntry): Bytes {
  const [pathBytes, typeBytes] = [utf8Bytes(path), utf8Bytes(contentType ?? '')]
  const taken =
    pathBytes.length > 0 &&
    pathBytes.length <= PATH_BYTES &&
    typeBytes.length <= TYPE_BYTES &&
    path.isWellFormed() &&
    (contentType ?? '').isWellFormed() &&
    [size, sealedAt].every(number => Number.isSafeInteger(number) && number >= 0)
  if (!taken) throw new SealError('invalid-entry')
  const told = concat(u64(size), u64(sealedAt), field(path), Uint8Array.of(contentType === null ? 0 : 1), field(contentType ?? ''))
  const padded = new Uint8Array(Math.ceil(told.length / PADDED) * PADDED)
  padded.set(told)
  return padded
}

function entryOf(bytes: Bytes): FileEntry {
  const view = new DataView(bytes.buffer)
  const pathEnd = 18 + view.getUint16(16)
  const typeEnd = pathEnd + 3 + view.getUint16(pathEnd + 1)
  const [size, sealedAt] = [Number(view.getBigUint64(0)), Number(view.getBigUint64(8))]
  if (typeEnd > bytes.length || !Number.isSafeInteger(size) || !Number.isSafeInteger(sealedAt)) throw new SealError('integrity')
  const contentType = view.getUint8(pathEnd) === 0 ? null : strict.decode(bytes.subarray(pathEnd + 3, typeEnd))
  return { path: strict.decode(bytes.subarray(18, pathEnd)), contentType, size, sealedAt }
}
