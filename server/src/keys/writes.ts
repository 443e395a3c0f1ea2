import type { RouteInput } from '@deputy/contract/api'
import type { addUnlocker as addRoute, rotateKeys as rotateRoute } from '@deputy/contract/api-keys'
import type { Writer } from '../rows/rows.ts'
import type { KeyUnlockerRow } from '../rows/file-schema.ts'

const mostUnlockers = 64

/** An unlocker as the contract has it. */
export type Unlocker = RouteInput<typeof addRoute>['unlocker']
/** The root key of an epoch, wrapped under that of the next. */
export type ChainLink = RouteInput<typeof rotateRoute>['link']

export interface Recovering {
  readonly account: string
  /** Hash of what proves the recovery code; null leaves it as it is. */
  readonly recovery: string | null
  readonly now: number
}

/** Makes the first key state: at epoch 1, or after the keys that were given up. */
export const enrolKeys = async (
  tx: Writer,
  input: Recovering & { epoch: number; unlockers: readonly Unlocker[]; chain: readonly ChainLink[] },
): Promise<'enrolled' | 'no-account' | 'enrolled-before' | 'other-epoch' | 'proof-taken'> => {
  const { account, epoch, unlockers, chain } = input
  const known = await tx.selectFrom('accounts').select('id').where('id', '=', account).executeTakeFirst()
  if (known === undefined) return 'no-account'
  if ((await epochOf(tx, account)) !== null) return 'enrolled-before'
  const ended = await tx.selectFrom('key_ends').select('epoch').where('account', '=', account).executeTakeFirst()
  if (epoch !== (ended?.epoch ?? 0) + 1) return 'other-epoch'
  if (!(await setProof(tx, input))) return 'proof-taken'
  await tx.insertInto('key_states').values({ account, epoch }).execute()
  await insertAll(tx, account, unlockers)
  for (const link of chain)
    await tx
      .insertInto('key_links')
      .values({ account, ...link })
      .execute()
  return 'enrolled'
}

/** Adds an unlocker, or replaces the one of the same id. */
export const addUnlocker = async (
  tx: Writer,
  input: { account: string; epoch: number; unlocker: Unlocker },
): Promise<'added' | 'other-epoch' | 'too-many' | 'second-recovery'> => {
  const { account, epoch, unlocker } = input
  if ((await epochOf(tx, account)) !== epoch) return 'other-epoch'
  const others = await tx.selectFrom('key_unlockers').select(['id', 'kind']).where('account', '=', account).where('id', '!=', unlocker.id).execute()
  if (others.length >= mostUnlockers) return 'too-many'
  if (unlocker.kind === 'recovery' && others.some(other => other.kind === 'recovery')) return 'second-recovery'
  await tx.deleteFrom('key_unlockers').where('account', '=', account).where('id', '=', unlocker.id).execute()
  await insertAll(tx, account, [unlocker])
  return 'added'
}

/** Moves from epoch `from` to the next: all unlockers are replaced, and the chain gets its link. */
export const rotateKeys = async (
  tx: Writer,
  input: Recovering & { from: number; unlockers: readonly Unlocker[]; link: ChainLink },
): Promise<'rotated' | 'other-epoch' | 'proof-taken'> => {
  const { account, from, unlockers, link } = input
  if ((await epochOf(tx, account)) !== from) return 'other-epoch'
  if (!(await setProof(tx, input))) return 'proof-taken'
  await tx
    .updateTable('key_states')
    .set({ epoch: from + 1 })
    .where('account', '=', account)
    .execute()
  await tx.deleteFrom('key_unlockers').where('account', '=', account).execute()
  await insertAll(tx, account, unlockers)
  await tx
    .insertInto('key_links')
    .values({ account, ...link })
    .execute()
  return 'rotated'
}

/** Replaces what proves the recovery code and, where the account has keys, its unlocker. */
export const setRecovery = async (
  tx: Writer,
  input: Recovering & { epoch: number | null; unlocker: Unlocker | null },
): Promise<'set' | 'no-account' | 'other-epoch' | 'no-unlocker' | 'too-many' | 'proof-taken'> => {
  const { account, epoch, unlocker } = input
  const known = await tx.selectFrom('accounts').select('id').where('id', '=', account).executeTakeFirst()
  if (known === undefined) return 'no-account'
  const current = await epochOf(tx, account)
  if (current !== null && unlocker === null) return 'no-unlocker'
  if (current !== epoch) return 'other-epoch'
  const others = await tx.selectFrom('key_unlockers').select('id').where('account', '=', account).where('kind', '!=', 'recovery').execute()
  if (unlocker !== null && others.length >= mostUnlockers) return 'too-many'
  if (!(await setProof(tx, input))) return 'proof-taken'
  if (unlocker === null) return 'set'
  await tx
    .deleteFrom('key_unlockers')
    .where('account', '=', account)
    .where(where => where.or([where('kind', '=', 'recovery'), where('id', '=', unlocker.id)]))
    .execute()
  await insertAll(tx, account, [unlocker])
  return 'set'
}

/** Gives the keys up, unless there are files left that they open: `files-left`. Answers whether there were any. */
export const resetKeys = async (tx: Writer, input: { account: string }): Promise<'had' | 'had-none' | 'files-left'> => {
  const { account } = input
  const left = await tx.selectFrom('file_spaces').select('id').where('account', '=', account).where('files', '>', 0).limit(1).executeTakeFirst()
  if (left !== undefined) return 'files-left'
  const gone = await tx.deleteFrom('key_states').where('account', '=', account).returning('epoch').executeTakeFirst()
  if (gone === undefined) return 'had-none'
  // Whoever still holds the old keys must never take them for those that follow.
  const { epoch } = gone
  await tx
    .insertInto('key_ends')
    .values({ account, epoch })
    .onConflict(conflict => conflict.column('account').doUpdateSet({ epoch }))
    .execute()
  return 'had'
}

const epochOf = async (tx: Writer, account: string): Promise<number | null> =>
  (await tx.selectFrom('key_states').select('epoch').where('account', '=', account).executeTakeFirst())?.epoch ?? null

/** False when another account has the same proof, which must go on meaning that one. */
async function setProof(tx: Writer, { account, recovery: hash, now }: Recovering): Promise<boolean> {
  if (hash === null) return true
  const other = await tx.selectFrom('recovery').select('account').where('hash', '=', hash).where('account', '!=', account).executeTakeFirst()
  if (other !== undefined) return false
  await tx
    .insertInto('recovery')
    .values({ account, hash, created: now })
    .onConflict(conflict => conflict.column('account').doUpdateSet({ hash, created: now }))
    .execute()
  return true
}

async function insertAll(tx: Writer, account: string, unlockers: readonly Unlocker[]): Promise<void> {
  for (const unlocker of unlockers) await tx.insertInto('key_unlockers').values(rowOf(account, unlocker)).execute()
}

const rowOf = (account: string, unlocker: Unlocker): KeyUnlockerRow => ({
  account,
  id: unlocker.id,
  kind: unlocker.kind,
  name: unlocker.name,
  created: unlocker.created,
  credential: unlocker.credential,
  public_key: unlocker.publicKey,
  wrapped_key: unlocker.wrappedKey,
  stretch: unlocker.stretch === null ? null : JSON.stringify(unlocker.stretch),
  sealed_root: unlocker.sealedRoot,
  mac: unlocker.mac,
})
