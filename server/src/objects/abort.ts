import { abortObject } from '@deputy/contract/api-objects'
import { handler, refuse } from '../http/handler.ts'
import { findOwn } from './find.ts'
import { noObject } from './refusals.ts'

/** Gives a reservation back. */
export const abort = handler(abortObject, async ({ id }, { session, rows, clock, clearObjects }) => {
  const { account, app } = session
  if (!(await rows.write('giveUpObject', { id, account, app, statuses: ['uploading'] })))
    return (await findOwn({ rows, clock }, id, session))?.status === 'ready' ? refuse('conflict', 'the object is ready') : noObject
  await clearObjects([id])
  return {}
})
