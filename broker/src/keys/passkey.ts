import { prfSalt, type UnlockSecret } from '@deputy/seal'
import { toBase64url } from '../base64url.ts'
import { browserAuthenticator, ceremony, type Authenticator, type Tried } from '../sign-in/tried.ts'

/** What a passkey opens keys with. */
export type PasskeySecret = Extract<UnlockSecret, { kind: 'passkey' }>

/** What a ceremony gave besides its response: `able` says that the passkey can open keys, though it may tell its secret only when asked again. */
export interface PasskeyKeys {
  readonly credential: string
  readonly able: boolean
  readonly secret: PasskeySecret | null
}

interface Response {
  readonly id: string
  readonly clientExtensionResults: object
}

/** The options of a ceremony, which then also asks the passkey for its secret. */
export const askingPrf = <O extends { readonly challenge: string }>(options: O): O => ({
  ...options,
  extensions: { ...(options as { readonly extensions?: object }).extensions, prf: { eval: { first: prfSalt } } },
})

/** Takes the secret out of a response: what is left may be sent. */
export function takePrf<R extends Response>(response: R): { readonly response: R; readonly keys: PasskeyKeys } {
  const { prf, ...rest } = response.clientExtensionResults as { readonly prf?: { readonly enabled?: boolean; readonly results?: { readonly first?: unknown } } }
  const bytes = bytesOf(prf?.results?.first)
  const secret: PasskeySecret | null = bytes === null ? null : { kind: 'passkey', credential: response.id, prf: bytes }
  return { response: { ...response, clientExtensionResults: rest }, keys: { credential: response.id, able: secret !== null || prf?.enabled === true, secret } }
}

function bytesOf(value: unknown): Uint8Array<ArrayBuffer> | null {
  const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : value instanceof Uint8Array ? new Uint8Array(value) : null
  return bytes?.length === 32 ? bytes : null
}

/**
 * Asks the person for one of these passkeys, for its secret alone: nothing of this ceremony goes to the service. No credentials
 * named means any of this site.
 */
export async function askPasskey(
  credentials: readonly string[],
  { get }: Pick<Authenticator, 'get'> = browserAuthenticator,
  party = location.hostname,
): Promise<Tried<PasskeySecret>> {
  const options = {
    challenge: toBase64url(crypto.getRandomValues(new Uint8Array(32))),
    rpId: party,
    allowCredentials: credentials.map(id => ({ id, type: 'public-key' as const })),
    userVerification: 'required' as const,
    timeout: 300_000,
  }
  const answer = await ceremony(() => get({ optionsJSON: askingPrf(options) }))
  if (answer.problem !== null) return answer
  const { secret } = takePrf(answer.value).keys
  return secret === null ? { value: null, problem: 'no-prf' } : { value: secret, problem: null }
}
