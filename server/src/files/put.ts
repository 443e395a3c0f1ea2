import { randomUUID } from 'node:crypto'
import { fileApp, fileContentPath, SMALL_FILE_BYTES } from '@deputy/contract/api-files'
import { fits } from '@deputy/contract/validate'
import { WrongLength } from '../bytes/bytes.ts'
import { isRefusal, sendAnswer } from '../http/answer.ts'
import { readBody } from '../http/body.ts'
import { type RawContext, rawHandler, type Refusal, refuse } from '../http/handler.ts'
import { bodyOf } from '../http/receive-part.ts'
import { turnstile } from '../http/turnstile.ts'
import { placeOf } from '../operations/log.ts'
import type { Services } from '../services.ts'
import { type PutHeaders, nameSaid, readPutHeaders } from './put-headers.ts'
import { type FileLimits, type FilePut, type Owner, refusalIn, stateOf } from './put-state.ts'
import { noAccount, noFile, refusals } from './refusals.ts'

/** Puts at a time: each holds what is small enough to be kept in a row. */
const puts = turnstile({ all: 512, each: 32 })

/**
 * Puts a file of few bytes, all or nothing: answered once it is durable. What fits into a row is kept there, so that many writes
 * share one flush; larger bytes are kept as they come, and a row names them.
 */
export const filePut = rawHandler({ method: 'PUT', path: fileContentPath, name: 'files/put', access: 'app', pace: 'file' }, (request, call) =>
  receive(request, call, call.session, false),
)

/** Puts a file of any app sealed again, for the account itself. */
export const filePutOf = rawHandler({ method: 'PUT', path: '/v1/files/of/:app', name: 'files/put-of', access: 'account', pace: 'file' }, (request, call) => {
  const { app } = request.req.param()
  return app !== undefined && fits(fileApp, app) ? receive(request, call, { account: call.session.account, app }, true) : Promise.resolve(noFile)
})

async function receive(request: RawContext, call: Services, owner: Owner, again: boolean): Promise<Response | Refusal> {
  const { config, metrics, fileLimits } = call
  const name = nameSaid(request.env.incoming.headers)
  if (name === null) return noFile
  const said = readPutHeaders(request.env.incoming.headers)
  if (isRefusal(said)) return said
  if (again && typeof said.base !== 'number') return refuse('invalid', 'a file is sealed again in place of one version')
  if (said.size > SMALL_FILE_BYTES) return refuse('too-large', `a file of more than ${SMALL_FILE_BYTES} sealed bytes goes by parts`)
  const limits = await fileLimits(owner.account)
  if (limits === null) return noAccount
  const leave = puts.enter(owner.account)
  if (leave === null) return refuse('rate-limited', 'too many files at a time')
  try {
    const put = { request, call, owner, name, said, again, limits }
    const output = await (said.size <= config.files.inline ? putInRow(put) : putAsBlob(put))
    if (isRefusal(output)) return output
    metrics.bytes('in', said.size)
    const { version, updatedAt } = output
    return sendAnswer(request.env.outgoing, { version, updatedAt, changed: version }, {})
  } finally {
    leave()
  }
}

interface Put {
  readonly request: RawContext
  readonly call: Services
  readonly owner: Owner
  readonly name: string
  readonly said: PutHeaders
  readonly again: boolean
  readonly limits: FileLimits
}

async function putInRow({ request, call, owner, name, said, again, limits }: Put) {
  const body = await readBody(request.env.incoming, { body: said.size, bodyTime: call.config.limits.bodyTime })
  if (isRefusal(body)) return body
  if (body.byteLength !== said.size) return refuse('invalid', 'the body broke off')
  return write(call, owner, { name, ...said, again, content: { bytes: body } }, limits)
}

async function putAsBlob({ request, call, owner, name, said, again, limits }: Put) {
  const { rows, fileBytes, filesComing, clock, config, log } = call
  const { incoming } = request.env
  const { size } = said
  // Said before the bytes are sent for nothing; what counts is what the row is refused for.
  const state = await stateOf(rows.read, { ...owner, name, now: clock.now() })
  if (state === undefined) return refusals['no-keys']
  const refused = refusalIn(state, { ...said, again, limits }, size, 0)
  if (refused !== null) return refusals[refused]
  const id = randomUUID()
  incoming.setTimeout(config.limits.idle)
  filesComing.add(id)
  try {
    await fileBytes.put(id, size, bodyOf(incoming))
    const output = await write(call, owner, { name, ...said, again, content: { blob: id, size } }, limits)
    if (isRefusal(output)) await fileBytes.remove(id)
    return output
  } catch (error) {
    if (error instanceof WrongLength || (incoming.destroyed && !incoming.complete)) return refuse('invalid', 'the body broke off')
    log.error('file-not-kept', placeOf(error))
    return refuse('unavailable', 'the file could not be kept')
  } finally {
    filesComing.delete(id)
  }
}

/** Writes the row and lets go of the bytes it named before. */
export async function write(
  { rows, ids, clock, clearFileBlobs }: Services,
  { account, app }: Owner,
  put: Pick<FilePut, 'name' | 'meta' | 'epoch' | 'base' | 'again' | 'content'>,
  limits: FileLimits,
): Promise<Refusal | { version: number; updatedAt: number }> {
  const { name, meta, epoch, base, again, content } = put
  const done = await rows.write('putFile', { account, app, space: ids.id(), name, meta, epoch, base, again, content, now: clock.now(), limits })
  if (typeof done === 'string') return refusals[done]
  if (done.old !== null) clearFileBlobs([done.old])
  return done
}
