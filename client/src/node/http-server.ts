import { wrongType } from './errors.ts'
import { HttpConnection, type ServedSocket } from './http-connection.ts'
import { IncomingMessage } from './http-incoming.ts'
import { ServerResponse } from './http-response.ts'
import { readServerOptions, uniqueNames, type HttpServerOptions } from './http-server-options.ts'
import { Server } from './server.ts'

export type { HttpServerOptions } from './http-server-options.ts'
/** Answers a request. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

/** A server of HTTP/1.1 over a server of TCP. */
export class HttpServer extends Server {
  maxHeaderSize: number | undefined
  insecureHTTPParser: boolean | undefined
  httpValidation: HttpServerOptions['httpValidation']
  requestTimeout: number
  headersTimeout: number
  keepAliveTimeout: number
  keepAliveTimeoutBuffer: number
  connectionsCheckingInterval: number
  requireHostHeader: boolean
  joinDuplicateHeaders: boolean | undefined
  rejectNonStandardBodyWrites: boolean
  shouldUpgradeCallback: (request: IncomingMessage) => boolean
  httpAllowHalfOpen = false
  timeout = 0
  maxHeadersCount: number | null = null
  maxRequestsPerSocket: number | null = 0
  /** What messages and responses are made of. */
  readonly classes: { readonly IncomingMessage: NonNullable<HttpServerOptions['IncomingMessage']>; readonly ServerResponse: typeof ServerResponse }
  readonly uniqueHeaders: ReadonlySet<string> | null
  readonly #connections = new Set<HttpConnection>()
  #checks: ReturnType<typeof setInterval> | undefined

  constructor(of?: HttpServerOptions | RequestListener | null, listener?: RequestListener) {
    const options: HttpServerOptions = typeof of === 'function' ? {} : (of ?? {})
    if (typeof options !== 'object' || Array.isArray(options)) throw wrongType('options', 'of type object', options)
    const read = readServerOptions(options)
    super({ ...options, allowHalfOpen: true, noDelay: options.noDelay ?? true })
    const { maxHeaderSize, insecureHTTPParser, httpValidation, requestTimeout, headersTimeout, keepAliveTimeout, keepAliveTimeoutBuffer } = read
    Object.assign(this, { maxHeaderSize, insecureHTTPParser, httpValidation })
    this.requestTimeout = requestTimeout
    this.headersTimeout = headersTimeout
    this.keepAliveTimeout = keepAliveTimeout
    this.keepAliveTimeoutBuffer = keepAliveTimeoutBuffer
    this.connectionsCheckingInterval = read.connectionsCheckingInterval
    this.requireHostHeader = read.requireHostHeader
    this.joinDuplicateHeaders = read.joinDuplicateHeaders
    this.rejectNonStandardBodyWrites = read.rejectNonStandardBodyWrites
    this.shouldUpgradeCallback = options.shouldUpgradeCallback ?? (() => this.listenerCount('upgrade') > 0)
    this.uniqueHeaders = uniqueNames(options.uniqueHeaders)
    this.classes = {
      IncomingMessage: options.IncomingMessage ?? IncomingMessage,
      ServerResponse: (options.ServerResponse as typeof ServerResponse | undefined) ?? ServerResponse,
    }
    const answer = typeof of === 'function' ? of : listener
    if (answer !== undefined && answer !== null) this.on('request', answer)
    this.on('connection', (socket: ServedSocket) => this.#serve(socket))
    this.on('listening', () => this.#check())
  }

  #serve(socket: ServedSocket): void {
    const connection = new HttpConnection(this, socket, () => this.#connections.delete(connection))
    this.#connections.add(connection)
  }

  #check(): void {
    clearInterval(this.#checks)
    if (this.connectionsCheckingInterval === 0) return
    this.#checks = setInterval(() => {
      for (const connection of this.#connections) connection.check()
    }, this.connectionsCheckingInterval)
  }

  override close(done?: (error?: Error) => void): this {
    this.closeIdleConnections()
    clearInterval(this.#checks)
    return super.close(done)
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
  }

  /** Closes the connections on which nothing is asked and nothing answered. */
  closeIdleConnections(): void {
    for (const connection of this.#connections) if (connection.isIdle) connection.socket.destroy()
  }

  closeAllConnections(): void {
    for (const { socket } of this.#connections) socket.destroy()
  }

  /** Milliseconds that a connection may be silent. */
  setTimeout(milliseconds: number, listener?: (socket: ServedSocket) => void): this {
    this.timeout = milliseconds
    if (listener !== undefined) this.on('timeout', listener)
    return this
  }
}
