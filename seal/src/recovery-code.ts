import { encode } from './base64url.ts'
import { utf8Bytes } from './bytes.ts'
import { derivable, deriveBytes } from './derive.ts'
import { SealError } from './error.ts'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 36
const secretLength = 32
const shape = new RegExp(`^[${alphabet}]{${codeLength}}$`)

/**
 * CRC of 20 bits (x^20 + x^3 + 1, from all ones): notices every burst of up to 20 bits, so every wrong letter and every swap of
 * neighbours. It guards against slips only; the secret is the 160 bits before it.
 */
function checksum(secret: string): string {
  let sum = 0xfffff
  for (const letter of secret) {
    const value = alphabet.indexOf(letter)
    for (let bit = 4; bit >= 0; bit -= 1) {
      const carry = ((sum >>> 19) ^ (value >>> bit)) & 1
      sum = (sum << 1) & 0xfffff
      if (carry === 1) sum ^= 0b1001
    }
  }
  return [15, 10, 5, 0].map(shift => alphabet[(sum >>> shift) & 31]).join('')
}

const grouped = (letters: string): string => (letters.match(/.{4}/g) ?? []).join('-')

/** A fresh recovery code of 160 random bits: nine groups of four Crockford characters, the last of them a checksum. */
export function mintRecoveryCode(): string {
  const secret = Array.from(crypto.getRandomValues(new Uint8Array(secretLength)), byte => alphabet[byte & 31]).join('')
  return grouped(secret + checksum(secret))
}

/** The code as it was made, whatever case, spacing and look-alike letters the person typed; null when it cannot be one. */
export function readRecoveryCode(typed: string): string | null {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  if (!shape.test(letters)) return null
  return checksum(letters.slice(0, secretLength)) === letters.slice(secretLength) ? grouped(letters) : null
}

/**
 * What proves a recovery code without telling it: base64url of 32 bytes derived from it.
 * @throws {SealError} `invalid-code`
 */
export async function recoveryProof(code: string): Promise<string> {
  return encode(await deriveBytes(await recoveryMaterial(code), '', 'deputy/recovery/v1/proof'))
}

/** The secret of a recovery code, to derive from. @throws {SealError} `invalid-code` */
export async function recoveryMaterial(code: string): Promise<CryptoKey> {
  const read = typeof code === 'string' ? readRecoveryCode(code) : null
  if (read === null) throw new SealError('invalid-code')
  return await derivable(utf8Bytes(read))
}
