import { rawHandler, refuse } from '../http/handler.ts'
import { receivePart } from '../http/receive-part.ts'
import { cutOfRow, findOwn } from './find.ts'
import { noObject } from './refusals.ts'
import { sizeOfPart } from './record-size.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const number = /^(?:0|[1-9]\d{0,4})$/

/** Receives a part: sealed bytes of exactly the size the object's cut gives it. */
export const part = rawHandler(
  { method: 'PUT', path: '/v1/objects/:id/parts/:part', name: 'objects/part', access: 'app', pace: 'none' },
  async (request, call) => {
    const { session, rows, bytes, clock, config, partsInFlight } = call
    const { account, app } = session
    const { id, part: index } = request.req.param()
    if (id === undefined || index === undefined || !uuid.test(id) || !number.test(index)) return noObject
    const row = await findOwn({ rows, clock }, id, session)
    if (row === undefined) return noObject
    if (row.status === 'ready') return refuse('conflict', 'the object is ready')
    const cut = cutOfRow(row)
    const place = { part: Number(index), offset: Number(index) * cut.partBytes, size: sizeOfPart(cut, Number(index)) }
    if (place.size === 0) return refuse('invalid', 'the object has no such part')
    return receivePart(
      {
        id,
        account,
        place,
        incoming: request.env.incoming,
        bytes,
        inFlight: partsInFlight,
        missing: noObject,
        landed: async () =>
          (await rows.read.selectFrom('object_parts').select('part').where('object', '=', id).where('part', '=', place.part).executeTakeFirst()) !== undefined,
        land: () => {
          const now = clock.now()
          return rows.write('landPart', { id, account, app, part: place.part, bytes: place.size, now, expiresAt: now + config.objects.unfinished })
        },
        gone: async () => (await findOwn({ rows, clock }, id, session)) === undefined,
      },
      call,
    )
  },
)
