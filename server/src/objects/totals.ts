import type { Services } from '../services.ts'
import { limitsOf } from './limits-of.ts'
import { storedFrom } from './stored.ts'

type Needs = Pick<Services, 'rows' | 'origins' | 'config' | 'profileOf'>
type Offered = Pick<Services, 'objectLimits' | 'objectTotals' | 'exportObjects'>

/** What other areas may learn of an account's objects. */
export const objectTotals = ({ rows, origins, config, profileOf }: Needs): Offered => ({
  objectLimits: async account => {
    const profile = await profileOf(account)
    return profile === null ? null : limitsOf(config, profile.premium)
  },
  objectTotals: async account => {
    const found = await rows.read
      .selectFrom('objects')
      .select(['app', row => row.fn.countAll<number>().as('objects'), row => row.fn.sum<number>('sealed_size').as('bytes')])
      .where('account', '=', account)
      .where('status', '!=', 'deleted')
      .groupBy('app')
      .execute()
    return new Map(found.map(({ app, objects, bytes }) => [app, { objects: Number(objects), bytes: Number(bytes) }]))
  },
  exportObjects: async account => {
    const found = await rows.read
      .selectFrom('objects')
      .select(['id', 'app', 'created', 'size', 'status'])
      .where('account', '=', account)
      .where('status', '!=', 'deleted')
      .orderBy('created')
      .orderBy('id')
      .execute()
    return found.map(row => ({ app: row.app, ...storedFrom(row, origins.cdn) }))
  },
})
