import type { Writer } from '@deputy/server'

const set = async (tx: Writer, { name, value }: { name: string; value: string }): Promise<void> => {
  await tx
    .insertInto('settings')
    .values({ name, value })
    .onConflict(conflict => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

const insert = async (tx: Writer, row: { name: string; value: string }): Promise<void> => {
  await tx.insertInto('settings').values(row).execute()
}

const increment = async (tx: Writer, { name }: { name: string }): Promise<number> => {
  const row = await tx.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
  const next = Number(row?.value ?? 0) + 1
  await set(tx, { name, value: String(next) })
  return next
}

const setThenThrow = async (tx: Writer, row: { name: string; value: string }): Promise<never> => {
  await set(tx, row)
  throw new Error('the procedure gives up')
}

const account = async (tx: Writer, { id, name, created }: { id: string; name: string; created: number }): Promise<void> => {
  await tx.insertInto('accounts').values({ id, name, image: null, email: null, admin: 0, premium: 0, premium_until: null, created }).execute()
}

const grant = async (tx: Writer, row: { account: string; app: string }): Promise<void> => {
  await tx
    .insertInto('app_grants')
    .values({ ...row, connected_at: 1, last_used: 1 })
    .execute()
}

const dropAccount = async (tx: Writer, { id }: { id: string }): Promise<number> => {
  const gone = await tx.deleteFrom('accounts').where('id', '=', id).returning('id').execute()
  return gone.length
}

const echo = async (_tx: Writer, input: unknown): Promise<unknown> => input

/** Procedures for tests of the rows seam. */
export const writes = { set, insert, increment, setThenThrow, account, grant, dropAccount, echo }
