import { toBase64url } from '../base64url.ts'

/** A verifier only its maker holds, and the SHA-256 challenge that may be shown around (RFC 7636, S256). */
export interface Proof {
  readonly verifier: string
  readonly challenge: string
}

/** Makes a fresh proof; both texts are 43 characters of base64url. */
export async function makeProof(): Promise<Proof> {
  const verifier = toBase64url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: toBase64url(new Uint8Array(digest)) }
}
