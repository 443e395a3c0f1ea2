import { RemoteError } from '@deputy/channel'
import { NODE_HEADER, type ProxyFetchInput } from '@deputy/contract/cloud'
import { requestFrame, responseFrame, type TunnelRequest } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { FRAME, fromJson, toJson } from '@deputy/tunnel'
import { answered } from '../tunnel/answered.ts'
import type { TunnelLink } from '../tunnel/link.ts'
import { aborted, refused, refusedEnd, refusedOpening, type TunnelFail } from '../tunnel/refused.ts'
import { bodyOf, type Init } from './request-body.ts'

const emptyStatus = new Set([101, 204, 205, 304])
const normal = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'])

/** What is asked of the node, and the body that follows; the init's members win over those of a `Request`, as in the platform. */
async function asked(
  input: ProxyFetchInput,
  init: Init,
): Promise<{ request: TunnelRequest; body: ReadableStream<Uint8Array<ArrayBuffer>> | null } | TunnelFail> {
  const from = input instanceof Request ? input : undefined
  const text = from?.url ?? String(input)
  if (!URL.canParse(text)) return refused('badUrl')
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol)) return refused('badUrl')
  url.hash = ''
  const given = init.method ?? from?.method ?? 'GET'
  const method = normal.has(given.toUpperCase()) ? given.toUpperCase() : given
  const headers = init.headers === undefined ? [...(from?.headers ?? [])] : init.headers.map(([name = '', value = '']): [string, string] => [name, value])
  const carries = method !== 'GET' && method !== 'HEAD'
  const { stream, type } = carries ? bodyOf(init.body ?? from?.body ?? null) : { stream: null, type: null }
  if (type !== null && !headers.some(([name]) => name.toLowerCase() === 'content-type')) headers.push(['content-type', type])
  const redirect = init.redirect ?? from?.redirect ?? 'follow'
  return { request: parse(requestFrame, { method, url: url.href, headers, redirect, body: stream !== null }), body: stream }
}

/** Fetches through the tunnel (NET-1): the response as it starts, its body as it comes. */
export async function fetchThrough(link: TunnelLink, input: ProxyFetchInput, init: Init): Promise<Response | TunnelFail> {
  const signal = init.signal ?? (input instanceof Request ? input.signal : null)
  if (isAborted(signal)) return aborted
  const what = await asked(input, init)
  if ('error' in what) return what
  try {
    const { stream, node, origin } = await link.open(FRAME.request, toJson(what.request))
    if (what.body === null) stream.end()
    const answering = answered(stream, FRAME.response, signal)
    const answer = what.body === null ? await answering : await sending(answering, what.body, stream)
    if (isAborted(signal)) return aborted
    if ('end' in answer) return refusedEnd(answer.end)
    const head = parse(responseFrame, fromJson(answer.payload))
    const headers = new Headers()
    for (const [name = '', value = ''] of head.headers) if (name !== NODE_HEADER) headers.append(name, value)
    if (init.spread !== true) headers.set(NODE_HEADER, node)
    const body = head.ticket === null ? answer.bytes.readable : await ticketBody(`${origin}/v1/tunnel/bodies/${head.ticket}`, signal)
    signal?.addEventListener('abort', () => stream.reset({ code: 'ECANCELED' }), { once: true })
    const empty = emptyStatus.has(head.status) || what.request.method === 'HEAD'
    const response = new Response(empty ? null : body, { status: head.status, statusText: head.statusText, headers })
    Object.defineProperty(response, 'url', { value: head.url })
    Object.defineProperty(response, 'redirected', { value: head.redirected })
    return response
  } catch (error) {
    if (error instanceof RemoteError) return { error: 'ECONNRESET', message: 'cloud: the connection was reset' }
    return refusedOpening(error)
  }
}

const isAborted = (signal: AbortSignal | null): boolean => signal?.aborted === true

type Answering = ReturnType<typeof answered>

/** Sends the body while the answer is waited for; a site may answer before it has read all. */
async function sending(
  answering: Answering,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  stream: { write(bytes: Uint8Array<ArrayBuffer>): boolean; end(): void; whenSent(run: () => void): void; ended: boolean },
): Promise<Awaited<Answering>> {
  const reader = body.getReader()
  const pump = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (stream.ended) return reader.cancel()
      if (done) return stream.end()
      if (!stream.write(value)) await new Promise<void>(resolve => stream.whenSent(resolve))
    }
  }
  const failed = pump().then(() => new Promise<never>(() => undefined))
  return Promise.race([answering, failed])
}

/** A long body, fetched from the node by itself: browsers read that faster than a WebSocket. */
async function ticketBody(url: string, signal: AbortSignal | null): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | null> {
  const response = await fetch(url, { signal, cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' })
  if (!response.ok) throw new RemoteError('Error', 'cloud: the connection was reset', 'ECONNRESET')
  return response.body
}
