import { Buffer } from 'buffer'
import { letGo } from './http-client.ts'
import { IncomingMessage } from './http-incoming.ts'
import { HttpParser, valuesOf, type Head } from './http-parser.ts'
import { ServerResponse } from './http-response.ts'
import { Server, type ServerOptions } from './server.ts'
import type { Socket } from './socket.ts'
import { nextTick } from './ticks.ts'

/** How a server of HTTP behaves; times in milliseconds. */
export interface HttpServerOptions extends ServerOptions {
  readonly keepAliveTimeout?: number | undefined
  readonly headersTimeout?: number | undefined
  readonly requireHostHeader?: boolean | undefined
}
/** Answers a request. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

interface Conversation {
  busy: boolean
  response?: ServerResponse
}

/** A server of HTTP/1.1 over a server of TCP. */
export class HttpServer extends Server {
  keepAliveTimeout: number
  headersTimeout: number
  timeout = 0
  readonly #requireHost: boolean
  readonly #connections = new Map<Socket, Conversation>()

  constructor(options?: HttpServerOptions | RequestListener | null, listener?: RequestListener) {
    const read = typeof options === 'object' && options !== null ? options : {}
    super({ ...read, allowHalfOpen: true })
    this.keepAliveTimeout = read.keepAliveTimeout ?? 5000
    this.headersTimeout = read.headersTimeout ?? 60_000
    this.#requireHost = read.requireHostHeader ?? true
    const answer = typeof options === 'function' ? options : listener
    if (answer !== undefined) this.on('request', answer)
    this.on('connection', (socket: Socket) => this.#serve(socket))
  }

  #serve(socket: Socket): void {
    const state: Conversation = { busy: false }
    this.#connections.set(socket, state)
    let request: IncomingMessage | undefined
    const refuse = (error: Error): void => {
      if (this.emit('clientError', error, socket)) return
      if (socket.writable && (!state.busy || state.response?.headersSent !== true)) {
        const status = (error as { code?: string }).code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
        socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`)
      }
      socket.destroySoon()
    }
    const read = (run: () => void): void => {
      try {
        run()
      } catch (error) {
        parser.pause()
        refuse(error as Error)
      }
    }
    const parser = new HttpParser('request', {
      head: head => {
        request = new IncomingMessage(socket, head)
        return this.#begin(head, request, socket, state, parser, () => read(() => parser.resume()), detach)
      },
      body: bytes => request?.receive(bytes),
      end: trailers => {
        // One after the other: the next is read once this one is answered.
        if (state.busy) parser.pause()
        request?.finish(trailers)
      },
    })
    const onData = (bytes: Uint8Array): void => read(() => parser.read(bytes))
    const onEnd = (): void => {
      read(() => parser.finish())
      if (!state.busy) socket.end()
    }
    const onClose = (): void => {
      this.#connections.delete(socket)
      request?.cut()
    }
    const onError = (error: Error): void => void this.emit('clientError', error, socket)
    const onTimeout = (): void => {
      if (!this.emit('timeout', socket)) socket.destroy()
    }
    const detach = (): void => {
      socket.off('data', onData).off('end', onEnd).off('error', onError).off('timeout', onTimeout)
      this.#connections.delete(socket)
    }
    socket.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError).on('timeout', onTimeout)
    socket.setTimeout(this.headersTimeout)
  }

  #begin(
    head: Head,
    request: IncomingMessage,
    socket: Socket,
    state: Conversation,
    parser: HttpParser,
    next: () => void,
    detach: () => void,
  ): 'upgrade' | undefined {
    const { headers, method } = request
    const isUpgrade = method === 'CONNECT' || (headers.upgrade !== undefined && /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(String(headers.connection ?? '')))
    if (isUpgrade && this.listenerCount(method === 'CONNECT' ? 'connect' : 'upgrade') > 0) {
      request.complete = true
      nextTick(() => {
        detach()
        letGo(socket)
        socket.setTimeout(0)
        this.emit(method === 'CONNECT' ? 'connect' : 'upgrade', request, socket, Buffer.from(parser.rest()))
      })
      return 'upgrade'
    }
    state.busy = true
    socket.setTimeout(this.timeout)
    const response = new ServerResponse(request)
    state.response = response
    response.assign(socket)
    response.once('finish', () => {
      state.busy = false
      nextTick(() => response.emit('close'))
      if (!response.shouldKeepAlive || !this.listening) return socket.destroySoon()
      // A body nobody read stands before the next request.
      if (!request.complete) request.resume()
      socket.setTimeout(this.keepAliveTimeout)
      nextTick(next)
    })
    socket.once('close', () => {
      if (!response.writableFinished) response.destroy()
    })
    const hosts = valuesOf(head.raw, 'host')
    if (hosts.length > 1 || (this.#requireHost && head.version === '1.1' && hosts.length === 0)) {
      response.writeHead(400, { Connection: 'close' }).end()
      return undefined
    }
    const expect = headers.expect
    if (expect !== undefined && /^100-continue$/i.test(String(expect))) {
      if (this.emit('checkContinue', request, response)) return undefined
      response.writeContinue()
    } else if (expect !== undefined) {
      if (this.emit('checkExpectation', request, response)) return undefined
      response.writeHead(417).end()
      return undefined
    }
    this.emit('request', request, response)
    return undefined
  }

  override close(done?: (error?: Error) => void): this {
    super.close(done)
    this.closeIdleConnections()
    return this
  }
  closeIdleConnections(): void {
    for (const [socket, { busy }] of this.#connections) if (!busy) socket.destroy()
  }
  closeAllConnections(): void {
    for (const socket of this.#connections.keys()) socket.destroy()
  }
  setTimeout(milliseconds: number, listener?: (socket: Socket) => void): this {
    this.timeout = milliseconds
    if (listener !== undefined) this.on('timeout', listener)
    return this
  }
}
