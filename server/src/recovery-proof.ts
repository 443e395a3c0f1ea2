import { createHash } from 'node:crypto'

/** How what proves a recovery code is kept at rest: SHA-256, 43 base64url characters. The server never sees the code itself. */
export const proofHash = (proof: string): string => createHash('sha256').update(proof).digest('base64url')
