import { deleteAccount, exportAccount } from '@deputy/contract/api-accounts'
import { handler, refuse } from '../http/handler.ts'

/** Everything the server holds of the account. */
export const accountExport = handler(exportAccount, async (_input, { session, rows, clock, profileOf, accountRooms, exportObjects, keyState, exportFiles }) => {
  const { account } = session
  const profile = await profileOf(account)
  if (profile === null) return refuse('unauthorized', 'the account is gone')
  const of = rows.read
  return {
    exported: new Date(clock.now()).toISOString(),
    profile,
    passkeys: await of
      .selectFrom('passkeys')
      .select(['id', 'name', 'public_key', 'transports', 'created', 'last_used'])
      .where('account', '=', account)
      .execute(),
    providers: await of.selectFrom('oidc_links').select(['issuer', 'subject', 'created']).where('account', '=', account).execute(),
    recoveryCode: (await of.selectFrom('recovery').select('created').where('account', '=', account).executeTakeFirst()) ?? null,
    sessions: await of.selectFrom('sessions').select(['id', 'app', 'device', 'created', 'last_used', 'expires_at']).where('account', '=', account).execute(),
    apps: await of.selectFrom('app_grants').select(['app', 'connected_at', 'last_used']).where('account', '=', account).execute(),
    objects: await exportObjects(account),
    rooms: await accountRooms.list(account),
    keys: await keyState(account),
    files: await exportFiles(account),
  }
})

/** Deletes the account and all it stored. */
export const accountDelete = handler(deleteAccount, async ({ name }, { session, rows, profileOf, accountRooms, dropObjects, dropFiles, sessionsEnded }) => {
  const { account } = session
  const profile = await profileOf(account)
  if (profile === null) return refuse('unauthorized', 'the account is gone')
  if (name !== profile.name) return refuse('invalid', 'the name is not that of the account')
  await accountRooms.drop(account)
  await dropObjects(account)
  await dropFiles(account)
  await sessionsEnded(await rows.write('deleteAccount', { account }))
  return {}
})
