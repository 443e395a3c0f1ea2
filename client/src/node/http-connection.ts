import { Buffer } from 'buffer'
import { nodeError, type NodeError } from './errors.ts'
import { readStart, type IncomingMessage } from './http-incoming.ts'
import { MessageParser } from './http-message-parser.ts'
import type { MessageSocket } from './http-outgoing.ts'
import type { ServerResponse } from './http-response.ts'
import { Socket } from './socket.ts'
import { nextTick } from './ticks.ts'
import type { HttpServer } from './http-server.ts'

/** A connection of a server, with what it is in the midst of. */
export type ServedSocket = MessageSocket & { parser?: MessageParser | null; server?: unknown; _paused?: boolean }

const answers: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Reads the requests of one connection of a server, and sends the answers in their order. */
export class HttpConnection {
  readonly socket: ServedSocket
  readonly #server: HttpServer
  readonly #parser: MessageParser
  readonly #forget: () => void
  readonly #incoming: IncomingMessage[] = []
  readonly #outgoing: ServerResponse[] = []
  #waiting = 0
  #requests = 0
  #isKept = false

  constructor(server: HttpServer, socket: ServedSocket, forget: () => void) {
    this.#server = server
    this.socket = socket
    this.#forget = forget
    const { maxHeaderSize, joinDuplicateHeaders, maxHeadersCount, timeout, classes } = server
    const isLenient = server.httpValidation === undefined ? server.insecureHTTPParser : server.httpValidation === 'insecure'
    this.#parser = new MessageParser('request', socket, { make: classes.IncomingMessage, maxHeaderSize, joinDuplicateHeaders, isLenient })
    // The time of a head begins with the connection.
    this.#parser.begunAt = performance.now()
    this.#parser.onIncoming = (incoming, shouldKeepAlive) => this.#take(incoming, shouldKeepAlive)
    this.#parser.isPatient = socket instanceof Socket
    this.#parser.onFurther = (read, bytes) => this.#executed(read, bytes)
    if (typeof maxHeadersCount === 'number') this.#parser.maxHeaderPairs = maxHeadersCount * 2
    socket.server = server
    socket.parser = this.#parser
    socket._paused = false
    // A body is bytes, whatever coding somebody wants to read it in.
    socket.setEncoding = () => {
      throw nodeError('ERR_HTTP_SOCKET_ENCODING', 'Changing the socket encoding is not allowed per RFC7230 Section 3.')
    }
    if (timeout > 0 && typeof socket.setTimeout === 'function') socket.setTimeout(timeout)
    socket.on('timeout', this.#onTimeout).on('close', this.#onClose).on('data', this.#onData).on('end', this.#onEnd).on('drain', this.#onDrain)
    socket.on('error', this.#onError)
  }

  /** Whether nothing is asked and nothing answered. */
  get isIdle(): boolean {
    const { _httpMessage: message } = this.socket
    return this.#parser.begunAt === 0 && (message === null || message === undefined || message.finished)
  }

  /** Ends it when a request takes longer than the server allows. */
  check(): void {
    const { begunAt, isHeadRead } = this.#parser
    const { headersTimeout, requestTimeout } = this.#server
    if (begunAt === 0) return
    const took = performance.now() - begunAt
    const isLate = (!isHeadRead && headersTimeout > 0 && took > headersTimeout) || (requestTimeout > 0 && took > requestTimeout)
    if (!isLate) return
    this.#parser.begunAt = 0
    this.#onError(nodeError('ERR_HTTP_REQUEST_TIMEOUT', 'Request timeout'))
  }

  readonly #onTimeout = (): void => {
    const { socket } = this
    const { incoming } = this.#parser
    const told = [incoming !== null && !incoming.complete && incoming.emit('timeout', socket), socket._httpMessage?.emit('timeout', socket)]
    if (!this.#server.emit('timeout', socket) && !told.includes(true)) socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#parser.free()
    this.#forget()
    for (let request = this.#incoming.shift(); request !== undefined; request = this.#incoming.shift()) request.destroy(nodeError('ECONNRESET', 'aborted'))
  }

  readonly #onData = (bytes: Uint8Array): void => this.#executed(this.#parser.execute(bytes), bytes)

  #executed(read: number | NodeError, bytes?: Uint8Array): void {
    const { socket } = this
    const { incoming } = this.#parser
    if (typeof read !== 'number') this.#onError(read)
    else if (incoming?.upgrade === true) this.#handOver(incoming, bytes === undefined ? new Uint8Array() : bytes.subarray(read))
    else if (socket._paused === true) this.#parser.pause()
  }

  #handOver(request: IncomingMessage, rest: Uint8Array): void {
    const { socket } = this
    socket.off('timeout', this.#onTimeout).off('close', this.#onClose).off('data', this.#onData).off('end', this.#onEnd).off('drain', this.#onDrain)
    socket.off('error', this.#onError)
    this.#parser.free()
    this.#parser.incoming = null
    socket.parser = null
    delete (socket as { setEncoding?: unknown }).setEncoding
    this.#forget()
    const name = request.method === 'CONNECT' ? 'connect' : 'upgrade'
    // As one nobody has read from: the next listener of `data` sets it flowing.
    Object.assign(socket, { readableFlowing: null })
    if (this.#server.listenerCount(name) === 0 || !this.#server.emit(name, request, socket, Buffer.from(rest))) socket.destroy()
  }

  readonly #onEnd = (): void => {
    const error = this.#parser.finish()
    const { socket } = this
    const request = this.#incoming.at(-1)
    if (error !== undefined) this.#onError(error)
    else if (!this.#server.httpAllowHalfOpen) {
      // Who reads the request to its end answers then: that comes first.
      if (request?.complete === true && request.readableFlowing === true && !request.readableEnded) request.once('end', () => nextTick(() => socket.end()))
      else socket.end()
    } else {
      const last = this.#outgoing.at(-1) ?? socket._httpMessage
      if (last) last._last = true
      else socket.end()
    }
  }

  readonly #onError = (error: Error): void => {
    const { socket } = this
    socket.off('error', this.#onError)
    if (socket.listenerCount('error') === 0) socket.on('error', () => undefined)
    if (this.#server.emit('clientError', error, socket)) return
    // An answer that has begun is not mixed with another.
    if (socket.writable && socket._httpMessage?._headerSent !== true) {
      const status = answers[(error as Partial<NodeError>).code ?? ''] ?? '400 Bad Request'
      socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`)
    }
    socket.destroy(error)
  }

  readonly #onDrain = (): void => {
    const { socket } = this
    if (socket._paused === true && this.#waiting <= socket.writableHighWaterMark) {
      socket._paused = false
      this.#executed(this.#parser.resume())
      readStart(socket)
    }
    const { _httpMessage: message } = socket
    if (message && !message.finished) message._drain()
  }

  #take(request: IncomingMessage, shouldKeepAlive: boolean): 0 | 1 | 2 {
    const { socket } = this
    const server = this.#server
    if (this.#isKept) {
      socket.setTimeout?.(server.timeout)
      this.#isKept = false
    }
    if (request.upgrade === true) {
      request.upgrade = request.method === 'CONNECT' || server.shouldUpgradeCallback(request)
      if (request.upgrade) return 2
    }
    this.#incoming.push(request)
    // Those who ask without taking the answers are read no further.
    if (socket._paused !== true && (socket.writableNeedDrain || this.#waiting >= socket.writableHighWaterMark)) {
      socket._paused = true
      socket.pause()
      this.#parser.pause()
    }
    const response = new server.classes.ServerResponse(request, {
      highWaterMark: socket.writableHighWaterMark,
      rejectNonStandardBodyWrites: server.rejectNonStandardBodyWrites,
    })
    response._keepAliveTimeout = server.keepAliveTimeout
    response._maxRequestsPerSocket = server.maxRequestsPerSocket
    response._onPendingData = by => {
      this.#waiting += by
      this.#onDrain()
    }
    response.shouldKeepAlive = shouldKeepAlive
    response._uniqueHeaders = server.uniqueHeaders
    if (socket._httpMessage) this.#outgoing.push(response)
    else response.assignSocket(socket)
    response.on('finish', () => this.#finished(request, response))
    this.#dispatch(request, response)
    return 0
  }

  #dispatch(request: IncomingMessage, response: ServerResponse): void {
    const server = this.#server
    if (request.httpVersionMajor === 1 && request.httpVersionMinor === 1) {
      const { host, expect } = request.headers
      if (server.requireHostHeader && host === undefined) {
        response.writeHead(400, ['Connection', 'close']).end()
        return
      }
      const most = server.maxRequestsPerSocket ?? 0
      if (most > 0) {
        this.#requests += 1
        response.maxRequestsOnConnectionReached = most <= this.#requests
        if (most < this.#requests) {
          server.emit('dropRequest', request, this.socket)
          response.writeHead(503).end()
          return
        }
      }
      if (expect !== undefined) return this.#expected(String(expect), request, response)
    }
    server.emit('request', request, response)
  }

  #expected(what: string, request: IncomingMessage, response: ServerResponse): void {
    const server = this.#server
    if (/(?:^|\W)100-continue(?:$|\W)/i.test(what)) {
      response._expect_continue = true
      if (server.emit('checkContinue', request, response)) return
      response.writeContinue()
      server.emit('request', request, response)
    } else if (!server.emit('checkExpectation', request, response)) response.writeHead(417).end()
  }

  #clear(request: IncomingMessage): void {
    if (this.#parser.incoming !== request) return
    if (request.readableEnded) this.#parser.incoming = null
    else request.on('end', () => this.#clear(request))
  }

  #finished(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = this
    const server = this.#server
    this.#incoming.shift()
    // What nobody wants to read stands before the next request.
    if (!request._consuming) request._dump()
    if (socket._httpMessage) response.detachSocket(socket)
    this.#clear(request)
    response._closeSoon()
    const next = this.#outgoing.shift()
    if (response._last) {
      if (typeof socket.destroySoon === 'function') socket.destroySoon()
      else socket.end()
    } else if (next !== undefined) next.assignSocket(socket)
    else if (server.keepAliveTimeout > 0 && typeof socket.setTimeout === 'function') {
      socket.setTimeout(server.keepAliveTimeout + server.keepAliveTimeoutBuffer)
      this.#isKept = true
    }
  }
}
