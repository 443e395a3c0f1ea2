import type { RouteOutput } from '@deputy/contract/api'
import type { finishSignUp } from '@deputy/contract/api-accounts'
import { type Refusal, refuse } from '../http/handler.ts'
import type { Services } from '../services.ts'

/** What every way of signing in answers: a session of the account itself, and whether a recovery code is set. */
export async function signedIn(
  account: string,
  device: string,
  { rows, issueSession }: Pick<Services, 'rows' | 'issueSession'>,
): Promise<RouteOutput<typeof finishSignUp> | Refusal> {
  const session = await issueSession(account, null, device)
  if (session === null) return refuse('unavailable', 'the account is gone')
  const code = await rows.read.selectFrom('recovery').select('created').where('account', '=', account).executeTakeFirst()
  return { session, recovery: code !== undefined }
}
