import { createHash } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 36
const secretLength = 32

const shape = new RegExp(`^[${alphabet}]{${codeLength}}$`)

const checksum = (secret: string): string => {
  const digest = createHash('sha256').update(secret).digest()
  return Array.from(digest.subarray(0, codeLength - secretLength), byte => alphabet[byte & 31]).join('')
}

/** A recovery code of 160 random bits: nine groups of four Crockford characters, the last of them a checksum. */
export function makeRecoveryCode(random: Uint8Array): string {
  if (random.length !== secretLength) throw new Error(`a recovery code takes ${secretLength} random bytes`)
  const secret = Array.from(random, byte => alphabet[byte & 31]).join('')
  return (`${secret}${checksum(secret)}`.match(/.{4}/g) ?? []).join('-')
}

/** The code as it was made, whatever case, spacing and look-alike letters the person typed; null when it cannot be one. */
export function readRecoveryCode(typed: string): string | null {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  if (!shape.test(letters)) return null
  if (checksum(letters.slice(0, secretLength)) !== letters.slice(secretLength)) return null
  return (letters.match(/.{4}/g) ?? []).join('-')
}
