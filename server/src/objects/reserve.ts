import { reserveObject } from '@deputy/contract/api-objects'
import { handler, refuse } from '../http/handler.ts'
import { cutOf, recordsPerPart } from './record-size.ts'

const refusals = {
  'no-account': refuse('unauthorized', 'the session is unknown or over'),
  conflict: refuse('conflict', 'the id is in use'),
  quota: refuse('quota', 'the account has no room for an object of this size'),
  'too-many': refuse('too-many', 'the account has as many objects as it may'),
  'too-many-this-hour': refuse('too-many-this-hour', 'the account stored as many objects this hour as it may'),
}

/** Reserves room for an object and says how it is cut into parts. */
export const reserve = handler(reserveObject, async ({ id, size }, { session, rows, clock, config, objectLimits }) => {
  const { part, largest, unfinished } = config.objects
  if (size > largest) return refuse('too-large', `an object may have at most ${largest} bytes`)
  const limits = await objectLimits(session.account)
  if (limits === null) return refusals['no-account']
  const cut = cutOf(size, recordsPerPart(size, part))
  const now = clock.now()
  const expiresAt = now + unfinished
  const { account, app } = session
  const outcome = await rows.write('reserveObject', { id, account, app, size, sealed: cut.total, partRecords: cut.recordsPerPart, now, expiresAt, limits })
  if (outcome !== 'reserved') return refusals[outcome]
  return { partBytes: cut.partBytes, parts: cut.parts, recordsPerPart: cut.recordsPerPart, expiresAt }
})
