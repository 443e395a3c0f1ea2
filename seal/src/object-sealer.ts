import { concat, type Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { recordCount, recordLength, recordsPerPart, SEALED_RECORD_BYTES, sealedLength } from './layout.ts'
import { objectContext } from './object-context.ts'
import { PREFIX_BYTES, sealRecord, type SealedRecord } from './record-cipher.ts'
import { sealedParts, type SealedPart } from './record-sealer.ts'

/** The object to seal: 43 characters of key, the uuid it will be served under, its plaintext bytes. */
export interface ObjectToSeal {
  readonly key: string
  readonly id: string
  readonly size: number
}

export interface PartsOptions {
  /** Records in every part but the last; `recordsPerPart(size)` when absent. */
  readonly recordsPerPart?: number
  /** Ends the sealing with the signal's reason and cancels the source. */
  readonly signal?: AbortSignal
}

/** Seals one object once. A put that starts over needs a new sealer under a new id. */
export interface ObjectSealer {
  readonly size: number
  readonly records: number
  readonly sealedLength: number
  /**
   * Seals record `index`, in any order, each index once.
   * @throws {SealError} `sealed-twice`; `invalid-record` for an index or a length the object does not have
   */
  seal(index: number, plaintext: Bytes): Promise<Bytes>
  /**
   * Seals a whole source in parts, in order, a few records at a time and no more than the consumer takes. Leaving the iteration
   * early cancels the source.
   * @throws {SealError} `short-stream` before the last part when the source delivers less or more than `size`; and whatever the
   * source itself failed with
   */
  parts(source: Blob | ReadableStream<Uint8Array>, options?: PartsOptions): AsyncGenerator<SealedPart, void, void>
}

/**
 * Makes the sealer of one object.
 * @throws {SealError} `invalid-key`, `invalid-id`, `invalid-size`
 */
export function sealObject(object: ObjectToSeal): Promise<ObjectSealer> {
  return sealObjectWith(object, crypto.getRandomValues(new Uint8Array(PREFIX_BYTES)))
}

/** As `sealObject`, under a given nonce prefix: for test vectors only, since a prefix must never serve twice. */
export async function sealObjectWith({ key, id, size }: ObjectToSeal, prefix: Uint8Array): Promise<ObjectSealer> {
  const records = recordCount(size)
  const context = await objectContext(key, id, size, 'encrypt')
  const claim = eachOnce()

  const sealPieces = async (index: number, plaintext: Bytes): Promise<SealedRecord> => {
    if (!Number.isInteger(index) || index < 0 || index >= records || plaintext.length !== recordLength(size, index)) throw new SealError('invalid-record')
    claim(index)
    return await sealRecord(context, prefix, index, plaintext)
  }

  return {
    size,
    records,
    sealedLength: sealedLength(size),
    seal: async (index, plaintext) => {
      const { nonce, body } = await sealPieces(index, plaintext)
      return concat(nonce, body)
    },
    parts: (source, { recordsPerPart: perPart = recordsPerPart(size), signal } = {}) =>
      sealedParts({ source, size, length: sealedLength(size), partBytes: perPart * SEALED_RECORD_BYTES, seal: sealPieces, signal }),
  }
}

// Each index passes once. What lies below `low` has passed, so sealing in order remembers nothing more.
function eachOnce(): (index: number) => void {
  const passed = new Set<number>()
  let low = 0
  return index => {
    if (index < low || passed.has(index)) throw new SealError('sealed-twice')
    passed.add(index)
    while (passed.delete(low)) low++
  }
}
