import type { Writer } from '../rows/rows.ts'
import type { ObjectRow } from '../rows/schema.ts'

const hourMs = 3_600_000

/** Whose object is meant: that of one app of an account, or any of the account. */
export interface Owner {
  readonly account: string
  readonly app: string | null
}

/** What an account may store. */
export interface ObjectLimits {
  readonly bytes: number
  readonly objects: number
  readonly perHour: number
}

/** Reserves room for an object. Overdue reservations of the account are given up first, so that they cannot stand in the way. */
export const reserveObject = async (
  tx: Writer,
  input: { id: string; account: string; app: string; size: number; sealed: number; partRecords: number; now: number; expiresAt: number; limits: ObjectLimits },
): Promise<'reserved' | 'no-account' | 'conflict' | 'quota' | 'too-many' | 'too-many-this-hour'> => {
  const { id, account, app, size, sealed, partRecords, now, expiresAt, limits } = input
  const known = await tx.selectFrom('accounts').select('id').where('id', '=', account).executeTakeFirst()
  if (known === undefined) return 'no-account'
  const used = await tx.selectFrom('objects').select('id').where('id', '=', id).executeTakeFirst()
  const retired = await tx.selectFrom('retired_objects').select('id').where('id', '=', id).executeTakeFirst()
  if (used !== undefined || retired !== undefined) return 'conflict'
  const overdue = await overdueOf(tx, now).where('account', '=', account).execute()
  for (const row of overdue) await giveUp(tx, row)
  const usage = (await tx.selectFrom('object_usage').selectAll().where('account', '=', account).executeTakeFirst()) ?? { objects: 0, bytes: 0 }
  if (usage.bytes + sealed > limits.bytes) return 'quota'
  if (usage.objects >= limits.objects) return 'too-many'
  const hour = Math.floor(now / hourMs)
  const begun = await tx.selectFrom('object_hours').select('objects').where('account', '=', account).where('hour', '=', hour).executeTakeFirst()
  if ((begun?.objects ?? 0) >= limits.perHour) return 'too-many-this-hour'
  await tx.deleteFrom('object_hours').where('account', '=', account).where('hour', '<', hour).execute()
  await tx
    .insertInto('object_hours')
    .values({ account, hour, objects: 1 })
    .onConflict(conflict => conflict.columns(['account', 'hour']).doUpdateSet(row => ({ objects: row('object_hours.objects', '+', 1) })))
    .execute()
  await tx
    .insertInto('object_usage')
    .values({ account, objects: 1, bytes: sealed })
    .onConflict(conflict =>
      conflict.column('account').doUpdateSet(row => ({ objects: row('object_usage.objects', '+', 1), bytes: row('object_usage.bytes', '+', sealed) })),
    )
    .execute()
  await tx
    .insertInto('objects')
    .values({
      id,
      account,
      app,
      size,
      sealed_size: sealed,
      part_records: partRecords,
      status: 'uploading',
      created: now,
      expires_at: expiresAt,
      ready_at: null,
    })
    .execute()
  return 'reserved'
}

/** Notes that a part has landed and moves the end of the reservation on; false when there is no such upload any more. */
export const landPart = async (tx: Writer, input: Owner & { id: string; part: number; bytes: number; now: number; expiresAt: number }): Promise<boolean> => {
  const { id, account, app, part, bytes, now, expiresAt } = input
  const row = await ownedBy(tx, id, { account, app })
  if (row?.status !== 'uploading' || row.expires_at <= now) return false
  await tx
    .insertInto('object_parts')
    .values({ object: id, part, bytes })
    .onConflict(conflict => conflict.columns(['object', 'part']).doNothing())
    .execute()
  await tx.updateTable('objects').set({ expires_at: expiresAt }).where('id', '=', id).execute()
  return true
}

/** Makes an upload ready whose bytes are in place; false when there is no such upload any more. */
export const finishObject = async (tx: Writer, input: Owner & { id: string; now: number }): Promise<boolean> => {
  const row = await ownedBy(tx, input.id, input)
  if (row === undefined || row.status === 'deleted') return false
  if (row.status === 'ready') return true
  await tx.deleteFrom('object_parts').where('object', '=', row.id).execute()
  await tx.updateTable('objects').set({ status: 'ready', ready_at: input.now }).where('id', '=', row.id).execute()
  return true
}

/** Gives an object of one of the statuses up; false when the owner has none such. */
export const giveUpObject = async (tx: Writer, input: Owner & { id: string; statuses: readonly ('uploading' | 'ready')[] }): Promise<boolean> => {
  const row = await ownedBy(tx, input.id, input)
  if (row === undefined || row.status === 'deleted' || !input.statuses.includes(row.status)) return false
  await giveUp(tx, row)
  return true
}

/** Gives up to `limit` overdue reservations up; answers how many there were. */
export const expireObjects = async (tx: Writer, input: { now: number; limit: number }): Promise<number> => {
  const overdue = await overdueOf(tx, input.now).limit(input.limit).execute()
  for (const row of overdue) await giveUp(tx, row)
  return overdue.length
}

/** Gives all objects of an account up. */
export const dropObjects = async (tx: Writer, input: { account: string }): Promise<void> => {
  const { account } = input
  await tx
    .deleteFrom('object_parts')
    .where('object', 'in', tx.selectFrom('objects').select('id').where('account', '=', account))
    .execute()
  await tx.updateTable('objects').set({ status: 'deleted' }).where('account', '=', account).execute()
  await tx.deleteFrom('object_usage').where('account', '=', account).execute()
  await tx.deleteFrom('object_hours').where('account', '=', account).execute()
}

/** Forgets objects given up whose bytes are gone; only their ids stay, retired. */
export const forgetObjects = async (tx: Writer, input: { ids: readonly string[] }): Promise<void> => {
  for (const id of input.ids) {
    const gone = await tx.deleteFrom('objects').where('id', '=', id).where('status', '=', 'deleted').returning('id').executeTakeFirst()
    if (gone === undefined) continue
    await tx
      .insertInto('retired_objects')
      .values({ id })
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
}

const overdueOf = (tx: Writer, now: number) => tx.selectFrom('objects').selectAll().where('status', '=', 'uploading').where('expires_at', '<=', now)

const ownedBy = async (tx: Writer, id: string, { account, app }: Owner): Promise<ObjectRow | undefined> => {
  const query = tx.selectFrom('objects').selectAll().where('id', '=', id).where('account', '=', account)
  return (app === null ? query : query.where('app', '=', app)).executeTakeFirst()
}

const giveUp = async (tx: Writer, { id, account, sealed_size: sealed }: ObjectRow): Promise<void> => {
  await tx.deleteFrom('object_parts').where('object', '=', id).execute()
  await tx.updateTable('objects').set({ status: 'deleted' }).where('id', '=', id).execute()
  await tx
    .updateTable('object_usage')
    .set(row => ({ objects: row('objects', '-', 1), bytes: row('bytes', '-', sealed) }))
    .where('account', '=', account)
    .execute()
}
