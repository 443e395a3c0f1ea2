import { randomUUID } from 'node:crypto'
import { abortFile, beginFile, commitFile } from '@deputy/contract/api-files'
import { isRefusal } from '../http/answer.ts'
import { handler, rawHandler, refuse } from '../http/handler.ts'
import { receivePart } from '../http/receive-part.ts'
import { placeOf } from '../operations/log.ts'
import { partBytesOf, partsOf, sizeOfPart, sizesOf } from './cut.ts'
import { findUpload } from './find.ts'
import { largestSealed } from './limits-of.ts'
import { write } from './put.ts'
import { noAccount, noUpload, refusals } from './refusals.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const number = /^(?:0|[1-9]\d{0,4})$/

/** Begins a file that comes by parts, and says how it is cut. */
export const fileBegin = handler(beginFile, async ({ size, epoch }, { session, rows, clock, config, fileLimits }) => {
  const largest = largestSealed(config)
  if (size > largest) return refuse('too-large', `a file may have at most ${largest} sealed bytes`)
  const { account, app } = session
  const limits = await fileLimits(account)
  if (limits === null) return noAccount
  const id = randomUUID()
  const now = clock.now()
  const expiresAt = now + config.files.unfinished
  const partBytes = partBytesOf(size, config.files.part)
  const begun = await rows.write('beginFile', { id, account, app, size, partBytes, epoch, name: null, now, expiresAt, limits })
  if (begun !== 'begun') return refusals[begun]
  return { upload: id, partBytes, parts: partsOf({ size, part_bytes: partBytes }), expiresAt }
})

/** Receives a part of an upload. */
export const filePart = rawHandler(
  { method: 'PUT', path: '/v1/files/uploads/:id/:part', name: 'files/part', access: 'app', pace: 'none' },
  async (request, call) => {
    const { session, rows, fileBytes, filePartsInFlight, clock, config } = call
    const { account, app } = session
    const { id, part: index } = request.req.param()
    if (id === undefined || index === undefined || !uuid.test(id) || !number.test(index)) return noUpload
    const row = await findUpload({ rows, clock }, { account, app }, id)
    if (row === undefined) return noUpload
    const part = Number(index)
    const place = { part, offset: part * row.part_bytes, size: sizeOfPart(row, part) }
    if (place.size === 0) return refuse('invalid', 'the upload has no such part')
    return receivePart(
      {
        id,
        account,
        place,
        incoming: request.env.incoming,
        bytes: fileBytes,
        inFlight: filePartsInFlight,
        missing: noUpload,
        landed: async () =>
          (await rows.read.selectFrom('file_parts').select('part').where('blob', '=', id).where('part', '=', part).executeTakeFirst()) !== undefined,
        land: () => {
          const now = clock.now()
          return rows.write('landFilePart', { id, account, app, part, bytes: place.size, now, expiresAt: now + config.files.unfinished })
        },
        gone: async () => {
          const now = await rows.read.selectFrom('file_blobs').select('status').where('id', '=', id).executeTakeFirst()
          return now === undefined || now.status === 'deleted'
        },
      },
      call,
    )
  },
)

/** Makes a file of an upload: the bytes first, then the row that names them. Sent again, it is answered again. */
export const fileCommit = handler(commitFile, async ({ upload: id, name, meta, epoch, base }, call) => {
  const { session, rows, fileBytes, clock, log, fileLimits } = call
  const { account, app } = session
  if (!uuid.test(id)) return noUpload
  const limits = await fileLimits(account)
  if (limits === null) return noAccount
  const row = await findUpload({ rows, clock }, { account, app }, id)
  if (row !== undefined) {
    const sizes = sizesOf(row)
    const landed = await rows.read.selectFrom('file_parts').select(['part', 'bytes']).where('blob', '=', id).orderBy('part').execute()
    const missing = landed.length !== sizes.length || landed.some(({ part, bytes }, index) => part !== index || bytes !== sizes[index])
    // Parts of an upload that became a file in between are no longer listed; the procedure below then says so.
    if (missing && (await findUpload({ rows, clock }, { account, app }, id)) !== undefined) return refuse('conflict', 'a part is missing')
    try {
      if (!missing) await fileBytes.assemble(id, sizes)
    } catch (error) {
      if ((await findUpload({ rows, clock }, { account, app }, id)) === undefined) return noUpload
      log.error('file-not-assembled', placeOf(error))
      return refuse('unavailable', 'the file could not be put in place')
    }
  }
  const output = await write(call, { name, meta, epoch, base: base === undefined ? 'any' : (base ?? 'none'), content: { blob: id } }, limits)
  return isRefusal(output) ? output : { version: output.version, updatedAt: output.updatedAt, changed: output.version }
})

/** Gives an upload up. */
export const fileAbort = handler(abortFile, async ({ upload: id }, { session, rows, clock, clearFileBlobs }) => {
  const { account, app } = session
  if (!(await rows.write('giveUpFileUpload', { id, account, app, now: clock.now() }))) return noUpload
  clearFileBlobs([id])
  return {}
})
