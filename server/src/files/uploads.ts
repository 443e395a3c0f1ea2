import { randomUUID } from 'node:crypto'
import type { RouteInput } from '@deputy/contract/api'
import { abortAppFile, abortFile, beginAppFile, beginFile, commitAppFile, commitFile } from '@deputy/contract/api-files'
import { isRefusal } from '../http/answer.ts'
import { handler, type RawContext, rawHandler, refuse } from '../http/handler.ts'
import { receivePart } from '../http/receive-part.ts'
import { placeOf } from '../operations/log.ts'
import type { Services } from '../services.ts'
import { partBytesOf, partsOf, sizeOfPart, sizesOf } from './cut.ts'
import { findUpload } from './find.ts'
import { largestSealed } from './limits-of.ts'
import { write } from './put.ts'
import { noAccount, noUpload, refusals } from './refusals.ts'
import type { FilePut, Owner } from './writes.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const number = /^(?:0|[1-9]\d{0,4})$/

/** Begins a file that comes by parts, and says how it is cut. */
export const fileBegin = handler(beginFile, (input, call) => begin(input, call.session, call))
/** Receives a part of an upload. */
export const filePart = rawHandler({ method: 'PUT', path: '/v1/files/uploads/:id/:part', name: 'files/part', access: 'app', pace: 'none' }, (request, call) =>
  receive(request, call.session, call),
)
/** Makes a file of an upload: the bytes first, then the row that names them. Sent again, it is answered again. */
export const fileCommit = handler(commitFile, ({ base, ...input }, call) =>
  commit({ ...input, base: base === undefined ? 'any' : (base ?? 'none'), again: false }, call.session, call),
)
/** Gives an upload up. */
export const fileAbort = handler(abortFile, ({ upload }, call) => abort(upload, call.session, call))

/** The same four of any app's file, for the account itself, which may only seal again what is there. */
export const fileBeginOf = handler(beginAppFile, ({ app, ...input }, call) => begin(input, { account: call.session.account, app }, call))
export const filePartOf = rawHandler(
  { method: 'PUT', path: '/v1/files/of/:app/uploads/:id/:part', name: 'files/part-of', access: 'account', pace: 'none' },
  (request, call) => receive(request, { account: call.session.account, app: request.req.param('app') ?? '' }, call),
)
export const fileCommitOf = handler(commitAppFile, ({ app, ...input }, call) => commit({ ...input, again: true }, { account: call.session.account, app }, call))
export const fileAbortOf = handler(abortAppFile, ({ app, upload }, call) => abort(upload, { account: call.session.account, app }, call))

async function begin({ size, epoch }: RouteInput<typeof beginFile>, { account, app }: Owner, { rows, clock, config, fileLimits }: Services) {
  const largest = largestSealed(config)
  if (size > largest) return refuse('too-large', `a file may have at most ${largest} sealed bytes`)
  const limits = await fileLimits(account)
  if (limits === null) return noAccount
  const id = randomUUID()
  const now = clock.now()
  const expiresAt = now + config.files.unfinished
  const partBytes = partBytesOf(size, config.files.part)
  const begun = await rows.write('beginFile', { id, account, app, size, partBytes, epoch, now, expiresAt, limits })
  if (begun !== 'begun') return refusals[begun]
  return { upload: id, partBytes, parts: partsOf({ size, part_bytes: partBytes }), expiresAt }
}

async function receive(request: RawContext, { account, app }: Owner, call: Services) {
  const { rows, fileBytes, filePartsInFlight, clock, config } = call
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
}

type Commit = Pick<FilePut, 'name' | 'meta' | 'epoch' | 'base' | 'again'> & { readonly upload: string }

async function commit({ upload: id, ...put }: Commit, owner: Owner, call: Services) {
  const { rows, fileBytes, clock, log, fileLimits } = call
  if (!uuid.test(id)) return noUpload
  const limits = await fileLimits(owner.account)
  if (limits === null) return noAccount
  const row = await findUpload({ rows, clock }, owner, id)
  if (row !== undefined) {
    const sizes = sizesOf(row)
    const landed = await rows.read.selectFrom('file_parts').select(['part', 'bytes']).where('blob', '=', id).orderBy('part').execute()
    const missing = landed.length !== sizes.length || landed.some(({ part, bytes }, index) => part !== index || bytes !== sizes[index])
    // Parts of an upload that became a file in between are no longer listed; the procedure below then says so.
    if (missing && (await findUpload({ rows, clock }, owner, id)) !== undefined) return refuse('conflict', 'a part is missing')
    try {
      if (!missing) await fileBytes.assemble(id, sizes)
    } catch (error) {
      if ((await findUpload({ rows, clock }, owner, id)) === undefined) return noUpload
      log.error('file-not-assembled', placeOf(error))
      return refuse('unavailable', 'the file could not be put in place')
    }
  }
  const output = await write(call, owner, { ...put, content: { blob: id } }, limits)
  return isRefusal(output) ? output : { version: output.version, updatedAt: output.updatedAt, changed: output.version }
}

async function abort(id: string, { account, app }: Owner, { rows, clock, clearFileBlobs }: Services) {
  if (!(await rows.write('giveUpFileUpload', { id, account, app, now: clock.now() }))) return noUpload
  clearFileBlobs([id])
  return {}
}
