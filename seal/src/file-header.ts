import { appKey, type AppKeys } from './app-keys.ts'
import { concat, field, randomBytes, u32, u64, utf8Bytes, type Bytes } from './bytes.ts'
import { deriveSealing } from './derive.ts'
import { SealError } from './error.ts'
import { plainLength, sealedLength } from './layout.ts'
import type { RecordContext } from './record-cipher.ts'

/** Bytes before a file's records: version, key epoch, time and salt. */
export const FILE_HEADER_BYTES = 29
const VERSION = 1
const SALT = 16

/**
 * Sealed bytes of a file of `size` bytes: its header and 28 more per record.
 * @throws {SealError} `invalid-size`
 */
export function sealedFileLength(size: number): number {
  return FILE_HEADER_BYTES + sealedLength(size)
}

/**
 * The file's own bytes in `sealed` sealed ones; the inverse of `sealedFileLength`.
 * @throws {SealError} `integrity` for a length no file has
 */
export function plainFileLength(sealed: number): number {
  return plainLength(sealed - FILE_HEADER_BYTES)
}

/** What stands before a file's records. */
export interface FileHeader {
  readonly bytes: Bytes
  readonly epoch: number
  readonly sealedAt: number
  readonly salt: Bytes
}

/** The header of a new file. @throws {SealError} `invalid-entry` for a time that is none */
export function makeHeader(epoch: number, sealedAt: number, salt = randomBytes(SALT)): FileHeader {
  if (!Number.isSafeInteger(sealedAt) || sealedAt < 0) throw new SealError('invalid-entry')
  return { bytes: concat(Uint8Array.of(VERSION), u32(epoch), u64(sealedAt), salt), epoch, sealedAt, salt }
}

/** Reads a stored header; nothing in it is true before a record has opened. @throws {SealError} `integrity` */
export function readHeader(bytes: Bytes): FileHeader {
  if (bytes.length !== FILE_HEADER_BYTES || bytes[0] !== VERSION) throw new SealError('integrity')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const sealedAt = Number(view.getBigUint64(5))
  if (!Number.isSafeInteger(sealedAt)) throw new SealError('integrity')
  return { bytes, epoch: view.getUint32(1), sealedAt, salt: bytes.slice(13) }
}

/** A file's place: what its records are bound to besides the header. */
export interface FilePlace {
  readonly keys: AppKeys
  readonly path: string
  readonly contentType: string | null
  readonly size: number
}

/**
 * Derives what the records of one file share.
 * @throws {SealError} `stale-epoch`, `integrity`, see `appKey`
 */
export async function fileContext({ keys, path, contentType, size }: FilePlace, header: FileHeader): Promise<RecordContext> {
  const type = contentType === null ? Uint8Array.of(0) : concat(Uint8Array.of(1), utf8Bytes(contentType))
  const [key, pathHash, typeHash] = await Promise.all([
    deriveSealing(appKey(keys, header.epoch), header.salt, 'deputy/file/v1'),
    sha256(utf8Bytes(path)),
    sha256(type),
  ])
  const binding = concat(utf8Bytes('deputy/file/v1'), field(keys.account), field(keys.app), pathHash, typeHash, header.bytes)
  return { key, binding, size }
}

async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}
