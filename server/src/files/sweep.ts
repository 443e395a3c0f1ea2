import { sweepBatch, type SweptArea } from '../bytes/sweep.ts'
import { goneAccounts, inBatches, sweptRows } from '../bytes/swept-rows.ts'
import type { Services } from '../services.ts'

type Needs = Pick<Services, 'rows' | 'fileBytes' | 'filesComing' | 'clock' | 'config' | 'dropFiles'> & {
  /** Removes bytes given up and forgets their rows; answers how many are gone. */
  readonly clear: (ids: readonly string[]) => Promise<number>
}

/** Files, as the sweep sees them. Traces of removed files are forgotten with it. */
export const sweptFiles = ({ rows, fileBytes, filesComing, clock, config, dropFiles, clear }: Needs): SweptArea => ({
  ...sweptRows(rows.read, 'file_blobs', filesComing),
  bytes: fileBytes,
  expire: async closing => {
    for (const account of await goneAccounts(rows.read, 'file_usage')) await dropFiles(account)
    await inBatches(() => rows.write('pruneFiles', { before: clock.now() - config.files.traces, limit: sweepBatch }), closing)
    return inBatches(() => rows.write('expireFileUploads', { now: clock.now(), limit: sweepBatch }), closing)
  },
  clear,
})
