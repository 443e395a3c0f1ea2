import type { IncomingMessage } from 'node:http'
import { WrongLength } from '../bytes/bytes.ts'
import { answer } from '../http/answer.ts'
import { rawHandler, refuse } from '../http/handler.ts'
import { placeOf } from '../operations/log.ts'
import { cutOfRow, findOwn } from './find.ts'
import { noObject } from './refusals.ts'
import { sizeOfPart } from './record-size.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const number = /^(?:0|[1-9]\d{0,4})$/
const wrongLength = refuse('invalid', 'the part does not have the size it must have')

/**
 * Receives a part: sealed bytes of exactly the size the object's cut gives it, said by Content-Length. The bytes go to disk as
 * they arrive, and the answer comes once they and the row that counts them are durable. A part that has landed is read and
 * answered again without being written; a new request for a part stops an older one.
 */
export const part = rawHandler(
  { method: 'PUT', path: '/v1/objects/:id/parts/:part', name: 'objects/part', access: 'app', pace: 'none' },
  async (request, { session, rows, bytes, clock, config, log, metrics, partsInFlight }) => {
    const { id, part: index } = request.req.param()
    const { incoming } = request.env
    if (id === undefined || index === undefined || !uuid.test(id) || !number.test(index)) return noObject
    const row = await findOwn({ rows, clock }, id, session)
    if (row === undefined) return noObject
    if (row.status === 'ready') return refuse('conflict', 'the object is ready')
    const cut = cutOfRow(row)
    const place = { part: Number(index), offset: Number(index) * cut.partBytes, size: sizeOfPart(cut, Number(index)) }
    if (place.size === 0) return refuse('invalid', 'the object has no such part')
    if (incoming.headers['content-length'] !== String(place.size)) return wrongLength

    const release = await partsInFlight.take(session.account, id, place.part, () => incoming.destroy())
    if (release === null) return refuse('rate-limited', 'too many parts at a time')
    // Counts as silence only what the sender does not send: reading is resumed as fast as the disk writes.
    incoming.setTimeout(config.limits.idle)
    try {
      const landed = await rows.read.selectFrom('object_parts').select('part').where('object', '=', id).where('part', '=', place.part).executeTakeFirst()
      if (landed !== undefined) {
        await readAll(incoming, place.size)
        return answer({})
      }
      await bytes.putPart(id, place, bodyOf(incoming))
      metrics.bytes('in', place.size)
      const now = clock.now()
      const { account, app } = session
      if (await rows.write('landPart', { id, account, app, part: place.part, bytes: place.size, now, expiresAt: now + config.objects.unfinished }))
        return answer({})
      // Given up meanwhile, perhaps before the file was made again by this part.
      if ((await findOwn({ rows, clock }, id, session)) === undefined) await bytes.remove(id, 'unfinished')
      return noObject
    } catch (error) {
      if (error instanceof WrongLength) return wrongLength
      if (incoming.destroyed && !incoming.complete) return refuse('conflict', 'the part broke off')
      log.error('part-not-kept', placeOf(error))
      return refuse('unavailable', 'the part could not be kept')
    } finally {
      release()
    }
  },
)

/** The body; leaving it early leaves the connection open for the answer. */
const bodyOf = (incoming: IncomingMessage): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => incoming.iterator({ destroyOnReturn: false })[Symbol.asyncIterator](),
})

async function readAll(incoming: IncomingMessage, size: number): Promise<void> {
  let read = 0
  for await (const piece of bodyOf(incoming)) read += piece.byteLength
  if (read !== size) throw new WrongLength('the part is shorter than it should be')
}
