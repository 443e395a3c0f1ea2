import { listFileApps, readFileUsage } from '@deputy/contract/api-files'
import { handler } from '../http/handler.ts'
import { noAccount } from './refusals.ts'
import { dayOf } from './usage-writes.ts'

const daysShown = 30
const dayMs = 86_400_000

/** What the account uses of its file storage, unfinished uploads included. */
export const fileUsage = handler(readFileUsage, async (_input, { session, rows, fileLimits }) => {
  const { account } = session
  const limits = await fileLimits(account)
  if (limits === null) return noAccount
  const used = await rows.read.selectFrom('file_usage').selectAll().where('account', '=', account).executeTakeFirst()
  return { usedBytes: (used?.bytes ?? 0) + (used?.reserved ?? 0), limitBytes: limits.bytes, files: used?.files ?? 0, maxFiles: limits.files }
})

/** Files per app, and what they came to at the end of each of the last 30 days. */
export const fileApps = handler(listFileApps, async (_input, { session, rows, clock }) => {
  const { account } = session
  const epoch = (await rows.read.selectFrom('key_states').select('epoch').where('account', '=', account).executeTakeFirst())?.epoch ?? 0
  const apps = await rows.read
    .selectFrom('file_spaces')
    .select(row => [
      'app',
      'files',
      'bytes',
      row
        .selectFrom('files')
        .select(file => file.fn.countAll<number>().as('count'))
        .whereRef('files.space', '=', 'file_spaces.id')
        .where('files.removed', '=', 0)
        .where('files.epoch', '<', epoch)
        .as('oldEpoch'),
    ])
    .where('account', '=', account)
    .where('files', '>', 0)
    .orderBy('bytes', 'desc')
    .orderBy('app')
    .limit(10_000)
    .execute()
  const usage = await rows.read.selectFrom('file_usage').selectAll().where('account', '=', account).executeTakeFirst()
  const totals = await rows.read.selectFrom('file_days').select(['day', 'bytes']).where('account', '=', account).orderBy('day', 'desc').execute()
  const today = dayOf(clock.now())
  const bytesOn = (day: number): number => (usage !== undefined && day >= usage.day ? usage.bytes : (totals.find(total => total.day <= day)?.bytes ?? 0))
  const days = Array.from({ length: daysShown }, (_, index) => today - daysShown + 1 + index)
  return {
    apps: apps.map(({ app, files, bytes, oldEpoch }) => ({ app, files, bytes, oldEpoch: Number(oldEpoch ?? 0) })),
    days: days.map(day => ({ day: new Date(day * dayMs).toISOString().slice(0, 10), bytes: bytesOn(day) })),
  }
})
