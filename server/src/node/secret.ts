import { randomBytes } from 'node:crypto'
import { nodeSecretHash } from '../tunnel/registry.ts'

/** A fresh secret for a node, and the hash of it that the server keeps. */
export function mintNodeSecret(): { readonly secret: string; readonly hash: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, hash: nodeSecretHash(secret) }
}
