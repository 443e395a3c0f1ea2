import type { AppKeys } from './app-keys.ts'
import { randomBytes, type Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { fileContext, makeHeader, sealedFileLength, type FileHeader, type FilePlace } from './file-header.ts'
import { RECORD_BYTES, recordCount, recordLength } from './layout.ts'
import { PREFIX_BYTES, sealRecord } from './record-cipher.ts'
import { sealedParts, type SealedPart } from './record-sealer.ts'

/** The file to seal, under the app's newest keys. */
export interface FileToSeal {
  readonly keys: AppKeys
  readonly path: string
  readonly contentType: string | null
  readonly size: number
  /** Epoch ms. */
  readonly sealedAt: number
}

/** Seals one file once: either `all` or `parts`, and a write that starts over needs a new sealer. */
export interface FileSealer {
  readonly size: number
  readonly epoch: number
  readonly sealedLength: number
  /**
   * The whole file sealed in memory: in `into`, where that is given, of `sealedLength` bytes.
   * @throws {SealError} `short-stream` unless there are `size` bytes; `sealed-twice`
   */
  all(plaintext: Uint8Array, into?: Bytes): Promise<Bytes>
  /**
   * The sealed file in parts of `partBytes`, the last the rest, no faster than they are taken. Leaving the iteration early cancels
   * the source.
   * @throws {SealError} `short-stream` before the last part when the source delivers less or more than `size`; `sealed-twice`
   */
  parts(
    source: Blob | ReadableStream<Uint8Array>,
    options: { readonly partBytes: number; readonly signal?: AbortSignal },
  ): AsyncGenerator<SealedPart, void, void>
}

/**
 * Makes the sealer of one file.
 * @throws {SealError} `invalid-size`, `invalid-entry`
 */
export async function sealFile(file: FileToSeal): Promise<FileSealer> {
  return await sealFileWith(file, makeHeader(file.keys.epoch, file.sealedAt), randomBytes(PREFIX_BYTES))
}

/** As `sealFile`, under a given header and nonce prefix: for test vectors only, since they must never serve twice. */
export async function sealFileWith(place: FilePlace, header: FileHeader, prefix: Uint8Array): Promise<FileSealer> {
  const { size } = place
  const length = sealedFileLength(size)
  const context = await fileContext(place, header)
  let begun = false
  const begin = (): void => {
    if (begun) throw new SealError('sealed-twice')
    begun = true
  }
  return {
    size,
    epoch: header.epoch,
    sealedLength: length,
    all: async (plaintext, into = new Uint8Array(length)) => {
      if (plaintext.length !== size) throw new SealError('short-stream')
      begin()
      into.set(header.bytes)
      let at = header.bytes.length
      for (let index = 0; index < recordCount(size); index++) {
        const from = index * RECORD_BYTES
        const piece = plaintext.subarray(from, from + recordLength(size, index))
        const { nonce, body } = await sealRecord(context, prefix, index, piece as Bytes)
        into.set(nonce, at)
        into.set(body, at + nonce.length)
        at += nonce.length + body.length
      }
      return into
    },
    parts: (source, { partBytes, signal }) => {
      begin()
      const seal = (index: number, plaintext: Bytes): ReturnType<typeof sealRecord> => sealRecord(context, prefix, index, plaintext)
      return sealedParts({ source, size, header: header.bytes, length, partBytes, seal, signal })
    },
  }
}
