import { beginSignIn, finishSignIn } from '@deputy/contract/api-accounts'
import { handler, refuse } from '../http/handler.ts'
import { begin, take } from './ceremonies.ts'
import { assertedCounter, claimOf, requestOptions } from './webauthn.ts'
import { signedIn } from './signed-in.ts'

/** Begins a sign-in with any passkey. */
export const signInBegin = handler(beginSignIn, async (_input, services) => {
  const options = await requestOptions(services.origins, services.config.accounts.ceremony)
  return { ceremony: await begin('sign-in', null, { challenge: options.challenge }, services), options }
})

/** Signs in. An unknown passkey and a bad signature are told alike. */
export const signInFinish = handler(finishSignIn, async ({ ceremony, response, device }, services) => {
  const { rows, origins, clock } = services
  const begun = await take('sign-in', null, ceremony, services)
  if (begun === null) return refuse('denied', 'the ceremony is unknown, used or out of time')
  const unknown = refuse('denied', 'no account has this passkey')
  const claim = claimOf(response)
  if (claim === null) return unknown
  const passkey = await rows.read.selectFrom('passkeys').selectAll().where('id', '=', claim.id).executeTakeFirst()
  if (passkey === undefined || claim.userHandle !== passkey.account) return unknown
  const counter = await assertedCounter(response, begun.challenge, origins, passkey)
  if (counter === null || !(await rows.write('usePasskey', { id: passkey.id, counter, now: clock.now() }))) return unknown
  return signedIn(passkey.account, device, services)
})
