import { decode, encode } from './base64url.ts'
import { concat, field, randomBytes, utf8Bytes, type Bytes } from './bytes.ts'
import { derivable, deriveSealing } from './derive.ts'
import { SealError } from './error.ts'
import type { Stretch } from './passphrase.ts'
import { recoveryMaterial } from './recovery-code.ts'

/** What a person opens their keys with. `prf` is the 32 bytes a passkey answers to `prfSalt`, `credential` its id in base64url. */
export type UnlockSecret =
  | { readonly kind: 'passkey'; readonly credential: string; readonly prf: Bytes }
  | { readonly kind: 'recovery'; readonly code: string }
  | { readonly kind: 'passphrase'; readonly text: string }

/** What every passkey is asked to evaluate (`prf.eval.first`): public, and one for all accounts, since a discoverable passkey tells the account only later. */
export const prfSalt: Bytes = utf8Bytes('deputy/keys/v1/passkey-prf-input')

/** How a new unlocker of a passphrase stretches it; null for every other kind. */
export async function newStretch(secret: UnlockSecret): Promise<Stretch | null> {
  if (secret.kind !== 'passphrase') return null
  const { STRETCH_FLOOR } = await import('./passphrase.ts')
  return { salt: encode(randomBytes(16)), ...STRETCH_FLOOR }
}

/**
 * The key that wraps an unlocker's private key.
 * @throws {SealError} `invalid-secret`, `invalid-code`; `integrity` when the stretching is weaker than its floor
 */
export async function wrappingKey(account: string, secret: UnlockSecret, stretch: Stretch | null): Promise<CryptoKey> {
  const info = concat(utf8Bytes(`deputy/keys/v1/${secret.kind}`), secret.kind === 'passkey' ? field(secret.credential) : new Uint8Array(0))
  return deriveSealing(await material(secret, stretch), account, info)
}

async function material(secret: UnlockSecret, stretch: Stretch | null): Promise<CryptoKey> {
  if (secret.kind === 'recovery') return recoveryMaterial(secret.code)
  if (secret.kind === 'passkey') {
    if (!(secret.prf instanceof Uint8Array) || secret.prf.length !== 32) throw new SealError('invalid-secret')
    return derivable(secret.prf)
  }
  const salt = decode(stretch?.salt)
  if (stretch === null || salt === undefined) throw new SealError('integrity')
  if (secret.text === '') throw new SealError('invalid-secret')
  const { stretchPassphrase } = await import('./passphrase.ts')
  const stretched = await stretchPassphrase(secret.text, salt, stretch)
  const key = await derivable(stretched)
  stretched.fill(0)
  return key
}
