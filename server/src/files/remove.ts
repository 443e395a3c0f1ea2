import { removeAppFiles, removeFile } from '@deputy/contract/api-files'
import { handler } from '../http/handler.ts'
import { noFile, refusals } from './refusals.ts'

/** Removes a file of the calling app. */
export const fileRemove = handler(removeFile, async ({ name, base = null }, { session, rows, clock, clearFileBlobs }) => {
  const { account, app } = session
  const done = await rows.write('removeFile', { account, app, name, base, now: clock.now() })
  if (typeof done === 'string') return refusals[done]
  if (done.old !== null) clearFileBlobs([done.old])
  return { changed: done.changed }
})

/** Removes one file of an app, or all of them, for the account page. */
export const fileRemoveApp = handler(removeAppFiles, async ({ app, name }, { session, rows, clock, clearFileBlobs, purgeFiles }) => {
  const { account } = session
  if (name === null) return { removed: await purgeFiles(account, app) }
  const done = await rows.write('removeFile', { account, app, name, base: null, now: clock.now() })
  if (typeof done === 'string') return noFile
  if (done.old !== null) clearFileBlobs([done.old])
  return { removed: 1 }
})
