import type { Services } from '../services.ts'
import { fileFrom } from './find.ts'
import { limitsOf } from './limits-of.ts'

/** Files removed in one turn of the writer, which others wait for. */
const batch = 500

type Needs = Pick<Services, 'rows' | 'config' | 'clock' | 'premiumOf'>
type Offered = Pick<Services, 'fileLimits' | 'purgeFiles' | 'exportFiles' | 'dropFiles'>

/** What other areas may know of an account's files and do with them. */
export function accountFiles({ rows, config, clock, premiumOf }: Needs): Offered {
  const purge = async (account: string, app: string | null, until: number | null): Promise<number> => {
    let removed = 0
    for (let more = true; more;) {
      const done = await rows.write('purgeFiles', { account, app, until, limit: batch, now: clock.now() })
      removed += done.files
      more = done.more
    }
    return removed
  }
  return {
    fileLimits: async account => {
      const premium = await premiumOf(account)
      return premium === null ? null : limitsOf(config, premium)
    },
    purgeFiles: async (account, app) => {
      if (app === null) {
        await rows.write('giveUpFileUploads', { account, now: clock.now() })
        return purge(account, null, null)
      }
      // What the app writes from now on stays, or this might never end.
      const space = await rows.read.selectFrom('file_spaces').select('changed').where('account', '=', account).where('app', '=', app).executeTakeFirst()
      return space === undefined ? 0 : purge(account, app, space.changed)
    },
    exportFiles: async account => {
      const found = await rows.read
        .selectFrom('files')
        .innerJoin('file_spaces', 'file_spaces.id', 'files.space')
        .selectAll('files')
        .select('file_spaces.app')
        .where('file_spaces.account', '=', account)
        .where('files.removed', '=', 0)
        .orderBy('file_spaces.app')
        .orderBy('files.version')
        .execute()
      return found.map(row => ({ app: row.app, ...fileFrom(row) }))
    },
    dropFiles: async account => {
      await purge(account, null, null)
      await rows.write('forgetFileAccount', { account })
    },
  }
}
