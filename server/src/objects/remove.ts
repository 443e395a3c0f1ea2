import { removeObject } from '@deputy/contract/api-objects'
import { handler } from '../http/handler.ts'
import { noObject } from './refusals.ts'

/** Deletes any object of the account, or gives up any upload of it. */
export const removeAny = handler(removeObject, async ({ id }, { session, rows, clearObjects }) => {
  const { account } = session
  if (!(await rows.write('giveUpObject', { id, account, app: null, statuses: ['uploading', 'ready'] }))) return noObject
  await clearObjects([id])
  return {}
})
