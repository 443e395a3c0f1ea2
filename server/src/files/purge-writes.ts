import { sql } from 'kysely'
import type { Writer } from '../rows/rows.ts'
import { count, usageOf } from './usage-writes.ts'

/**
 * Removes up to `limit` files of an account, or of one app of it, without a trace: whoever lists from before then is told to start
 * again. `until` leaves out what changed later. Answers how many files went, and `more` when some are left.
 */
export const purgeFiles = async (
  tx: Writer,
  input: { account: string; app: string | null; until: number | null; limit: number; now: number },
): Promise<{ files: number; more: boolean }> => {
  const { account, app, until, limit, now } = input
  let spaces = tx.selectFrom('file_spaces').selectAll().where('account', '=', account).where('files', '>', 0)
  if (app !== null) spaces = spaces.where('app', '=', app)
  const space = await spaces.limit(1).executeTakeFirst()
  if (space === undefined) return { files: 0, more: false }
  let found = tx.selectFrom('files').select(['name', 'size', 'blob']).where('space', '=', space.id).where('removed', '=', 0)
  if (until !== null) found = found.where('version', '<=', until)
  const rows = await found.orderBy('version').limit(limit).execute()
  if (rows.length === 0) return { files: 0, more: false }
  const names = rows.map(row => row.name)
  const blobs = rows.flatMap(row => row.blob ?? [])
  const bytes = rows.reduce((sum, row) => sum + row.size, 0)
  await tx.deleteFrom('files').where('space', '=', space.id).where('name', 'in', names).execute()
  await tx.deleteFrom('file_contents').where('space', '=', space.id).where('name', 'in', names).execute()
  if (blobs.length > 0) await tx.updateTable('file_blobs').set({ status: 'deleted' }).where('id', 'in', blobs).execute()
  const changed = space.changed + 1
  await tx
    .updateTable('file_spaces')
    .set({ changed, pruned: changed, files: space.files - rows.length, bytes: space.bytes - bytes })
    .where('id', '=', space.id)
    .execute()
  await count(tx, await usageOf(tx, account, now), { files: -rows.length, bytes: -bytes }, now)
  return { files: rows.length, more: app === null || rows.length === limit }
}

/** Forgets up to `limit` traces of files removed before a time; answers how many. */
export const pruneFiles = async (tx: Writer, input: { before: number; limit: number }): Promise<number> => {
  const rows = await tx
    .selectFrom('files')
    .select(['space', 'name', 'version'])
    // As the index says it, or it would not be used.
    .where(sql<boolean>`removed = 1`)
    .where('updated_at', '<', input.before)
    .limit(input.limit)
    .execute()
  for (const { space, name, version } of rows) {
    await tx.deleteFrom('files').where('space', '=', space).where('name', '=', name).execute()
    await tx.updateTable('file_spaces').set({ pruned: version }).where('id', '=', space).where('pruned', '<', version).execute()
  }
  return rows.length
}

/** Forgets what is left of an account's files once they are purged; their bytes are given up. */
export const forgetFileAccount = async (tx: Writer, input: { account: string }): Promise<void> => {
  const { account } = input
  const spaces = tx.selectFrom('file_spaces').select('id').where('account', '=', account)
  await tx.deleteFrom('file_contents').where('space', 'in', spaces).execute()
  await tx.deleteFrom('files').where('space', 'in', spaces).execute()
  await tx
    .deleteFrom('file_parts')
    .where('blob', 'in', tx.selectFrom('file_blobs').select('id').where('account', '=', account))
    .execute()
  await tx.updateTable('file_blobs').set({ status: 'deleted' }).where('account', '=', account).execute()
  await tx.deleteFrom('file_spaces').where('account', '=', account).execute()
  await tx.deleteFrom('file_usage').where('account', '=', account).execute()
  await tx.deleteFrom('file_days').where('account', '=', account).execute()
}
