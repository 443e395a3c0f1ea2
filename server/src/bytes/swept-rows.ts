import type { Reader } from '../rows/rows.ts'
import { sweepBatch, type SweptArea } from './sweep.ts'

/** What a sweep reads of a table whose rows name bytes. `coming` are ids of bytes on their way, which no row names yet. */
export const sweptRows = (
  read: Reader,
  table: 'objects' | 'file_blobs',
  coming: ReadonlySet<string> = new Set(),
): Pick<SweptArea, 'deletedAfter' | 'rowsOf'> => ({
  deletedAfter: async after => {
    const found = await read.selectFrom(table).select('id').where('status', '=', 'deleted').where('id', '>', after).orderBy('id').limit(sweepBatch).execute()
    return found.map(row => row.id)
  },
  rowsOf: async prefix => {
    // Looked at before the rows: what no longer comes by then has its row, or no bytes.
    const onTheirWay = [...coming].filter(id => id.startsWith(prefix)).map(id => [id, 'uploading'] as const)
    const found = await read.selectFrom(table).select(['id', 'status']).where('id', '>=', prefix).where('id', '<=', `${prefix}g`).execute()
    return new Map([...onTheirWay, ...found.map(row => [row.id, row.status] as const)])
  },
})

/** Accounts that are no more and still have use counted. */
export async function goneAccounts(read: Reader, table: 'object_usage' | 'file_usage'): Promise<readonly string[]> {
  const found = await read
    .selectFrom(table)
    .select('account')
    .where(row => row.not(row.exists(row.selectFrom('accounts').select('id').whereRef('accounts.id', '=', `${table}.account`))))
    .execute()
  return found.map(row => row.account)
}

/** Works in batches of `sweepBatch` until one is not full; answers how many there were together. */
export async function inBatches(work: () => Promise<number>, closing: () => boolean): Promise<number> {
  let all = 0
  for (let found = sweepBatch; found === sweepBatch && !closing();) {
    found = await work()
    all += found
  }
  return all
}
