import { Buffer } from 'buffer'
import { abortError, nodeError, portOf, wrongType } from './errors.ts'
import type { Agent } from './http-agent.ts'
import { globalAgent } from './http-agent.ts'
import { IncomingMessage } from './http-incoming.ts'
import { OutgoingMessage, validateHeaderValue, type OutgoingHeaders } from './http-outgoing.ts'
import { HttpParser, type Head } from './http-parser.ts'
import type { LookupFunction } from './lookup.ts'
import type { Socket } from './socket.ts'
import { nextTick } from './ticks.ts'

/** A request as it is asked for. */
export interface RequestOptions {
  readonly protocol?: string | undefined
  readonly host?: string | undefined
  readonly hostname?: string | undefined
  readonly port?: number | string | undefined
  readonly path?: string | undefined
  readonly method?: string | undefined
  readonly headers?: OutgoingHeaders | undefined
  readonly auth?: string | undefined
  readonly agent?: Agent | boolean | undefined
  readonly timeout?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly setHost?: boolean | undefined
  readonly family?: number | undefined
  readonly lookup?: LookupFunction | undefined
  readonly defaultPort?: number | undefined
  /** What stands in where no agent is named, or none is wanted: it knows how to connect. */
  readonly defaultAgent?: Agent | undefined
  readonly createConnection?: ((options: RequestOptions) => Socket) | undefined
}
/** Told of the response. */
export type ResponseListener = (response: IncomingMessage) => void

const withoutBody = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])

/** A request on its way. */
export class ClientRequest extends OutgoingMessage {
  readonly method: string
  readonly path: string
  readonly host: string
  readonly protocol: string
  readonly agent: Agent | undefined
  reusedSocket = false
  aborted = false
  res: IncomingMessage | undefined
  readonly #options: RequestOptions
  #over = false
  #answered = false
  #detach: (() => void) | undefined

