import { readUsage } from '@deputy/contract/api-objects'
import { handler, refuse } from '../http/handler.ts'

/** What the account uses of its object storage, reservations included. */
export const usage = handler(readUsage, async (_input, { session, rows, clock, objectLimits }) => {
  const { account } = session
  const limits = await objectLimits(account)
  if (limits === null) return refuse('unauthorized', 'the session is unknown or over')
  const used = await rows.read.selectFrom('object_usage').select(['objects', 'bytes']).where('account', '=', account).executeTakeFirst()
  const hour = Math.floor(clock.now() / 3_600_000)
  const begun = await rows.read.selectFrom('object_hours').select('objects').where('account', '=', account).where('hour', '=', hour).executeTakeFirst()
  return {
    usedBytes: used?.bytes ?? 0,
    limitBytes: limits.bytes,
    objects: used?.objects ?? 0,
    maxObjects: limits.objects,
    storedThisHour: begun?.objects ?? 0,
    maxPerHour: limits.perHour,
  }
})
