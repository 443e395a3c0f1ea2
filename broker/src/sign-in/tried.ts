import { startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser'
import type { Outcome } from '../api/api.ts'
import type { Problem } from './state.ts'

/** The value, or the problem that stands in its place. */
export type Tried<T> = { readonly value: T; readonly problem: null } | { readonly value: null; readonly problem: Problem }

/** What did not go on, and why. */
export const problem = (of: Problem): { value: null; problem: Problem } => ({ value: null, problem: of })

/** The passkey calls of the browser. */
export interface Authenticator {
  readonly create: typeof startRegistration
  readonly get: typeof startAuthentication
}
export const browserAuthenticator: Authenticator = { create: startRegistration, get: startAuthentication }

/** What an outcome means to the person. */
export function tried<T>(outcome: Outcome<T>): Tried<T> {
  if (outcome.kind === 'answer') return { value: outcome.value, problem: null }
  if (outcome.kind === 'unreachable') return problem('unreachable')
  if (outcome.kind === 'unauthorized') return problem('wrong-code')
  switch (outcome.error) {
    case 'invalid':
    case 'denied':
      return problem('wrong-code')
    case 'not-found':
      return problem('expired')
    case 'conflict':
      return problem('already-there')
    case 'rate-limited':
    case 'too-many':
      return problem('too-often')
    default:
      return problem('refused')
  }
}

/** Runs a passkey call of the browser; what it throws is told as a problem. */
export async function ceremony<T>(run: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { value: await run(), problem: null }
  } catch (error) {
    if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') return problem('already-there')
    const { name } = error as Error
    return problem(name === 'NotAllowedError' || name === 'AbortError' ? 'cancelled' : 'unsupported')
  }
}
