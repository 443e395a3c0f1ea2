import { sweepBatch, type SweptArea } from '../bytes/sweep.ts'
import type { Services } from '../services.ts'

type Needs = Pick<Services, 'rows' | 'fileBytes' | 'clock' | 'config' | 'dropFiles'> & {
  /** Removes bytes given up and forgets their rows; answers how many are gone. */
  readonly clear: (ids: readonly string[]) => Promise<number>
}

/** Files, as the sweep sees them. Traces of removed files are forgotten with it. */
export const sweptFiles = ({ rows, fileBytes, clock, config, dropFiles, clear }: Needs): SweptArea => ({
  bytes: fileBytes,
  expire: async closing => {
    const gone = await rows.read
      .selectFrom('file_usage')
      .select('account')
      .where(row => row.not(row.exists(row.selectFrom('accounts').select('id').whereRef('accounts.id', '=', 'file_usage.account'))))
      .execute()
    for (const { account } of gone) await dropFiles(account)
    for (let pruned = sweepBatch; pruned === sweepBatch && !closing();) {
      pruned = await rows.write('pruneFiles', { before: clock.now() - config.files.traces, limit: sweepBatch })
    }
    let expired = 0
    for (let found = sweepBatch; found === sweepBatch && !closing();) {
      found = await rows.write('expireFileUploads', { now: clock.now(), limit: sweepBatch })
      expired += found
    }
    return expired
  },
  deletedAfter: async after => {
    const found = await rows.read
      .selectFrom('file_blobs')
      .select('id')
      .where('status', '=', 'deleted')
      .where('id', '>', after)
      .orderBy('id')
      .limit(sweepBatch)
      .execute()
    return found.map(row => row.id)
  },
  clear,
  rowsOf: async prefix => {
    const found = await rows.read.selectFrom('file_blobs').select(['id', 'status']).where('id', '>=', prefix).where('id', '<=', `${prefix}g`).execute()
    return new Map(found.map(row => [row.id, row.status]))
  },
})
