import { recover, reissueRecovery } from '@deputy/contract/api-accounts'
import { handler, refuse } from '../http/handler.ts'
import { newRecovery, recoveryHash } from './make-account.ts'
import { readRecoveryCode } from './recovery-code.ts'
import { signedIn } from './signed-in.ts'

/** Signs in with the recovery code and hands out the next one. */
export const recoverAccount = handler(recover, async ({ code: typed, device }, services) => {
  const { rows, clock, signerFor } = services
  const code = readRecoveryCode(typed)
  if (code === null) return refuse('invalid', 'the recovery code is mistyped')
  const next = newRecovery(services)
  const account = await rows.write('useRecovery', { hash: recoveryHash(code, signerFor), next: next.hash, now: clock.now() })
  if (account === null) return refuse('denied', 'no account has this recovery code')
  return signedIn(account, device, next.code, services)
})

/** Replaces the recovery code. */
export const recoveryReissue = handler(reissueRecovery, async (_input, services) => {
  const next = newRecovery(services)
  await services.rows.write('replaceRecovery', { account: services.session.account, hash: next.hash, now: services.clock.now() })
  return { code: next.code }
})
