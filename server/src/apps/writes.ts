import { equal } from '../signer.ts'
import type { Writer } from '../rows/rows.ts'

/** Records that the account connects the app, and a one-time code for it. */
export const authorizeApp = async (
  tx: Writer,
  input: { account: string; app: string; hash: string; challenge: string; now: number; expiresAt: number },
): Promise<void> => {
  const { account, app, hash, challenge, now, expiresAt } = input
  await tx
    .insertInto('app_grants')
    .values({ account, app, connected_at: now, last_used: now })
    .onConflict(conflict => conflict.columns(['account', 'app']).doUpdateSet({ last_used: now }))
    .execute()
  await tx.insertInto('app_codes').values({ hash, account, app, challenge, expires_at: expiresAt }).execute()
}

/** Uses a code up, whatever comes of it; the account when app, challenge and time are right and the app is still connected, else null. */
export const redeemAppCode = async (tx: Writer, input: { hash: string; app: string; challenge: string; now: number }): Promise<string | null> => {
  const code = await tx.deleteFrom('app_codes').where('hash', '=', input.hash).returningAll().executeTakeFirst()
  if (code === undefined || code.expires_at <= input.now || code.app !== input.app || !equal(code.challenge, input.challenge)) return null
  const grant = await tx.selectFrom('app_grants').select('app').where('account', '=', code.account).where('app', '=', code.app).executeTakeFirst()
  return grant === undefined ? null : code.account
}

/** Disconnects an app, with its sessions and codes; the sessions that ended, or null when it was not connected. */
export const disconnectApp = async (tx: Writer, input: { account: string; app: string }): Promise<string[] | null> => {
  const { account, app } = input
  const grant = await tx.deleteFrom('app_grants').where('account', '=', account).where('app', '=', app).returning('app').executeTakeFirst()
  if (grant === undefined) return null
  await tx.deleteFrom('app_codes').where('account', '=', account).where('app', '=', app).execute()
  const ended = await tx.deleteFrom('sessions').where('account', '=', account).where('app', '=', app).returning('id').execute()
  return ended.map(row => row.id)
}

/** Removes codes out of time. */
export const sweepAppCodes = async (tx: Writer, input: { now: number }): Promise<void> => {
  await tx.deleteFrom('app_codes').where('expires_at', '<=', input.now).execute()
}
