import { createHash } from 'node:crypto'

/** How a token or code of 128 bits and more is kept at rest: SHA-256, 43 base64url characters. */
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url')
