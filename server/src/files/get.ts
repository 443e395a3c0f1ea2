import type { ServerResponse } from 'node:http'
import { fileContentPath, fileHeaders } from '@deputy/contract/api-files'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { weigh, rangeCounts } from '../http/conditions.ts'
import { answer } from '../http/answer.ts'
import { type RawContext, rawHandler, type Refusal, refuse } from '../http/handler.ts'
import { readRange } from '../http/range.ts'
import { sendBytes } from '../http/send-bytes.ts'
import { turnstile } from '../http/turnstile.ts'
import type { Services } from '../services.ts'
import { findFile, type FoundFile } from './find.ts'
import { nameSaid } from './put-headers.ts'
import { noFile } from './refusals.ts'
import type { Owner } from './writes.ts'

/** Downloads of larger files at a time: each holds a file open and a buffer of 1 MiB. */
const downloads = turnstile({ all: 256, each: 32 })

/** Serves a file of the calling app. */
export const fileGet = rawHandler({ method: 'GET', path: fileContentPath, name: 'files/get', access: 'app', pace: 'file' }, (request, call) =>
  serve(request, call, call.session),
)

/** The same for a browser, in which gets of one address would wait for one another. */
export const fileRead = rawHandler({ method: 'POST', path: fileContentPath, name: 'files/get', access: 'app', pace: 'file' }, (request, call) =>
  serve(request, call, call.session),
)

/** Serves a file of any app to the account itself. */
export const fileGetOf = rawHandler({ method: 'GET', path: '/v1/files/of/:app', name: 'files/get-of', access: 'account', pace: 'file' }, (request, call) =>
  serve(request, call, { account: call.session.account, app: request.req.param('app') ?? '' }),
)

/** Serves a file's sealed bytes, whole or one range of them; its entity tag is the version. */
async function serve(request: RawContext, call: Services, owner: Owner): Promise<Response | Refusal> {
  const { rows, config, metrics } = call
  const { incoming, outgoing } = request.env
  const { headers } = incoming
  // One address answers with many files; nothing may take the answer about one for that about another.
  outgoing.setHeader('vary', `origin, ${fileHeaders.name}`)
  const name = nameSaid(headers)
  const file = name === null ? undefined : await findFile({ rows }, owner, name)
  if (file === undefined) return noFile
  const tag = `"${file.version}"`
  const about = headersOf(file, tag)
  const verdict = weigh(headers, tag)
  if (verdict === 'failed') return answer({ error: 'conflict', message: 'the file has another version' }, 412, { etag: tag })
  if (verdict === 'unchanged') return sent(outgoing, 304, about)
  const span = rangeCounts(headers, tag) ? readRange(headers.range, file.size) : null
  if (span === 'unsatisfiable')
    return answer({ error: 'invalid', message: 'the file has no such bytes' }, 416, { etag: tag, 'content-range': `bytes */${file.size}` })
  const { start, end } = span ?? { start: 0, end: file.size }
  const status = span === null ? 200 : 206
  const head = {
    ...about,
    'content-type': 'application/octet-stream',
    'content-length': String(end - start),
    ...(span === null ? {} : { 'content-range': `bytes ${start}-${end - 1}/${file.size}` }),
  }
  if (file.bytes !== null) {
    metrics.bytes('out', end - start)
    return sent(outgoing, status, head, file.bytes.subarray(start, end))
  }
  const leave = downloads.enter(owner.account)
  if (leave === null) return refuse('rate-limited', 'too many downloads at a time')
  try {
    const opened = await openBlob(call, owner, file, start, end)
    if (opened === undefined) return refuse('unavailable', 'the file was replaced meanwhile')
    outgoing.writeHead(status, head)
    // A reader that takes nothing for that long is cut off; one that reads slowly is not.
    outgoing.setTimeout(config.limits.idle, () => outgoing.destroy())
    await sendBytes(opened, outgoing)
    metrics.bytes('out', end - start)
    return RESPONSE_ALREADY_SENT
  } finally {
    leave()
  }
}

const headersOf = ({ meta, epoch, version, updated_at: updatedAt }: FoundFile, tag: string): Record<string, string> => ({
  'accept-ranges': 'bytes',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  etag: tag,
  [fileHeaders.meta]: meta,
  [fileHeaders.epoch]: String(epoch),
  [fileHeaders.version]: String(version),
  [fileHeaders.updatedAt]: String(updatedAt),
})

function sent(outgoing: ServerResponse, status: number, head: Readonly<Record<string, string>>, body?: Uint8Array): Response {
  outgoing.writeHead(status, head).end(body)
  return RESPONSE_ALREADY_SENT
}

async function openBlob({ fileBytes, rows, log }: Pick<Services, 'fileBytes' | 'rows' | 'log'>, owner: Owner, file: FoundFile, start: number, end: number) {
  const opened = file.blob === null ? undefined : await fileBytes.open(file.blob, start, end)
  if (opened !== undefined) return opened
  // Either another version took its place since the row was read, or the bytes are gone.
  if ((await findFile({ rows }, owner, file.name))?.version === file.version) log.error('bytes-missing', { count: 1 })
  return undefined
}
