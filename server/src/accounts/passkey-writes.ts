import type { Writer } from '../rows/rows.ts'
import type { PasskeyRow } from '../rows/schema.ts'

const passkeysKept = 20

/** Adds a passkey to an account. */
export const addPasskey = async (tx: Writer, input: PasskeyRow): Promise<'added' | 'taken' | 'too-many'> => {
  if ((await tx.selectFrom('passkeys').select('id').where('id', '=', input.id).executeTakeFirst()) !== undefined) return 'taken'
  const own = await tx.selectFrom('passkeys').select('id').where('account', '=', input.account).execute()
  if (own.length >= passkeysKept) return 'too-many'
  await tx.insertInto('passkeys').values(input).execute()
  return 'added'
}

/** Notes the use of a passkey; false when its counter went back, which a copied authenticator's does. */
export const usePasskey = async (tx: Writer, input: { id: string; counter: number; now: number }): Promise<boolean> => {
  const known = await tx.selectFrom('passkeys').select('counter').where('id', '=', input.id).executeTakeFirst()
  if (known === undefined || (known.counter > 0 && input.counter <= known.counter)) return false
  await tx.updateTable('passkeys').set({ counter: input.counter, last_used: input.now }).where('id', '=', input.id).execute()
  return true
}

/** Removes a passkey unless nothing else signs the person in; a recovery code, being for emergencies, does not count. */
export const removePasskey = async (tx: Writer, input: { account: string; id: string }): Promise<'removed' | 'unknown' | 'last'> => {
  const { account, id } = input
  const own = await tx.selectFrom('passkeys').select('id').where('account', '=', account).execute()
  if (!own.some(passkey => passkey.id === id)) return 'unknown'
  const email = await tx.selectFrom('accounts').select('email').where('id', '=', account).executeTakeFirst()
  const link = await tx.selectFrom('oidc_links').select('subject').where('account', '=', account).limit(1).executeTakeFirst()
  if (own.length === 1 && email?.email == null && link === undefined) return 'last'
  await tx.deleteFrom('passkeys').where('account', '=', account).where('id', '=', id).execute()
  return 'removed'
}
