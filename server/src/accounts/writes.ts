import type { Writer } from '../rows/rows.ts'
import type { PasskeyRow } from '../rows/schema.ts'

export { beginCeremony, takeCeremony } from './ceremonies.ts'
export { beginEmailCode, tryEmailCode } from './email-writes.ts'
export { addPasskey, removePasskey, usePasskey } from './passkey-writes.ts'

/** What an account is made of; `firstRules` lets the first account of a fresh server be admin and premium. */
export interface NewAccount {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly passkey: Omit<PasskeyRow, 'account'> | null
  readonly oidc: { readonly issuer: string; readonly subject: string } | null
  readonly firstRules: boolean
  readonly now: number
}

/** Makes an account with its first way in. `taken` when the address or the passkey belongs to another. */
export const createAccount = async (tx: Writer, input: NewAccount): Promise<'made' | 'taken'> => {
  const { id, name, email, passkey, oidc, now } = input
  if (email !== null && (await tx.selectFrom('accounts').select('id').where('email', '=', email).executeTakeFirst()) !== undefined) return 'taken'
  if (passkey !== null && (await tx.selectFrom('passkeys').select('id').where('id', '=', passkey.id).executeTakeFirst()) !== undefined) return 'taken'
  const first = input.firstRules && (await tx.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) === undefined ? 1 : 0
  await tx.insertInto('accounts').values({ id, name, image: null, email, admin: first, premium: first, premium_until: null, created: now }).execute()
  if (passkey !== null)
    await tx
      .insertInto('passkeys')
      .values({ ...passkey, account: id })
      .execute()
  if (oidc !== null)
    await tx
      .insertInto('oidc_links')
      .values({ ...oidc, account: id, created: now })
      .execute()
  return 'made'
}

/** Changes name or picture. */
export const updateProfile = async (tx: Writer, input: { account: string; name?: string; image?: string | null }): Promise<void> => {
  const { account, ...changes } = input
  if (Object.keys(changes).length > 0) await tx.updateTable('accounts').set(changes).where('id', '=', account).execute()
}

/** Uses a recovery code up and answers whose it was, or null when nobody's. */
export const useRecovery = async (tx: Writer, input: { hash: string }): Promise<string | null> => {
  const used = await tx.deleteFrom('recovery').where('hash', '=', input.hash).returning('account').executeTakeFirst()
  return used?.account ?? null
}

/** Ties an account at a provider to ours, unless it is tied already. */
export const linkOidc = async (tx: Writer, input: { issuer: string; subject: string; account: string; now: number }): Promise<void> => {
  const { now, ...link } = input
  await tx
    .insertInto('oidc_links')
    .values({ ...link, created: now })
    .onConflict(conflict => conflict.columns(['issuer', 'subject']).doNothing())
    .execute()
}

/** Deletes the account with all that refers to it; answers the sessions that ended with it. */
export const deleteAccount = async (tx: Writer, input: { account: string }): Promise<string[]> => {
  const ended = await tx.deleteFrom('sessions').where('account', '=', input.account).returning('id').execute()
  await tx.deleteFrom('object_hours').where('account', '=', input.account).execute()
  await tx.deleteFrom('accounts').where('id', '=', input.account).execute()
  return ended.map(row => row.id)
}

/** Grants premium until a time (null: for ever) or takes it; false when there is no such account. */
export const setPremium = async (tx: Writer, input: { account: string; premium: boolean; until: number | null }): Promise<boolean> => {
  const changed = await tx
    .updateTable('accounts')
    .set({ premium: input.premium ? 1 : 0, premium_until: input.premium ? input.until : null })
    .where('id', '=', input.account)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** Removes ceremonies and e-mail codes nobody can use any more; codes stay an hour, for the count of mails. */
export const sweepCeremonies = async (tx: Writer, input: { now: number }): Promise<void> => {
  await tx.deleteFrom('ceremonies').where('expires_at', '<=', input.now).execute()
  await tx
    .deleteFrom('email_codes')
    .where('expires_at', '<=', input.now)
    .where('created', '<=', input.now - 3_600_000)
    .execute()
}
