import { deleteObject } from '@deputy/contract/api-objects'
import { handler, refuse } from '../http/handler.ts'
import { noObject } from './refusals.ts'

/** Deletes an object of the calling app. Whoever has the link knows that another's exists, so that one is refused as such. */
export const remove = handler(deleteObject, async ({ id }, { session, rows, clearObjects }) => {
  const { account, app } = session
  if (!(await rows.write('giveUpObject', { id, account, app, statuses: ['ready'] }))) {
    const others = await rows.read.selectFrom('objects').select(['account', 'app']).where('id', '=', id).where('status', '=', 'ready').executeTakeFirst()
    return others === undefined ? noObject : refuse('denied', 'only the app that stored the object can delete it')
  }
  await clearObjects([id])
  return {}
})
