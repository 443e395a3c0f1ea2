import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Signs and hashes with a key derived from the server's secret for one purpose. */
export interface Signer {
  /** HMAC-SHA-256 of the text, 43 base64url characters. */
  sign(text: string): string
  /** Whether the signature is that of the text, compared in constant time. */
  verify(text: string, signature: string): boolean
}

/** A signer for one purpose; those of different purposes share nothing. */
export const signerFor = (secret: string, purpose: string): Signer => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `deputy ${purpose}`, 32))
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url')
  return { sign, verify: (text, signature) => equal(sign(text), signature) }
}

/** Whether two texts are the same, in time that does not depend on where they differ. */
export const equal = (left: string, right: string): boolean => {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
