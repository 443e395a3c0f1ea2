import { ClientRequest, type RequestOptions, type ResponseListener } from './node/http-client.ts'
import { HttpServer, type HttpServerOptions, type RequestListener } from './node/http-server.ts'

export { Agent, globalAgent, type AgentOptions } from './node/http-agent.ts'
export { ClientRequest, type RequestOptions, type ResponseListener } from './node/http-client.ts'
export { IncomingMessage, type IncomingHeaders } from './node/http-incoming.ts'
export { OutgoingMessage, validateHeaderName, validateHeaderValue, type HeaderValue, type OutgoingHeaders } from './node/http-outgoing.ts'
export { maxHeaderSize } from './node/http-parser.ts'
export { ServerResponse } from './node/http-response.ts'
export { HttpServer as Server, type HttpServerOptions, type RequestListener } from './node/http-server.ts'
export { METHODS, STATUS_CODES } from './node/http-words.ts'

/** The forms of `request`: a url, options, or both. */
export type RequestArguments =
  | [url: string | URL, listener?: ResponseListener]
  | [options: RequestOptions, listener?: ResponseListener]
  | [url: string | URL, options: RequestOptions, listener?: ResponseListener]

/** Begins a request; `end` sends it (LIB-13). */
export function request(...of: RequestArguments): ClientRequest {
  const listener = (of as readonly unknown[]).find((value): value is ResponseListener => typeof value === 'function')
  const [first, second] = of
  const parts = typeof first === 'string' ? partsOf(new URL(first)) : first instanceof URL ? partsOf(first) : first
  return new ClientRequest({ ...parts, ...(typeof second === 'object' ? second : {}) }, listener)
}

/** A request without a body, sent at once (LIB-13). */
export function get(...of: RequestArguments): ClientRequest {
  const made = request(...of)
  made.end()
  return made
}

/** Makes a server; the listener answers every request (LIB-13). */
export function createServer(options?: HttpServerOptions | RequestListener | null, listener?: RequestListener): HttpServer {
  return new HttpServer(options, listener)
}

const partsOf = ({ protocol, hostname, port, pathname, search, username, password }: URL): RequestOptions => ({
  ...{ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), path: `${pathname}${search}` },
  ...(port === '' ? {} : { port }),
  ...(username === '' && password === '' ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
})

// Many import the module as a whole.
export * as default from './http.ts'
