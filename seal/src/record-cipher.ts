import { concat, equal, u32, u64, type Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { NONCE_BYTES, OVERHEAD, recordCount, recordLength } from './layout.ts'

/** Bytes of the random part every nonce of one sealing begins with. */
export const PREFIX_BYTES = NONCE_BYTES - 4

/** What the records of one sealed thing share: its AES-GCM key, the bytes its position is bound to, and its plaintext size. */
export interface RecordContext {
  readonly key: CryptoKey
  /** Label and identity, the beginning of every record's additional data. */
  readonly binding: Uint8Array
  readonly size: number
}

/** A record in two pieces, so that it can be put where it belongs without one more copy. */
export interface SealedRecord {
  readonly nonce: Bytes
  /** Ciphertext and tag. */
  readonly body: Bytes
}

/** Seals record `index`. The caller answers for never passing one (prefix, index) twice. */
export async function sealRecord({ key, binding, size }: RecordContext, prefix: Uint8Array, index: number, plaintext: Bytes): Promise<SealedRecord> {
  const nonce = concat(prefix, u32(index))
  const body = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce, additionalData: additionalData(binding, size, index) }, key, plaintext)
  return { nonce, body: new Uint8Array(body) }
}

/**
 * Opens record `index`; `prefix` is what every nonce of this sealing must begin with, where it is known already.
 * @throws {SealError} `integrity` unless the record is the one this place, size and key ask for
 */
export async function openRecord({ key, binding, size }: RecordContext, prefix: Uint8Array | undefined, index: number, record: Bytes): Promise<Bytes> {
  if (index >= recordCount(size) || record.length !== recordLength(size, index) + OVERHEAD) throw new SealError('integrity')
  const nonce = record.subarray(0, NONCE_BYTES)
  if (!equal(nonce.subarray(PREFIX_BYTES), u32(index))) throw new SealError('integrity')
  if (prefix !== undefined && !equal(nonce.subarray(0, PREFIX_BYTES), prefix)) throw new SealError('integrity')
  try {
    const parameters = { name: 'AES-GCM', iv: nonce, additionalData: additionalData(binding, size, index) }
    return new Uint8Array(await crypto.subtle.decrypt(parameters, key, record.subarray(NONCE_BYTES)))
  } catch {
    throw new SealError('integrity')
  }
}

function additionalData(binding: Uint8Array, size: number, index: number): Bytes {
  return concat(binding, u64(size), u32(index))
}
