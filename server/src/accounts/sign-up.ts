import { beginSignUp, finishSignUp } from '@deputy/contract/api-accounts'
import { handler, refuse } from '../http/handler.ts'
import { begin, take } from './ceremonies.ts'
import { makeAccount } from './make-account.ts'
import { personName } from './person-name.ts'
import { creationOptions, madePasskey } from './webauthn.ts'
import { signedIn } from './signed-in.ts'

/** Begins an account with a passkey. */
export const signUpBegin = handler(beginSignUp, async (input, services) => {
  const { config, origins, ids } = services
  if (!config.accounts.signUp) return refuse('denied', 'this server takes no new accounts')
  const name = personName(input.name)
  if (name === null) return refuse('invalid', 'the name has no letters')
  const account = ids.id()
  const options = await creationOptions(origins, account, name, [], config.accounts.ceremony)
  return { ceremony: await begin('sign-up', null, { challenge: options.challenge, account, name }, services), options }
})

/** Makes the account. */
export const signUpFinish = handler(finishSignUp, async ({ ceremony, response, device }, services) => {
  const { origins, clock } = services
  const begun = await take('sign-up', null, ceremony, services)
  if (begun === null) return refuse('denied', 'the ceremony is unknown, used or out of time')
  const passkey = await madePasskey(response, begun.challenge, origins, device || 'Passkey', clock.now())
  if (passkey === null) return refuse('denied', 'the response proves no passkey')
  const made = await makeAccount({ id: begun.account, name: begun.name, passkey }, services)
  if (!made) return refuse('conflict', 'the passkey belongs to another account')
  return signedIn(begun.account, device, services)
})
