import { recover } from '@deputy/contract/api-accounts'
import { handler, refuse } from '../http/handler.ts'
import { proofHash } from '../recovery-proof.ts'
import { signedIn } from './signed-in.ts'

/** Signs in with what proves the recovery code, once: the window makes the next code and sets it. */
export const recoverAccount = handler(recover, async ({ proof, device }, services) => {
  const account = await services.rows.write('useRecovery', { hash: proofHash(proof) })
  return account === null ? refuse('denied', 'no account has this recovery code') : signedIn(account, device, services)
})
