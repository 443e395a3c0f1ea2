import { sweepBatch, type SweptArea } from '../bytes/sweep.ts'
import { goneAccounts, inBatches, sweptRows } from '../bytes/swept-rows.ts'
import type { Services } from '../services.ts'

/** Objects, as the sweep sees them. */
export const sweptObjects = ({ rows, bytes, clock, clearObjects }: Pick<Services, 'rows' | 'bytes' | 'clock' | 'clearObjects'>): SweptArea => ({
  ...sweptRows(rows.read, 'objects'),
  bytes,
  expire: async closing => {
    for (const account of await goneAccounts(rows.read, 'object_usage')) await rows.write('dropObjects', { account })
    return inBatches(() => rows.write('expireObjects', { now: clock.now(), limit: sweepBatch }), closing)
  },
  clear: clearObjects,
})
