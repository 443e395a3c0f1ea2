import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import type { PasskeyRow } from '../rows/schema.ts'
import type { Origins } from '../config/origins.ts'

const partyName = 'Deputy'
/** Ed25519, ES256 and RS256, which cover the authenticators there are. */
const algorithms = [-8, -7, -257]

/** The relying party: the broker's host. */
const partyOf = (origins: Origins): string => new URL(origins.broker).hostname

/**
 * Options that make a discoverable credential whose user handle is the account id. The person is verified (fingerprint, PIN),
 * since the passkey is all there is. The prf extension is asked for so that the credential can unlock keys.
 */
export const creationOptions = (
  origins: Origins,
  account: string,
  name: string,
  exclude: readonly string[],
  timeout: number,
): Promise<PublicKeyCredentialCreationOptionsJSON> =>
  generateRegistrationOptions({
    rpName: partyName,
    rpID: partyOf(origins),
    userName: name,
    userDisplayName: name,
    userID: new Uint8Array(Buffer.from(account, 'base64url')),
    timeout,
    attestationType: 'none',
    excludeCredentials: exclude.map(id => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
    extensions: { prf: {} },
  })

/** Options that ask for any passkey of this server. */
export const requestOptions = (origins: Origins, timeout: number): Promise<PublicKeyCredentialRequestOptionsJSON> =>
  generateAuthenticationOptions({ rpID: partyOf(origins), timeout, userVerification: 'required', allowCredentials: [] })

/** The passkey that the authenticator made for the challenge, or null when the response does not prove one. */
export async function madePasskey(
  response: unknown,
  challenge: string,
  origins: Origins,
  name: string,
  now: number,
): Promise<Omit<PasskeyRow, 'account'> | null> {
  const info = await verified(async () => {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origins.broker,
      expectedRPID: partyOf(origins),
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
    return registrationInfo
  })
  if (info === null) return null
  const { id, publicKey, counter, transports } = info.credential
  if (id.length > 1400) return null
  return {
    id,
    name,
    public_key: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports: JSON.stringify(transports ?? []),
    created: now,
    last_used: null,
  }
}

/** The counter of a valid assertion by the passkey, or null. */
export async function assertedCounter(response: unknown, challenge: string, origins: Origins, passkey: PasskeyRow): Promise<number | null> {
  const info = await verified(async () => {
    const result = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origins.broker,
      expectedRPID: partyOf(origins),
      requireUserVerification: true,
      credential: { id: passkey.id, publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')), counter: 0 },
    })
    return result.verified ? result.authenticationInfo : undefined
  })
  return info?.newCounter ?? null
}

/** The credential id and user handle an assertion claims, before anything is proven. */
export function claimOf(response: unknown): { id: string; userHandle: string | null } | null {
  if (typeof response !== 'object' || response === null || !('id' in response) || typeof response.id !== 'string') return null
  const inner = 'response' in response ? response.response : null
  const handle = typeof inner === 'object' && inner !== null && 'userHandle' in inner ? inner.userHandle : null
  return { id: response.id, userHandle: typeof handle === 'string' ? handle : null }
}

/** The library throws for every kind of bad response; which kind is nobody's business. */
async function verified<T>(attempt: () => Promise<T | undefined>): Promise<T | null> {
  try {
    return (await attempt()) ?? null
  } catch {
    return null
  }
}
