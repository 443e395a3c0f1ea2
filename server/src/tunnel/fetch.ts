import { PassThrough, type Readable } from 'node:stream'
import { type requestFrame, type responseFrame, requestFrame as shape } from '@deputy/contract/tunnel-wire'
import type { Received } from '@deputy/contract/shape'
import { parse } from '@deputy/contract/validate'
import { FRAME, fromJson, toCount, toJson, type Stream, type StreamEars } from '@deputy/tunnel'
import type { Agent, Dispatcher } from 'undici'
import { decodeBody } from './decode.ts'
import { afterRedirect, fromSite, toSite, undone, valueOf, type Pairs } from './headers.ts'
import { giverOf } from './lent.ts'
import type { Meter } from './meter.ts'
import { resetCode } from './reset-code.ts'
import type { Tickets } from './tickets.ts'

/** What a fetch of the node stands on. */
export interface FetchNeeds {
  readonly meter: Meter
  readonly upstream: Agent
  readonly tickets: Tickets
  /** Origin of the app, whose pages may read a body apart. */
  readonly reader: string
}

type Asked = Received<typeof requestFrame>

const redirects = 20
/** A request's body up to this many bytes can be sent again after a redirect. */
const replayed = 256 * 1024
/** A longer answer is fetched over a connection of its own, which browsers read faster than a WebSocket. */
const inTunnel = 256 * 1024
const headMost = 192 * 1024
/** Milliseconds between two words of how far a body is that is read apart. */
const tellEvery = 500
const methodShape = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const never = new Set(['CONNECT', 'TRACE', 'TRACK'])

class FetchFault extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Fetches for a stream: the head as a frame, the body as data or behind a ticket. */
export async function fetchFor(stream: Stream, payload: Uint8Array<ArrayBuffer>, needs: FetchNeeds): Promise<void> {
  const asked = parse(shape, fromJson(payload))
  const { meter, upstream, tickets, reader } = needs
  const body = asked.body ? new PassThrough({ highWaterMark: 65_536 }) : undefined
  const sent: Buffer[] = []
  let sentBytes = 0
  const leaving = new AbortController()
  const hearing: StreamEars = {
    data: bytes => {
      if (body === undefined) throw new FetchFault('EINVAL', 'the request has no body')
      const wait = meter.sent(bytes.byteLength)
      sentBytes += bytes.byteLength
      if (sentBytes <= replayed) sent.push(Buffer.from(bytes))
      else sent.length = 0
      body.write(bytes, () => {
        if (wait > 0) setTimeout(() => stream.consumed(bytes.byteLength), wait)
        else stream.consumed(bytes.byteLength)
      })
    },
    end: () => body?.end(),
    reset: () => leaving.abort(),
  }
  stream.hear(hearing)
  // A second body of a redirect never waits for the first to be read.
  body?.on('error', () => undefined)

  try {
    if (meter.spent) throw new FetchFault('EQUOTA', 'the quota is used up')
    const { answer, pairs, url, redirected } = await follow(
      asked,
      upstream,
      body,
      () => (sentBytes <= replayed ? Buffer.concat(sent) : undefined),
      leaving.signal,
    )
    const isEmpty = asked.method === 'HEAD' || answer.statusCode === 204 || answer.statusCode === 304
    const { body: plain, decoded } = isEmpty
      ? { body: answer.body as Readable, decoded: false }
      : await decodeBody(answer.body, valueOf(pairs, 'content-encoding'))
    const headers = decoded ? undone(pairs) : pairs
    if (headers.reduce((sum, [name, value]) => sum + name.length + value.length + 8, 0) > headMost) {
      answer.body.destroy()
      throw new FetchFault('EMSGSIZE', 'the head of the answer is too long')
    }
    const said = Number(valueOf(headers, 'content-length'))
    const length = decoded || !Number.isSafeInteger(said) ? undefined : said
    const isLong = !isEmpty && (length === undefined || length > inTunnel)
    const apart = isLong && asked.apart === true
    const told = apart ? tellOf(stream, plain, hearing) : undefined
    const passed = (bytes: number): number => {
      told?.(bytes)
      return meter.received(bytes)
    }
    const ticket = isLong ? tickets.offer({ body: plain, length, passed, reader: apart ? reader : undefined }) : null
    const head: Received<typeof responseFrame> = {
      status: answer.statusCode,
      statusText: answer.statusText.slice(0, 1024),
      headers,
      url: url.href,
      redirected,
      ticket,
      ...(apart ? { apart } : {}),
    }
    stream.send(FRAME.response, toJson(head))
    if (apart) return
    if (ticket !== null) return stream.end()
    pass(stream, plain, length, meter, hearing)
  } catch (error) {
    if (leaving.signal.aborted) return
    const { code, message } = faultOf(error)
    stream.reset({ code, message })
  }
}

