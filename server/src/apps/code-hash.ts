import { createHash } from 'node:crypto'

/** SHA-256 as base64url: how a one-time code is kept, and the S256 challenge of a verifier. */
export const codeHash = (text: string): string => createHash('sha256').update(text).digest('base64url')
