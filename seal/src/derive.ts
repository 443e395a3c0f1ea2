import { utf8Bytes, type Bytes } from './bytes.ts'

/** Bytes to derive from, as a key that cannot be exported; the bytes are the caller's to wipe. */
export const derivable = (bytes: Bytes): Promise<CryptoKey> => crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey', 'deriveBits'])

const hkdf = (salt: Bytes | string, info: Bytes | string): HkdfParams => ({
  name: 'HKDF',
  hash: 'SHA-256',
  salt: typeof salt === 'string' ? utf8Bytes(salt) : salt,
  info: typeof info === 'string' ? utf8Bytes(info) : info,
})

/** `HKDF(from, salt, info)`: 32 bytes. */
export async function deriveBytes(from: CryptoKey, salt: Bytes | string, info: Bytes | string): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.deriveBits(hkdf(salt, info), from, 256))
}

/** `HKDF(from, salt, info)` as an AES-GCM key that cannot be exported. */
export function deriveSealing(from: CryptoKey, salt: Bytes | string, info: Bytes | string): Promise<CryptoKey> {
  return crypto.subtle.deriveKey(hkdf(salt, info), from, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

/** `HKDF(from, salt, info)` as an HMAC-SHA-256 key of 32 bytes that cannot be exported. */
export function deriveMac(from: CryptoKey, salt: Bytes | string, info: Bytes | string): Promise<CryptoKey> {
  return crypto.subtle.deriveKey(hkdf(salt, info), from, { name: 'HMAC', hash: 'SHA-256', length: 256 }, false, ['sign', 'verify'])
}

/** `HKDF(from, salt, info)` to derive from once more, as a key that cannot be exported. */
export async function deriveDerivable(from: CryptoKey, salt: Bytes | string, info: Bytes | string): Promise<CryptoKey> {
  const bytes = await deriveBytes(from, salt, info)
  const key = await derivable(bytes)
  bytes.fill(0)
  return key
}
