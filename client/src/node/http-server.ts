import { wrongType } from './errors.ts'
import { emitCapturing, isCapturing } from './http-capture.ts'
import { HttpConnection, type ServedSocket } from './http-connection.ts'
import { IncomingMessage } from './http-incoming.ts'
import { ServerResponse } from './http-response.ts'
import { readServerOptions, uniqueNames, type HttpServerOptions } from './http-server-options.ts'
import { STATUS_CODES } from './http-words.ts'
import { Server } from './server.ts'

export type { HttpServerOptions } from './http-server-options.ts'
const asked: ReadonlySet<string | symbol> = new Set(['request', 'checkContinue', 'checkExpectation'])
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
  readonly classes: {
    readonly IncomingMessage: NonNullable<HttpServerOptions['IncomingMessage']>
    readonly ServerResponse: NonNullable<HttpServerOptions['ServerResponse']>
  }
  readonly uniqueHeaders: ReadonlySet<string> | null
  readonly #connections = new Set<HttpConnection>()
  readonly #captures: boolean
  #checks: ReturnType<typeof setInterval> | undefined

  constructor(of?: HttpServerOptions | RequestListener | null, listener?: RequestListener) {
    const options: HttpServerOptions = typeof of === 'function' ? {} : (of ?? {})
    if (typeof options !== 'object' || Array.isArray(options)) throw wrongType('options', 'of type object', options)
    const read = readServerOptions(options)
    super({ ...options, allowHalfOpen: true, noDelay: options.noDelay ?? true })
    this.#captures = (options as { captureRejections?: boolean }).captureRejections === true
    const { maxHeaderSize, insecureHTTPParser, httpValidation, requestTimeout, headersTimeout, keepAliveTimeout, keepAliveTimeoutBuffer } = read
    Object.assign(this, { maxHeaderSize, insecureHTTPParser, httpValidation, noDelay: options.noDelay ?? true })
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
      ServerResponse: options.ServerResponse ?? ServerResponse,
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

  /** Where rejections are captured, a listener's promise that fails answers with an error. */
  override emit(name: string | symbol, ...of: unknown[]): boolean {
    if (!asked.has(name) || !(this.#captures || isCapturing())) return super.emit(name, ...of)
    return emitCapturing(this, name, of, error => this.#failed(error, of[1] as ServerResponse))
  }

  #failed(error: Error, response: ServerResponse): void {
    if (response.headersSent || response.writableEnded) return void response.destroy(error)
    // Nothing of what was meant to be said is said of the failure.
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    response.statusCode = 500
    response.end(STATUS_CODES[500])
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
