import { failing, readApart, RemoteError, WHOLE_BODY, withWholeBody, type BodyApart } from '@deputy/channel'
import { NODE_HEADER, type cloud, type ProxyFetchInput } from '@deputy/contract/cloud'
import type { Served } from '@deputy/contract/shape'
import { requestFrame, responseFrame, TUNNEL_BODIES, TUNNEL_BODY, type TunnelRequest, type TunnelResponse } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { FRAME, fromCount, fromJson, toJson, type Stream, type StreamEars } from '@deputy/tunnel'
import { answered } from '../tunnel/answered.ts'
import { lost, type Tally } from '../tunnel/bytes.ts'
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
  const text = input instanceof Request ? input.url : input instanceof URL ? input.href : input
  if (!URL.canParse(text)) return refused('badUrl')
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol)) return refused('badUrl')
  url.hash = ''
  const given = init.method ?? from?.method ?? 'GET'
  const method = normal.has(given.toUpperCase()) ? given.toUpperCase() : given
  const headers = init.headers === undefined ? [...(from?.headers ?? [])] : init.headers.map(([name, value]): [string, string] => [name, value])
  const carries = method !== 'GET' && method !== 'HEAD'
  const { stream, type } = carries ? bodyOf(init.body ?? from?.body ?? null) : { stream: null, type: null }
  if (type !== null && !headers.some(([name]) => name.toLowerCase() === 'content-type')) headers.push(['content-type', type])
  const redirect = init.redirect ?? from?.redirect ?? 'follow'
  return { request: parse(requestFrame, { method, url: url.href, headers, redirect, body: stream !== null, apart: true }), body: stream }
}

/** What a fetch goes through, and who counts the bytes of its bodies. */
export interface FetchNeeds {
  readonly link: TunnelLink
  readonly tally: Tally
}

type Apart = Exclude<Awaited<ReturnType<NonNullable<Served<typeof cloud>['fetchApart']>>>, Response | TunnelFail>
/** A body to be read from the node, with the response it belongs to. */
interface LongBody extends BodyApart {
  readonly over: Promise<{ readonly bytes: number } | TunnelFail>
  readonly response: (body: ReadableStream | null) => Response
}

/** Fetches through the tunnel (NET-1): the response as it starts, its body as it comes. */
export async function fetchThrough(needs: FetchNeeds, input: ProxyFetchInput, init: Init): Promise<Response | TunnelFail> {
  const found = await ask(needs, input, init)
  return 'ticket' in found ? found.response(await read(found)) : found
}

/** The same, but a long body is left to the app, which may also have it read here. */
export async function fetchApart(needs: FetchNeeds, input: ProxyFetchInput, init: Init): Promise<Response | Apart | TunnelFail> {
  const found = await ask(needs, input, init)
  if (!('ticket' in found)) return found
  const { response, ...rest } = found
  return { ...rest, response: response(null), read: () => read(found) }
}

async function ask({ link, tally }: FetchNeeds, input: ProxyFetchInput, init: Init): Promise<Response | LongBody | TunnelFail> {
  const signal = init.signal ?? (input instanceof Request ? input.signal : null)
  if (isAborted(signal)) return aborted
  let stream: Stream | undefined
  try {
    const what = await asked(input, init)
    if ('error' in what) return what
    const { request, body } = what
    const opened = await (init.spread === true ? link.openInTurn : link.open)(FRAME.request, toJson(request), first => {
      // One message where two would do: most requests have no body.
      if (body === null) first.end()
    })
    stream = opened.stream
    const { ears, over } = watched(tally)
    const answering = answered(stream, FRAME.response, { signal, tally, later: ears })
    if (body !== null) sendBody(body, stream, tally)
    const answer = await answering
    if ('end' in answer) return refusedEnd(answer.end)
    const head = parse(responseFrame, fromJson(answer.payload))
    const isEmpty = emptyStatus.has(head.status) || request.method === 'HEAD'
    const node = init.spread === true ? undefined : opened.node
    const { ticket } = head
    if (ticket === null || isEmpty) {
      const whole = isEmpty ? undefined : answer.bytes.whole(WHOLE_BODY)
      return whole === undefined ? responseOf(head, isEmpty ? null : answer.bytes.readable, node) : withWholeBody(responseOf(head, null, node), whole)
    }
    if (head.apart !== true) return responseOf(head, await ticketBody(`${opened.origin}${TUNNEL_BODIES}${ticket}`, { signal, over: opened.over, tally }), node)
    // A head that no Response can hold is found now.
    responseOf(head, null, node)
    const said = Number(head.headers.find(([name]) => name === 'content-length')?.[1] ?? Number.NaN)
    return {
      ticket,
      from: `${opened.origin}${TUNNEL_BODY}`,
      length: Number.isSafeInteger(said) ? said : null,
      over,
      response: source => responseOf(head, source, node),
    }
  } catch (error) {
    stream?.cut({ code: 'ECANCELED' })
    if (isAborted(signal)) return aborted
    if (error instanceof RemoteError) return { error: 'ECONNRESET', message: error.message }
    // A head that no Response can hold.
    if (stream !== undefined) return refused('badAnswer')
    return refusedOpening(error)
  }
}