/** Sends the request, and again wherever its answers lead. */
async function follow(
  asked: Asked,
  upstream: Agent,
  body: Readable | undefined,
  again: () => Buffer | undefined,
  signal: AbortSignal,
): Promise<{ answer: Dispatcher.ResponseData; pairs: [string, string][]; url: URL; redirected: boolean }> {
  let url = siteOf(asked.url)
  let { method } = asked
  let sent: Pairs = asked.headers
  let current: Readable | Buffer | undefined = body
  if (!methodShape.test(method) || never.has(method.toUpperCase())) throw new FetchFault('EINVAL', 'the method cannot be used')
  for (let hop = 0; ; hop += 1) {
    const answer = await upstream.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: toSite(sent).flat(),
      body: current ?? null,
      signal,
      responseHeaders: 'raw',
    })
    const pairs = fromSite(answer.headers as unknown as readonly Buffer[])
    const location = valueOf(pairs, 'location')
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.statusCode) && location !== undefined
    if (!isRedirect || asked.redirect === 'manual') return { answer, pairs, url, redirected: hop > 0 }
    answer.body.destroy()
    answer.body.on('error', () => undefined)
    if (asked.redirect === 'error') throw new FetchFault('EREDIRECT', 'the url redirects')
    if (hop === redirects) throw new FetchFault('EREDIRECT', 'too many redirects')
    const next = siteOf(location, url)
    const bodyless = answer.statusCode === 303 ? method !== 'GET' && method !== 'HEAD' : answer.statusCode < 303 && method === 'POST'
    if (bodyless) {
      method = 'GET'
      current = undefined
    } else if (current !== undefined) {
      current = again()
      if (current === undefined) throw new FetchFault('EREDIRECT', 'a body this long cannot be sent again')
    }
    sent = afterRedirect(sent, { crossed: next.origin !== url.origin, bodyless })
    url = next
  }
}

function siteOf(text: string, base?: URL): URL {
  if (!URL.canParse(text, base)) throw new FetchFault('EINVAL', 'the url cannot be fetched')
  const url = new URL(text, base)
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '')
    throw new FetchFault('EINVAL', 'the url cannot be fetched')
  return url
}

/**
 * Passes a body on as the reader takes it, while the request's own may still come. What is there already goes with the head, and where that is all of it the
 * end too: most answers are one message.
 */
function pass(stream: Stream, body: Readable, length: number | undefined, meter: Meter, hearing: StreamEars): void {
  let held = false
  const hold = (wait: number): void => {
    body.pause()
    held = wait > 0
    if (held)
      setTimeout(() => {
        held = false
        if (stream.queued === 0) body.resume()
      }, wait)
  }
  let passed = 0
  let waits = 0
  for (let chunk = body.read() as Buffer<ArrayBuffer> | null; chunk !== null; chunk = body.read() as Buffer<ArrayBuffer> | null) {
    passed += chunk.byteLength
    waits = meter.received(chunk.byteLength)
    stream.write(chunk, giverOf(chunk))
  }
  body.on('data', (chunk: Buffer<ArrayBuffer>) => {
    const wait = meter.received(chunk.byteLength)
    if (!stream.write(chunk, giverOf(chunk)) || wait > 0) hold(wait)
  })
  body.on('end', () => stream.end())
  body.on('error', error => stream.reset({ code: faultOf(error).code }))
  stream.hear({
    ...hearing,
    drain: () => {
      if (!held) body.resume()
    },
    reset: () => {
      body.destroy()
      hearing.reset?.({ code: 'ECONNRESET' })
    },
  })
  if (waits > 0) hold(waits)
  else if (passed === length) stream.end()
}

/**
 * Tells the stream of a body that is read apart: how far it is, that it is whole, or what broke it; a stream that is reset ends the body. What is answered
 * counts the bytes.
 */
function tellOf(stream: Stream, body: Readable, hearing: StreamEars): (bytes: number) => void {
  let count = 0
  let toldAt = performance.now()
  const tell = (): void => stream.send(FRAME.passed, toCount(count))
  body.on('end', () => {
    tell()
    stream.end()
  })
  body.on('error', error => stream.reset({ code: faultOf(error).code }))
  // Nobody came for it, or whoever did went away.
  body.on('close', () => !body.readableEnded && stream.reset({ code: 'ECONNRESET' }))
  stream.hear({
    ...hearing,
    reset: why => {
      body.destroy()
      hearing.reset?.(why)
    },
  })
  return bytes => {
    count += bytes
    const now = performance.now()
    if (now - toldAt < tellEvery) return
    toldAt = now
    tell()
  }
}

/** What went wrong, in a code of the protocol; the words name no address. */
function faultOf(error: unknown): { code: string; message: string } {
  if (error instanceof FetchFault) return { code: error.code, message: error.message }
  const { code = '', cause, name } = error as NodeJS.ErrnoException & { cause?: unknown }
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return { code: 'ETIMEDOUT', message: 'the site did not answer in time' }
  if (code.startsWith('UND_ERR_INVALID_ARG')) return { code: 'EINVAL', message: 'the request is malformed' }
  if (/CERT|SIGNED|ISSUER|ALTNAME|^ERR_TLS|^ERR_SSL|^EPROTO/.test(code)) return { code: 'EPROTO', message: `the site has no valid certificate (${code})` }
  // Where nothing of the answer was HTTP, the parser gives no code.
  if (name === 'HTTPParserError' || code.startsWith('HPE_') || code.startsWith('UND_ERR_HEADERS_OVERFLOW') || code.startsWith('Z_'))
    return { code: 'EPROTO', message: 'the answer is malformed' }
  if (code === 'UND_ERR_SOCKET' && cause !== undefined) return { code: resetCode(cause), message: 'the connection broke' }
  return { code: resetCode(error), message: 'the site could not be reached' }
}