  constructor(options: RequestOptions, listener?: ResponseListener) {
    super()
    this.#options = options
    const agent = typeof options.agent === 'object' && options.agent !== null ? options.agent : (options.defaultAgent ?? globalAgent)
    this.protocol = options.protocol ?? agent.protocol
    if (this.protocol !== agent.protocol) {
      throw nodeError('ERR_INVALID_PROTOCOL', `Protocol "${this.protocol}" not supported. Expected "${agent.protocol}"`, TypeError)
    }
    const { method = 'GET', path = '/', headers = {} } = options
    if (typeof method !== 'string') throw wrongType('options.method', 'of type string', method)
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(method)) throw nodeError('ERR_INVALID_HTTP_TOKEN', `Method must be a valid HTTP token ["${method}"]`, TypeError)
    if (/[^\x21-\xff]/.test(path)) throw nodeError('ERR_UNESCAPED_CHARACTERS', 'Request path contains unescaped characters', TypeError)
    this.method = method.toUpperCase()
    this.path = path || '/'
    this.host = options.hostname ?? options.host ?? 'localhost'
    const usual = options.defaultPort ?? agent.defaultPort
    const port = portOf(options.port ?? usual, 'options.port')
    this.agent = options.agent === false ? undefined : agent
    this.shouldKeepAlive = this.agent?.keepAlive ?? false
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderValue(name, value)
      if (value !== undefined) this.setHeader(name, value)
    }
    if (options.setHost !== false && !this.hasHeader('host')) {
      const host = this.host.includes(':') ? `[${this.host}]` : this.host
      this.setHeader('Host', port === usual ? host : `${host}:${port}`)
    }
    if (options.auth !== undefined && !this.hasHeader('authorization')) this.setHeader('Authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`)
    if (listener !== undefined) this.once('response', listener)
    const { signal, timeout } = options
    if (timeout !== undefined) this.setTimeout(timeout)
    if (signal !== undefined) {
      const abort = (): void => void this.destroy(abortError(signal))
      if (signal.aborted) nextTick(abort)
      else signal.addEventListener('abort', abort, { once: true })
      this.once('close', () => signal.removeEventListener('abort', abort))
    }
    const target = { ...options, path: undefined, timeout: undefined, signal: undefined, host: this.host, port, name: String(this.getHeader('host') ?? '') }
    nextTick(() => {
      if (this.destroyed) return
      if (options.createConnection !== undefined) this.onSocket(options.createConnection({ ...options, host: this.host, port }))
      else if (this.agent !== undefined) this.agent.addRequest(this, target)
      else this.onSocket(agent.createConnection(target))
    })
    if (/100-continue/i.test(String(this.getHeader('expect') ?? ''))) nextTick(() => this.flushHeaders())
  }

  protected override line(): string {
    return `${this.method} ${this.path} HTTP/1.1`
  }

  protected override complete(isWhole: boolean): void {
    this.frame(isWhole, withoutBody.has(this.method))
    if (!this.hasHeader('connection')) this.setHeader('Connection', this.shouldKeepAlive ? 'keep-alive' : 'close')
    else if (/close/i.test(String(this.getHeader('connection')))) this.shouldKeepAlive = false
  }

  /** Takes the connection it is sent on. */
  onSocket(socket: Socket): void {
    if (this.destroyed) {
      socket.emit('free')
      return
    }
    const parser = new HttpParser('response', {
      head: head => this.#head(head, socket, parser),
      body: bytes => this.res?.receive(bytes),
      end: trailers => this.#end(trailers, socket),
    })
    const failed = (error: Error): void => {
      this.#fail(error)
      socket.destroy()
    }
    const read = (run: () => void): void => {
      try {
        run()
      } catch (error) {
        failed(error as Error)
      }
    }
    const ears: Record<string, (...of: never[]) => void> = {
      data: (bytes: Uint8Array) => read(() => parser.read(bytes)),
      end: () => read(() => parser.finish()),
      error: (error: Error) => this.#fail(error),
      close: () => this.#fail(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })),
      timeout: () => void this.emit('timeout'),
      drain: () => void this.emit('drain'),
    }
    for (const [name, ear] of Object.entries(ears)) socket.on(name, ear as (...of: unknown[]) => void)
    this.#detach = () => {
      for (const [name, ear] of Object.entries(ears)) socket.off(name, ear as (...of: unknown[]) => void)
    }
    this.assign(socket)
    this.emit('socket', socket)
    socket.resume()
  }

  #head(head: Head, socket: Socket, parser: HttpParser): 'none' | 'upgrade' | undefined {
    const { status, reason, version, raw } = head
    const response = new IncomingMessage(socket, head)
    const isConnect = this.method === 'CONNECT' && status >= 200 && status < 300
    if (status === 101 || isConnect) {
      const name = isConnect ? 'connect' : 'upgrade'
      this.#answered = this.#over = true
      response.complete = true
      // What came with the head is handed over once the parser has let go of it.
      nextTick(() => {
        this.#detach?.()
        letGo(socket)
        if (!this.emit(name, response, socket, Buffer.from(parser.rest()))) socket.destroy()
        this.destroy()
      })
      return 'upgrade'
    }
    if (status < 200) {
      if (status === 100) this.emit('continue')
      this.emit('information', { statusCode: status, statusMessage: reason, httpVersion: version, headers: response.headers, rawHeaders: raw })
      return undefined
    }
    this.#answered = true
    this.res = response
    const connection = String(response.headers.connection ?? '')
    if (/close/i.test(connection) || (version === '1.0' && !/keep-alive/i.test(connection))) this.shouldKeepAlive = false
    if (!this.emit('response', response)) response.resume()
    return this.method === 'HEAD' ? 'none' : undefined
  }

  #end(trailers: string[], socket: Socket): void {
    const response = this.res
    if (response === undefined || response.complete) return
    response.finish(trailers)
    this.#over = true
    const release = (): void => {
      this.#detach?.()
      if (this.shouldKeepAlive && !socket.destroyed && socket.writable) {
        if (this.#options.timeout !== undefined) socket.setTimeout(0)
        nextTick(() => socket.emit('free'))
      } else socket.destroySoon()
      this.destroy()
    }
    if (this.writableFinished) release()
    else this.once('finish', release)
  }

  #fail(error: Error): void {
    if (this.#over) return
    this.#over = true
    this.#detach?.()
    if (this.#answered) {
      this.res?.cut()
      this.destroy()
    } else this.destroy(error)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#over) {
      this.#over = true
      this.#detach?.()
      this.res?.cut()
      this.socket?.on('error', () => undefined)
      this.socket?.destroy()
    }
    const isLost = error === null && !this.#answered && !this.aborted
    done(isLost ? Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }) : error)
  }

  /** The older name of `destroy`. */
  abort(): void {
    if (this.aborted) return
    this.aborted = true
    nextTick(() => this.emit('abort'))
    this.destroy(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }))
  }
  setNoDelay(on = true): void {
    this.whenAssigned(() => this.socket?.setNoDelay(on))
  }
  setSocketKeepAlive(on = false, delay = 0): void {
    this.whenAssigned(() => this.socket?.setKeepAlive(on, delay))
  }
}

/** Leaves a socket as one nobody has read from: the next listener of `data` sets it flowing. */
export const letGo = (socket: Socket): void => void Object.assign(socket, { readableFlowing: null })
