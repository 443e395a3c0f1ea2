import { decode, encode } from './base64url.ts'
import type { Bytes } from './bytes.ts'
import { SealError } from './error.ts'

/** A fresh random object key: 32 bytes as 43 characters of unpadded base64url. */
export function mintObjectKey(): string {
  return encode(crypto.getRandomValues(new Uint8Array(32)))
}

/**
 * The 32 bytes of an object key. Only the canonical text is taken: decoding and encoding again gives the same 43 characters,
 * so one key has one spelling.
 * @throws {SealError} `invalid-key`
 */
export function parseObjectKey(text: string): Bytes {
  const key = decode(text)
  if (key?.length !== 32) throw new SealError('invalid-key')
  return key
}
