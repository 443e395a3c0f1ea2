import type { RouteOutput } from '@deputy/contract/api'
import type { finishSignUp } from '@deputy/contract/api-accounts'
import { type Refusal, refuse } from '../http/handler.ts'
import type { Services } from '../services.ts'

/** What every way of signing in answers: a session of the account itself and, for a fresh account, its recovery code. */
export async function signedIn(
  account: string,
  device: string,
  recoveryCode: string | null,
  { issueSession }: Pick<Services, 'issueSession'>,
): Promise<RouteOutput<typeof finishSignUp> | Refusal> {
  const session = await issueSession(account, null, device)
  return session === null ? refuse('unavailable', 'the account is gone') : { session, recoveryCode }
}
