import type { Writer } from '../rows/rows.ts'
import type { FileUsageRow } from '../rows/file-schema.ts'

const dayMs = 86_400_000
/** Days whose totals are kept. */
export const daysKept = 31

/** Epoch days (UTC). */
export const dayOf = (now: number): number => Math.floor(now / dayMs)

/** What the account's files count for; nothing so far for one without files. */
export const usageOf = async (tx: Writer, account: string, now: number): Promise<FileUsageRow> =>
  (await tx.selectFrom('file_usage').selectAll().where('account', '=', account).executeTakeFirst()) ?? {
    account,
    files: 0,
    bytes: 0,
    reserved: 0,
    day: dayOf(now),
  }

/**
 * Counts a change. The first change of a day closes the day of the one before: its total is kept at its own day or, when that is
 * longer ago than days are kept, at the first day that still is.
 */
export async function count(tx: Writer, before: FileUsageRow, change: { files?: number; bytes?: number; reserved?: number }, now: number): Promise<void> {
  const { account } = before
  const today = Math.max(before.day, dayOf(now))
  if (before.day < today) {
    await tx
      .insertInto('file_days')
      .values({ account, day: Math.max(before.day, today - daysKept), bytes: before.bytes })
      .onConflict(conflict => conflict.columns(['account', 'day']).doUpdateSet({ bytes: before.bytes }))
      .execute()
    await tx
      .deleteFrom('file_days')
      .where('account', '=', account)
      .where('day', '<', today - daysKept)
      .execute()
  }
  const after = {
    files: before.files + (change.files ?? 0),
    bytes: before.bytes + (change.bytes ?? 0),
    reserved: before.reserved + (change.reserved ?? 0),
    day: today,
  }
  await tx
    .insertInto('file_usage')
    .values({ account, ...after })
    .onConflict(conflict => conflict.column('account').doUpdateSet(after))
    .execute()
}
