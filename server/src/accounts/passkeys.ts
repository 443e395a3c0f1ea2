import { beginPasskey, finishPasskey, listPasskeys, removePasskey } from '@deputy/contract/api-accounts'
import { handler, refuse } from '../http/handler.ts'
import { begin, take } from './ceremonies.ts'
import { creationOptions, madePasskey } from './webauthn.ts'

/** The account's passkeys, oldest first. */
export const passkeyList = handler(listPasskeys, async (_input, { session, rows }) => {
  const found = await rows.read
    .selectFrom('passkeys')
    .select(['id', 'name', 'created', 'last_used'])
    .where('account', '=', session.account)
    .orderBy('created')
    .execute()
  return { passkeys: found.map(({ last_used: lastUsed, ...passkey }) => ({ ...passkey, lastUsed })) }
})

/** Begins one more passkey. */
export const passkeyBegin = handler(beginPasskey, async (_input, services) => {
  const { session, rows, origins, config } = services
  const account = await rows.read.selectFrom('accounts').select('name').where('id', '=', session.account).executeTakeFirst()
  if (account === undefined) return refuse('unauthorized', 'the account is gone')
  const own = await rows.read.selectFrom('passkeys').select('id').where('account', '=', session.account).execute()
  const known = own.map(passkey => passkey.id)
  const options = await creationOptions(origins, session.account, account.name, known, config.accounts.ceremony)
  return { ceremony: await begin('passkey', session.account, { challenge: options.challenge }, services), options }
})

/** Adds it. */
export const passkeyFinish = handler(finishPasskey, async ({ ceremony, response, name }, services) => {
  const { session, rows, origins, clock } = services
  const begun = await take('passkey', session.account, ceremony, services)
  if (begun === null) return refuse('denied', 'the ceremony is unknown, used or out of time')
  const passkey = await madePasskey(response, begun.challenge, origins, name, clock.now())
  if (passkey === null) return refuse('denied', 'the response proves no passkey')
  const added = await rows.write('addPasskey', { ...passkey, account: session.account })
  if (added === 'taken') return refuse('conflict', 'the passkey is known already')
  if (added === 'too-many') return refuse('too-many', 'the account has as many passkeys as it may')
  return {}
})

/** Removes a passkey. */
export const passkeyRemove = handler(removePasskey, async ({ id }, { session, rows }) => {
  const removed = await rows.write('removePasskey', { account: session.account, id })
  if (removed === 'unknown') return refuse('not-found', 'the account has no such passkey')
  if (removed === 'last') return refuse('conflict', 'nothing else could sign the person in')
  return {}
})
