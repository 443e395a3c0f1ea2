import { readProfile, updateProfile } from '@deputy/contract/api-accounts'
import { handler, refuse } from '../http/handler.ts'
import { personName } from './person-name.ts'

/** The account of the session. */
export const profileRead = handler(
  readProfile,
  async (_input, { session, profileOf }) => (await profileOf(session.account)) ?? refuse('unauthorized', 'the account is gone'),
)

/** Changes name or picture. */
export const profileUpdate = handler(updateProfile, async ({ name: typed, image }, { session, rows, profileOf }) => {
  const name = typed === undefined ? undefined : personName(typed)
  if (name === null) return refuse('invalid', 'the name has no letters')
  await rows.write('updateProfile', { account: session.account, ...(name === undefined ? {} : { name }), ...(image === undefined ? {} : { image }) })
  return (await profileOf(session.account)) ?? refuse('unauthorized', 'the account is gone')
})
