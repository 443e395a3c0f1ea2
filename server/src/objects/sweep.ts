import { sweepBatch, type SweptArea } from '../bytes/sweep.ts'
import type { Services } from '../services.ts'

/** Objects, as the sweep sees them. */
export const sweptObjects = ({ rows, bytes, clock, clearObjects }: Pick<Services, 'rows' | 'bytes' | 'clock' | 'clearObjects'>): SweptArea => ({
  bytes,
  expire: async closing => {
    const gone = await rows.read
      .selectFrom('object_usage')
      .select('account')
      .where(row => row.not(row.exists(row.selectFrom('accounts').select('id').whereRef('accounts.id', '=', 'object_usage.account'))))
      .execute()
    for (const { account } of gone) await rows.write('dropObjects', { account })
    let expired = 0
    for (let found = sweepBatch; found === sweepBatch && !closing();) {
      found = await rows.write('expireObjects', { now: clock.now(), limit: sweepBatch })
      expired += found
    }
    return expired
  },
  deletedAfter: async after => {
    const found = await rows.read
      .selectFrom('objects')
      .select('id')
      .where('status', '=', 'deleted')
      .where('id', '>', after)
      .orderBy('id')
      .limit(sweepBatch)
      .execute()
    return found.map(row => row.id)
  },
  clear: clearObjects,
  rowsOf: async prefix => {
    const found = await rows.read.selectFrom('objects').select(['id', 'status']).where('id', '>=', prefix).where('id', '<=', `${prefix}g`).execute()
    return new Map(found.map(row => [row.id, row.status]))
  },
})
