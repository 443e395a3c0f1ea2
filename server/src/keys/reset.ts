import { resetKeys } from '@deputy/contract/api-keys'
import { handler, refuse } from '../http/handler.ts'

/** Gives up the keys and every file sealed under them. Files first: as long as one is left, so are the keys that open it. */
export const keysReset = handler(resetKeys, async ({ name }, { session, rows, profileOf, purgeFiles }) => {
  const { account } = session
  const profile = await profileOf(account)
  if (profile === null) return refuse('unauthorized', 'the session is unknown or over')
  if (name !== profile.name) return refuse('invalid', 'the name is not that of the account')
  for (let files = 0; ;) {
    files += await purgeFiles(account, null)
    const outcome = await rows.write('resetKeys', { account })
    if (outcome !== 'files-left') return { files, had: outcome === 'had' }
  }
})
