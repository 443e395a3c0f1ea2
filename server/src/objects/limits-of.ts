import type { Config } from '../config/schema.ts'
import type { ObjectLimits } from './writes.ts'

/** What an account may store, by configuration. */
export const limitsOf = ({ objects }: Config, premium: boolean): ObjectLimits => ({
  bytes: premium ? objects.bytesPremium : objects.bytes,
  objects: premium ? objects.countPremium : objects.count,
  perHour: objects.perHour,
})
