import { callable } from './node/callable.ts'
import { Agent as KeepingAgent } from './node/http-agent.ts'
import { mustBeInteger } from './node/http-checks.ts'
import { ClientRequest as MadeRequest } from './node/http-client.ts'
import { IncomingMessage as Arriving } from './node/http-incoming.ts'
import { OutgoingMessage as Outgoing } from './node/http-outgoing.ts'
import type { RequestArguments } from './node/http-request.ts'
import { ServerResponse as Answer } from './node/http-response.ts'
import { HttpServer, type HttpServerOptions, type RequestListener } from './node/http-server.ts'

export { globalAgent, type AgentOptions } from './node/http-agent.ts'
export type { RequestOptions, ResponseListener } from './node/http-client.ts'
export type { IncomingHeaders } from './node/http-incoming.ts'
export { validateHeaderName, validateHeaderValue } from './node/http-checks.ts'
export type { HeaderValue, OutgoingHeaders } from './node/http-fields.ts'
export { maxHeaderSize } from './node/http-parser.ts'
export type { HttpServerOptions, RequestListener } from './node/http-server.ts'
export type { RequestArguments } from './node/http-request.ts'
export { METHODS, STATUS_CODES } from './node/http-words.ts'

/** A server; as the other classes, it may be made without `new`. */
export const Server = /* @__PURE__ */ callable(HttpServer)
export type Server = HttpServer
/** Keeps connections between requests, by host and port. */
export const Agent = /* @__PURE__ */ callable(KeepingAgent)
export type Agent = KeepingAgent
/** A request on its way. */
export const ClientRequest = /* @__PURE__ */ callable(MadeRequest)
export type ClientRequest = MadeRequest
/** A message that arrives: a request at a server, a response at a client. */
export const IncomingMessage = /* @__PURE__ */ callable(Arriving)
export type IncomingMessage = Arriving
/** A message that is sent. */
export const OutgoingMessage = /* @__PURE__ */ callable(Outgoing)
export type OutgoingMessage = Outgoing
/** The answer of a server to one request. */
export const ServerResponse = /* @__PURE__ */ callable(Answer)
export type ServerResponse = Answer

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
  return new Server(options, listener)
}

/** Every connection has a parser of its own here: what is set has no effect. @throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE */
export const setMaxIdleHTTPParsers = (most: number): void => mustBeInteger('max', most, 1)

/** Those of the page. */
const { WebSocket, CloseEvent, MessageEvent } = globalThis
export { WebSocket, CloseEvent, MessageEvent }

// Many import the module as a whole.
export * as default from './http.ts'
