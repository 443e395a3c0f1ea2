import { completeObject } from '@deputy/contract/api-objects'
import { NotAssembled } from '../bytes/bytes.ts'
import { handler, refuse } from '../http/handler.ts'
import { placeOf } from '../operations/log.ts'
import { cutOfRow, findOwn } from './find.ts'
import { noObject } from './refusals.ts'
import { sizesOf } from './record-size.ts'
import { storedFrom } from './stored.ts'

/** Makes an object of its parts: the bytes first, then the row that says it is ready. */
export const complete = handler(completeObject, async ({ id }, { session, rows, bytes, clock, origins, log }) => {
  const row = await findOwn({ rows, clock }, id, session)
  if (row === undefined) return noObject
  const ready = storedFrom({ ...row, status: 'ready' }, origins.cdn)
  if (row.status === 'ready') return ready
  const sizes = sizesOf(cutOfRow(row))
  const landed = await rows.read.selectFrom('object_parts').select(['part', 'bytes']).where('object', '=', id).orderBy('part').execute()
  // Parts of a row that became ready in between are no longer listed; the procedure below then says so.
  const missing = landed.length !== sizes.length || landed.some(({ part, bytes: count }, index) => part !== index || count !== sizes[index])
  if (missing) return (await findOwn({ rows, clock }, id, session))?.status === 'ready' ? ready : refuse('conflict', 'a part is missing')
  try {
    await bytes.assemble(id, sizes)
  } catch (error) {
    const now = await findOwn({ rows, clock }, id, session)
    if (now === undefined) return noObject
    log.error(error instanceof NotAssembled ? 'object-bytes-missing' : 'object-not-assembled', placeOf(error))
    return refuse('unavailable', 'the object could not be made ready')
  }
  const { account, app } = session
  if (await rows.write('finishObject', { id, account, app, now: clock.now() })) return ready
  await bytes.remove(id)
  return noObject
})
