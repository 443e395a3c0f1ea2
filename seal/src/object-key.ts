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
  if (typeof text !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(text)) throw new SealError('invalid-key')
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const key = Uint8Array.from(binary, character => character.charCodeAt(0))
  if (encode(key) !== text) throw new SealError('invalid-key')
  return key
}

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
