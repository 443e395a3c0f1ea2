import { ClientRequest } from './node/http-client.ts'
import type { RequestArguments } from './node/http-request.ts'
import { HttpServer, type HttpServerOptions, type RequestListener } from './node/http-server.ts'

export { Agent, globalAgent, type AgentOptions } from './node/http-agent.ts'
export { ClientRequest, type RequestOptions, type ResponseListener } from './node/http-client.ts'
export { IncomingMessage, type IncomingHeaders } from './node/http-incoming.ts'
export { validateHeaderName, validateHeaderValue } from './node/http-checks.ts'
export type { HeaderValue, OutgoingHeaders } from './node/http-fields.ts'
export { OutgoingMessage } from './node/http-outgoing.ts'
export { maxHeaderSize } from './node/http-parser.ts'
export { ServerResponse } from './node/http-response.ts'
export { HttpServer as Server, type HttpServerOptions, type RequestListener } from './node/http-server.ts'
export type { RequestArguments } from './node/http-request.ts'
export { METHODS, STATUS_CODES } from './node/http-words.ts'

/** Begins a request; `end` sends it (LIB-13). */
export function request(...of: RequestArguments): ClientRequest {
  return new ClientRequest(...(of as [string]))
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

// Many import the module as a whole.
export * as default from './http.ts'
