import { list, object, string, integer, boolean, oneOf, type Received } from '@deputy/contract/shape'
import { parse, ShapeError } from '@deputy/contract/validate'
import { byteStreams, receiveSource, sendSource } from './streams.ts'
import type { Codec, Kinds } from './context.ts'

const text = string({ max: 2 ** 16 })
const headers = list(list(text, { min: 2, max: 2 }), { max: 1000 })
const requestHead = object({
  url: text,
  method: string({ max: 64 }),
  headers,
  redirect: oneOf('follow', 'error', 'manual'),
  credentials: oneOf('omit', 'same-origin', 'include'),
})
const responseHead = object({ url: text, status: integer({ max: 599 }), statusText: text, headers, redirected: boolean })

/** Most bytes of a body that crosses in one message with its head. */
export const WHOLE_BODY = 256 * 1024
const wholes = new WeakMap<Response, Uint8Array<ArrayBuffer>>()

/** Says what the body of a response is that was made without one, so that it crosses with the head: no stream is opened for it. At most `WHOLE_BODY` bytes. */
export function withWholeBody(response: Response, bytes: Uint8Array<ArrayBuffer>): Response {
  wholes.set(response, bytes)
  return response
}

/** Whether this engine takes a stream for the body of a request; Firefox does not, and shows none either. */
const streamsRequests = typeof Request === 'function' && 'body' in Request.prototype

/** A Request: head as data, body as a byte stream. */
const request: Codec = {
  encode: (value, context, path) => {
    if (!(value instanceof Request)) throw new ShapeError(path, 'a Request')
    const { url, method, redirect, credentials } = value
    const stream = method === 'GET' || method === 'HEAD' ? null : (value.body ?? (streamsRequests ? null : readLater(value)))
    return [{ url, method, headers: [...value.headers], redirect, credentials }, stream === null ? null : sendSource(stream, context)]
  },
  decode: (wire, context, path) => {
    const [head, body] = parts(wire, path)
    if (body instanceof Uint8Array) throw new ShapeError(path, 'a body')
    const { url, ...init } = parse(requestHead, head, path)
    const whole = { ...init, headers: pairs(init.headers) }
    if (body === null) return new Request(url, whole)
    const stream = receiveSource(body, context) as ReadableStream<Uint8Array<ArrayBuffer>>
    if (streamsRequests) return new Request(url, { ...whole, body: stream, duplex: 'half' } as RequestInit)
    // Here a request made of a stream would carry its name as text. Whoever serves one reads it, so reading is what must work.
    const reader = new Response(stream)
    const read = (name: 'arrayBuffer' | 'blob' | 'bytes' | 'formData' | 'json' | 'text') => [name, { value: () => reader[name]() }] as const
    const readers = [read('arrayBuffer'), read('blob'), read('bytes'), read('formData'), read('json'), read('text')]
    return Object.defineProperties(new Request(url, whole), { body: { value: reader.body }, ...Object.fromEntries(readers) })
  },
}

/** A Response: head as data, body as a byte stream, or as bytes where all of it is there. */
const response: Codec = {
  encode: (value, context, path) => {
    if (!(value instanceof Response)) throw new ShapeError(path, 'a Response')
    const { url, status, statusText, redirected, body } = value
    return [{ url, status, statusText, headers: [...value.headers], redirected }, wholes.get(value) ?? (body === null ? null : sendSource(body, context))]
  },
  decode: (wire, context, path) => {
    const [head, body] = parts(wire, path)
    const { url, status, statusText, headers: list, redirected } = parse(responseHead, head, path)
    if (status === 0) return Response.error()
    const stream = body instanceof MessagePort ? (receiveSource(body, context) as ReadableStream<Uint8Array<ArrayBuffer>>) : body
    const made = new Response(stream, { status, statusText, headers: pairs(list) })
    // The constructor has no say over these two; callers of fetch read them.
    return Object.defineProperties(made, { url: { value: url }, redirected: { value: redirected } })
  },
}

function readLater(value: Request): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      controller.enqueue(new Uint8Array(await value.arrayBuffer()))
      controller.close()
    },
  })
}

function parts(wire: unknown, path: string): readonly [unknown, MessagePort | Uint8Array<ArrayBuffer> | null] {
  const [head, body] = Array.isArray(wire) ? (wire as unknown[]) : []
  const isWhole = body instanceof Uint8Array && body.buffer instanceof ArrayBuffer && body.byteLength <= WHOLE_BODY
  if (body !== null && !isWhole && !(body instanceof MessagePort)) throw new ShapeError(path, 'a body')
  return [head, body as MessagePort | Uint8Array<ArrayBuffer> | null]
}

const pairs = (from: Received<typeof headers>): [string, string][] => from.map(([name = '', value = '']) => [name, value])

/** Requests and responses, with the streams their bodies are, for `learn`. */
export const fetchValues: Kinds = { ...byteStreams, request: () => request, response: () => response }
