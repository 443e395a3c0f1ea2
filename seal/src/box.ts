import { decode, encode } from './base64url.ts'
import { concat, randomBytes, type Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { NONCE_BYTES, OVERHEAD } from './layout.ts'

/** Seals a short text of bytes: base64url of a random nonce, ciphertext and tag. */
export async function sealBox(key: CryptoKey, binding: Bytes, plaintext: Bytes, nonce = randomBytes(NONCE_BYTES)): Promise<string> {
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce, additionalData: binding }, key, plaintext)
  return encode(concat(nonce, new Uint8Array(sealed)))
}

/** Opens what `sealBox` made for the same binding. @throws {SealError} `integrity` */
export async function openBox(key: CryptoKey, binding: Bytes, box: string): Promise<Bytes> {
  const sealed = decode(box)
  if (sealed === undefined || sealed.length < OVERHEAD) throw new SealError('integrity')
  try {
    const parameters = { name: 'AES-GCM', iv: sealed.subarray(0, NONCE_BYTES), additionalData: binding }
    return new Uint8Array(await crypto.subtle.decrypt(parameters, key, sealed.subarray(NONCE_BYTES)))
  } catch {
    throw new SealError('integrity')
  }
}
