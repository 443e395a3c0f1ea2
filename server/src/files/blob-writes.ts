import type { Writer } from '../rows/rows.ts'
import type { FileBlobRow } from '../rows/file-schema.ts'
import { count, usageOf } from './usage-writes.ts'
import type { FileLimits, Owner } from './writes.ts'

/** Reserves room for bytes to come by parts. Overdue uploads of the account are given up first, so that they cannot stand in the way. */
export const beginFile = async (
  tx: Writer,
  input: Owner & { id: string; size: number; partBytes: number; epoch: number; now: number; expiresAt: number; limits: FileLimits },
): Promise<'begun' | 'no-keys' | 'other-epoch' | 'quota' | 'too-many-uploads'> => {
  const { id, account, app, size, partBytes, epoch, now, expiresAt, limits } = input
  const keys = await tx.selectFrom('key_states').select('epoch').where('account', '=', account).executeTakeFirst()
  if (keys === undefined) return 'no-keys'
  if (keys.epoch !== epoch) return 'other-epoch'
  for (const row of await overdueOf(tx, now).where('account', '=', account).execute()) await giveUp(tx, row, now)
  const usage = await usageOf(tx, account, now)
  if (usage.bytes + usage.reserved + size > limits.bytes) return 'quota'
  const open = await tx
    .selectFrom('file_blobs')
    .select(row => row.fn.countAll<number>().as('uploads'))
    .where('account', '=', account)
    .where('status', '=', 'uploading')
    .executeTakeFirstOrThrow()
  if (Number(open.uploads) >= limits.uploads) return 'too-many-uploads'
  await tx
    .insertInto('file_blobs')
    .values({ id, account, app, size, part_bytes: partBytes, status: 'uploading', created: now, expires_at: expiresAt })
    .execute()
  await count(tx, usage, { reserved: size }, now)
  return 'begun'
}

/** Notes that a part has landed and moves the end of the upload on; false when there is no such upload any more. */
export const landFilePart = async (
  tx: Writer,
  input: Owner & { id: string; part: number; bytes: number; now: number; expiresAt: number },
): Promise<boolean> => {
  const { id, part, bytes, now, expiresAt } = input
  const row = await uploadOf(tx, input)
  if (row === undefined || row.expires_at <= now) return false
  await tx
    .insertInto('file_parts')
    .values({ blob: id, part, bytes })
    .onConflict(conflict => conflict.columns(['blob', 'part']).doNothing())
    .execute()
  await tx.updateTable('file_blobs').set({ expires_at: expiresAt }).where('id', '=', id).execute()
  return true
}

/** Gives an upload up; false when there is no such. */
export const giveUpFileUpload = async (tx: Writer, input: Owner & { id: string; now: number }): Promise<boolean> => {
  const row = await uploadOf(tx, input)
  if (row === undefined) return false
  await giveUp(tx, row, input.now)
  return true
}

/** Gives all uploads of an account up. */
export const giveUpFileUploads = async (tx: Writer, input: { account: string; now: number }): Promise<void> => {
  const { account, now } = input
  const rows = await tx.selectFrom('file_blobs').selectAll().where('account', '=', account).where('status', '=', 'uploading').execute()
  for (const row of rows) await giveUp(tx, row, now)
}

/** Gives up to `limit` overdue uploads up; answers how many there were. */
export const expireFileUploads = async (tx: Writer, input: { now: number; limit: number }): Promise<number> => {
  const overdue = await overdueOf(tx, input.now).limit(input.limit).execute()
  for (const row of overdue) await giveUp(tx, row, input.now)
  return overdue.length
}

/** Forgets bytes given up that are gone. */
export const forgetFileBlobs = async (tx: Writer, input: { ids: readonly string[] }): Promise<void> => {
  await tx.deleteFrom('file_blobs').where('id', 'in', input.ids).where('status', '=', 'deleted').execute()
}

const overdueOf = (tx: Writer, now: number) => tx.selectFrom('file_blobs').selectAll().where('status', '=', 'uploading').where('expires_at', '<=', now)

const uploadOf = async (tx: Writer, { id, account, app }: Owner & { id: string }): Promise<FileBlobRow | undefined> =>
  tx
    .selectFrom('file_blobs')
    .selectAll()
    .where('id', '=', id)
    .where('account', '=', account)
    .where('app', '=', app)
    .where('status', '=', 'uploading')
    .executeTakeFirst()

const giveUp = async (tx: Writer, { id, account, size }: FileBlobRow, now: number): Promise<void> => {
  await tx.deleteFrom('file_parts').where('blob', '=', id).execute()
  await tx.updateTable('file_blobs').set({ status: 'deleted' }).where('id', '=', id).execute()
  await count(tx, await usageOf(tx, account, now), { reserved: -size }, now)
}