/** Hears how far a body is that is read apart, and how it ended. */
function watched(tally: Tally): { readonly ears: Pick<StreamEars, 'frame' | 'reset' | 'end'>; readonly over: LongBody['over'] } {
  const { promise: over, resolve } = Promise.withResolvers<{ readonly bytes: number } | TunnelFail>()
  let bytes = 0
  return {
    over,
    ears: {
      frame: (type, payload) => {
        if (type !== FRAME.passed) return
        const count = fromCount(payload)
        tally.received(Math.max(0, count - bytes))
        bytes = count
      },
      end: () => resolve({ bytes }),
      reset: why => resolve(refusedEnd(why)),
    },
  }
}

/** Reads a long body here. */
const read = async (body: LongBody): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> => (await readApart(body, (...request) => fetch(...request))) ?? failing()

const isAborted = (signal: AbortSignal | null): boolean => signal?.aborted === true

/** The answer as the platform's Response; it keeps no `set-cookie`, which browsers never show. */
function responseOf({ status, statusText, headers: pairs, url, redirected }: TunnelResponse, body: ReadableStream | null, node: string | undefined): Response {
  const headers = new Headers()
  for (const [name = '', value = ''] of pairs) if (name !== NODE_HEADER) headers.append(name, value)
  if (node !== undefined) headers.set(NODE_HEADER, node)
  const response = new Response(body, { status, statusText: statusText.replaceAll(/[^\t\u{20}-\u{7e}\u{80}-\u{ff}]/gu, ''), headers })
  return Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } })
}

/** Sends the body while the answer is waited for; a site may answer before it has read all. A body that fails ends the request. */
function sendBody(body: ReadableStream<Uint8Array<ArrayBuffer>>, stream: Stream, tally: Tally): void {
  const reader = body.getReader()
  const pump = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (stream.ended) return
      if (done) return stream.end()
      tally.sent(value.byteLength)
      if (!stream.write(value)) await new Promise<void>(resolve => stream.whenSent(resolve))
    }
  }
  stream.whenOver(() => void reader.cancel().catch(() => undefined))
  pump().catch(() => stream.cut({ code: 'ECANCELED' }))
}

/** A long body of a node that does not know them apart: its ticket stands in the url. Ends with the session. */
async function ticketBody(
  url: string,
  { signal, over, tally }: { readonly signal: AbortSignal | null; readonly over: AbortSignal; readonly tally: Tally },
): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | null> {
  const response = await fetch(url, {
    signal: AbortSignal.any(signal === null ? [over] : [signal, over]),
    // The node forbids keeping it: a request that says so itself costs a preflight in Chromium.
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  })
  if (!response.ok || response.body === null) throw lost({ code: 'ECONNRESET' })
  const reader = response.body.getReader()
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async controller => {
        try {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          tally.received(value.byteLength)
          controller.enqueue(value)
        } catch {
          // What the browser says of a connection that broke names no reason.
          throw lost({ code: isAborted(signal) ? 'ECANCELED' : over.aborted ? 'ETUNNEL' : 'ECONNRESET' })
        }
      },
      cancel: reason => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
