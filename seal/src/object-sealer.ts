import { concat, scratch, type Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { inOrder } from './in-order.ts'
import { recordCount, recordLength, recordsPerPart, SEALED_RECORD_BYTES, sealedLength, sealedRange } from './layout.ts'
import { objectContext } from './object-context.ts'
import { plainRecords } from './plain-records.ts'
import { PREFIX_BYTES, sealRecord, type SealedRecord } from './record-cipher.ts'

/** The object to seal: 43 characters of key, the uuid it will be served under, its plaintext bytes. */
export interface ObjectToSeal {
  readonly key: string
  readonly id: string
  readonly size: number
}

/** Whole sealed records to upload together. Keep `bytes` until the part has landed, and retry with these same bytes. */
export interface SealedPart {
  /** Counted from 0. */
  readonly part: number
  readonly bytes: Bytes
  /** Call it once the part has landed and nothing reads `bytes` any more: a later part is written over them. Not calling it costs memory only. */
  release(): void
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

// Records under way at once: one is read while one is sealed. More fill the processor's cache and gain nothing.
const LANES = 2

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
    async *parts(source, { recordsPerPart: perPart = recordsPerPart(size), signal } = {}) {
      signal?.throwIfAborted()
      if (!Number.isSafeInteger(perPart) || perPart < 1) throw new SealError('invalid-size')
      const plain = plainRecords(source, size)
      const cancel = (): void => void plain.cancel(signal?.reason)
      signal?.addEventListener('abort', cancel)
      try {
        const next = inOrder(LANES, plain.read, async record => {
          const sealed = await sealPieces(record.index, record.plaintext)
          plain.giveBack(record)
          return sealed
        })
        const buffers = scratch(sealedRange(size, 0, perPart).sealedEnd)
        for (let part = 0, first = 0; first < records; part++, first += perPart) {
          const { sealedStart, sealedEnd } = sealedRange(size, first, first + perPart)
          const bytes = buffers.borrow(sealedEnd - sealedStart)
          for (let at = 0; at < bytes.length; at += SEALED_RECORD_BYTES) {
            const record = await next()
            signal?.throwIfAborted()
            if (record === undefined) throw new SealError('short-stream')
            bytes.set(record.nonce, at)
            bytes.set(record.body, at + record.nonce.length)
            // Freed at once, not when it is collected, so that a fast upload does not pile up memory.
            record.body.buffer.transfer(0)
          }
          yield { part, bytes, release: once(() => buffers.giveBack(bytes)) }
        }
      } catch (error) {
        signal?.throwIfAborted()
        throw error
      } finally {
        signal?.removeEventListener('abort', cancel)
        await plain.cancel()
      }
    },
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

// A buffer given back twice would be written to by two parts at once.
function once(work: () => void): () => void {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
