import type { ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { addressOf } from '../http/address.ts'
import { placeOf } from '../operations/log.ts'
import type { Services } from '../services.ts'
import { rangeCounts, weigh } from '../http/conditions.ts'
import { readRange } from '../http/range.ts'
import { sendBytes } from '../http/send-bytes.ts'
import { turnstile } from '../http/turnstile.ts'

type Needs = Pick<Services, 'rows' | 'bytes' | 'config' | 'metrics' | 'log'>

const path = /^\/([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$/
/** Of all answers: any page may read them, nothing in them may run, and no cookie is set. */
const always = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Content-Range, Content-Length, ETag, Accept-Ranges',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const
const object = {
  ...always,
  'accept-ranges': 'bytes',
  'cache-control': 'public, max-age=31536000, immutable',
} as const
const uncached = { ...always, 'cache-control': 'no-store', 'content-type': 'text/plain' } as const

/**
 * Serves the cdn origin: `/<uuid>` of a ready object, whole or one range of it, and nothing else. One answer for an object never
 * made, deleted or still uploading. A download under way may finish after its object is deleted.
 */
export function cdn({ rows, bytes, config, metrics, log }: Needs): (bindings: HttpBindings) => Promise<Response> {
  const downloads = turnstile({ all: 256, each: 64 })

  const serve = async ({ incoming, outgoing }: HttpBindings): Promise<number> => {
    const { method = '', url = '', headers } = incoming
    if (method === 'OPTIONS') {
      return plain(outgoing, 204, {
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': 'range, if-range, if-match, if-none-match',
        'access-control-max-age': '86400',
      })
    }
    if (method !== 'GET' && method !== 'HEAD') return plain(outgoing, 405, { allow: 'GET, HEAD, OPTIONS' }, 'method not allowed\n')
    const id = path.exec(url)?.[1]
    const row =
      id === undefined
        ? undefined
        : await rows.read.selectFrom('objects').select('sealed_size').where('id', '=', id).where('status', '=', 'ready').executeTakeFirst()
    if (id === undefined || row === undefined) return plain(outgoing, 404, {}, 'not found\n')
    const size = row.sealed_size
    const tag = `"${id}"`
    const verdict = weigh(headers, tag)
    if (verdict === 'failed') return plain(outgoing, 412, { etag: tag }, 'another version is asked for\n')
    if (verdict === 'unchanged') {
      outgoing.writeHead(304, { ...object, etag: tag }).end()
      return 304
    }
    const span = method === 'GET' && rangeCounts(headers, tag) ? readRange(headers.range, size) : null
    if (span === 'unsatisfiable') return plain(outgoing, 416, { 'content-range': `bytes */${size}` }, 'the object has no such bytes\n')
    const { start, end } = span ?? { start: 0, end: size }
    const head = {
      ...object,
      etag: tag,
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'content-length': String(end - start),
      ...(span === null ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
    }
    const status = span === null ? 200 : 206
    if (method === 'HEAD') {
      outgoing.writeHead(status, head).end()
      return status
    }
    const leave = downloads.enter(addressOf(incoming, config.server.proxies))
    if (leave === null) return plain(outgoing, 503, { 'retry-after': '1' }, 'too many downloads at a time\n')
    try {
      const opened = await bytes.open(id, start, end)
      if (opened === undefined) return plain(outgoing, 404, {}, 'not found\n')
      outgoing.writeHead(status, head)
      // A reader that takes nothing for that long is cut off; one that reads slowly is not.
      outgoing.setTimeout(config.limits.idle, () => outgoing.destroy())
      await sendBytes(opened, outgoing)
      metrics.bytes('out', end - start)
      return status
    } finally {
      leave()
    }
  }

  return async bindings => {
    const started = performance.now()
    let status = 500
    metrics.inFlight(1)
    try {
      status = await serve(bindings)
    } catch (error) {
      log.error('failed', { route: 'cdn', ...placeOf(error) })
      if (bindings.outgoing.headersSent) bindings.outgoing.destroy()
      else plain(bindings.outgoing, 500, {}, 'the server failed\n')
    } finally {
      metrics.inFlight(-1)
      metrics.answered('cdn', status, (performance.now() - started) / 1000)
    }
    return RESPONSE_ALREADY_SENT
  }
}

function plain(outgoing: ServerResponse, status: number, headers: Readonly<Record<string, string>>, text = ''): number {
  outgoing.writeHead(status, { ...uncached, ...headers, 'content-length': String(Buffer.byteLength(text)) })
  outgoing.end(outgoing.req.method === 'HEAD' ? undefined : text)
  return status
}
