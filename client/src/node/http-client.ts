import { Buffer } from 'buffer'
import { finished } from 'readable-stream'
import { connect } from '../net.ts'
import { abortError, nodeError, wrongType } from './errors.ts'
import { globalAgent, type Agent } from './http-agent.ts'
import { Answer } from './http-answer.ts'
import { headersSent } from './http-checks.ts'
import type { HeaderValue, OutgoingHeaders } from './http-fields.ts'
import { connectionReset, type IncomingMessage } from './http-incoming.ts'
import { OutgoingMessage } from './http-outgoing.ts'
import { checkReading, durationOf, hostOf, methodOf, namedHost, pathOf, readRequest } from './http-request.ts'
import type { LookupFunction } from './lookup.ts'
import type { Socket } from './socket.ts'
import { nextTick } from './ticks.ts'

/** A request as it is asked for. */
export interface RequestOptions {
  readonly protocol?: string | null | undefined
  readonly host?: string | null | undefined
  readonly hostname?: string | null | undefined
  readonly port?: number | string | null | undefined
  readonly path?: string | null | undefined
  readonly method?: string | undefined
  readonly headers?: OutgoingHeaders | readonly HeaderValue[] | undefined
  readonly auth?: string | null | undefined
  readonly agent?: Agent | boolean | undefined
  readonly timeout?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly setHost?: boolean | undefined
  /** Whether `Host`, `Connection` and what frames the body are set where they were not. */
  readonly setDefaultHeaders?: boolean | undefined
  readonly uniqueHeaders?: readonly (string | readonly string[])[] | undefined
  readonly joinDuplicateHeaders?: boolean | undefined
  readonly maxHeaderSize?: number | undefined
  readonly insecureHTTPParser?: boolean | undefined
  readonly localAddress?: string | undefined
  /** Not offered: ENOTSUP. */
  readonly socketPath?: string | undefined
  readonly family?: number | undefined
  readonly lookup?: LookupFunction | undefined
  readonly defaultPort?: number | string | undefined
  /** What stands in where no agent is named. */
  readonly _defaultAgent?: Agent | undefined
  readonly createConnection?: ((options: RequestOptions, created: (error: Error | null, socket?: Socket) => void) => Socket | undefined) | undefined
}
/** Told of the response. */
export type ResponseListener = (response: IncomingMessage) => void
type Url = string | URL

const withoutBody = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])

/** The agent of a request; none where the request connects itself. */
function agentOf({ agent, createConnection }: RequestOptions, usual: Agent): Agent | undefined {
  if (agent === false) return new (usual.constructor as new () => Agent)()
  if (agent === undefined || agent === null) return typeof createConnection === 'function' ? undefined : usual
  if (typeof (agent as { addRequest?: unknown }).addRequest !== 'function') {
    throw wrongType('options.agent', 'one of Agent-like Object, undefined, or false', agent)
  }
  return agent as Agent
}

/** A request on its way. */
export class ClientRequest extends OutgoingMessage {
  method: string
  host: string
  protocol: string
  agent: Agent | undefined
  socketPath: string | undefined
  timeout: number | undefined
  maxHeaderSize: number | undefined
  insecureHTTPParser: boolean | undefined
  joinDuplicateHeaders: boolean | undefined
  maxHeadersCount: number | null = null
  reusedSocket = false
  aborted = false
  upgradeOrConnect = false
  res: IncomingMessage | null = null
  /** What tells `timeout`, once somebody asked for it. */
  timeoutCb: (() => void) | null = null
  _ended = false
  #path: string

  constructor(...of: readonly [first: Url | RequestOptions | ResponseListener, second?: RequestOptions | ResponseListener, third?: ResponseListener]) {
    super()
    const { options, listener } = readRequest<RequestOptions>(of)
    const usual = options._defaultAgent ?? globalAgent
    const agent = (this.agent = agentOf(options, usual))
    this.#path = pathOf(options.path)
    this.protocol = options.protocol || usual.protocol
    const expected = agent?.protocol || usual.protocol
    if (this.protocol !== expected) {
      throw nodeError('ERR_INVALID_PROTOCOL', `Protocol "${this.protocol}" not supported. Expected "${expected}"`, TypeError)
    }
    const usualPort = options.defaultPort || agent?.defaultPort
    const port = options.port || usualPort || 80
    this.host = hostOf(options.hostname, 'hostname') ?? hostOf(options.host, 'host') ?? 'localhost'
    const isPlain = options.setDefaultHeaders === false
    if (isPlain) this._removedConnection = this._removedContLen = this._removedTE = true
    this.socketPath = options.socketPath
    if (options.timeout !== undefined) this.timeout = durationOf(options.timeout, 'timeout')
    this.method = methodOf(options.method)
    checkReading(options)
    this.maxHeaderSize = options.maxHeaderSize
    this.insecureHTTPParser = options.insecureHTTPParser
    this.joinDuplicateHeaders = options.joinDuplicateHeaders
    if (listener !== undefined) this.once('response', listener)
    this.useChunkedEncodingByDefault = !withoutBody.has(this.method)
    // A connection that the agent would close again need not be kept.
    this.shouldKeepAlive = agent !== undefined && (agent.keepAlive || Number.isFinite(agent.maxSockets))
    this._last = !this.shouldKeepAlive
    const unique = options.uniqueHeaders
    if (Array.isArray(unique)) this._uniqueHeaders = new Set(unique.flat().map(name => String(name).toLowerCase()))
    this.#fill(options, (options.setHost ?? !isPlain) ? namedHost(this.host, port, usualPort) : undefined)
    if (options.signal !== undefined && options.signal !== null) this.#obey(options.signal)
    this.#connect({
      ...options,
      ...(agent === undefined ? {} : { defaultPort: usualPort }),
      host: this.host,
      port,
      path: options.socketPath,
      signal: undefined,
    })
  }

  get path(): string {
    return this.#path
  }
  set path(path: string) {
    this.#path = pathOf(path)
  }

  #fill({ headers, auth }: RequestOptions, host: string | undefined): void {
    if (Array.isArray(headers)) return this._storeHeader(this.#line(), headers as readonly HeaderValue[])
    for (const [name, value] of Object.entries((headers ?? {}) as OutgoingHeaders)) {
      if (name.toLowerCase() === 'host' && Array.isArray(value)) throw wrongType('options.headers.host', 'of type string', value)
      this.setHeader(name, value as HeaderValue)
    }
    if (host !== undefined && !this.getHeader('host')) this.setHeader('Host', host)
    if (auth && !this.getHeader('Authorization')) this.setHeader('Authorization', `Basic ${Buffer.from(auth).toString('base64')}`)
    if (this.getHeader('expect')) this._implicitHeader()
  }

  #obey(signal: AbortSignal): void {
    if (typeof signal !== 'object' || !('aborted' in signal)) throw wrongType('signal', 'an instance of AbortSignal', signal)
    const abort = (): void => void this.destroy(abortError(signal))
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    this.once('close', () => signal.removeEventListener('abort', abort))
  }

  #connect(options: RequestOptions): void {
    if (this.agent !== undefined) return this.agent.addRequest(this, options)
    this._last = true
    this.shouldKeepAlive = false
    if (typeof options.createConnection !== 'function') return this.onSocket(connect(options as never))
    let isOver = false
    const created = (error: Error | null | undefined, socket?: Socket): void => {
      if (isOver) return
      isOver = true
      if (error) nextTick(() => this.emit('error', error))
      else this.onSocket(socket)
    }
    try {
      const socket = options.createConnection(options, created)
      if (socket) created(null, socket)
    } catch (error) {
      created(error as Error)
    }
  }

  #line(): string {
    return `${this.method} ${this.path} HTTP/1.1\r\n`
  }

  override _implicitHeader(): void {
    if (this.headersSent) throw headersSent('render')
    this._storeHeader(this.#line(), this._fields)
  }

  /** Takes the connection it is sent on, or why there is none. */
  onSocket(socket: Socket | undefined, error?: Error | null): void {
    nextTick(() => {
      if (!this.destroyed && !error && socket !== undefined) {
        new Answer(this, socket).hear()
        this._flush()
        return
      }
      this.destroyed = true
      const why = this.errored ?? error
      if (socket === undefined) return this.#over(why)
      if (!why && this.agent !== undefined && !socket.destroyed) {
        socket.emit('free')
        return this.#over(why)
      }
      socket.destroy(why ?? undefined)
      finished(socket as never, (problem?: NodeJS.ErrnoException | null) => {
        this.#over(why ?? (problem?.code === 'ERR_STREAM_PREMATURE_CLOSE' ? null : problem))
      })
    })
  }

  #over(error: Error | null | undefined): void {
    const why = error ?? (this.aborted ? undefined : connectionReset('socket hang up'))
    if (why !== undefined) this.emit('error', why)
    this._closed = true
    this.emit('close')
  }

  override destroy(error?: Error | null): this {
    if (this.destroyed) return this
    this.destroyed = true
    // What still comes of the answer concerns nobody.
    this.res?._dump()
    this.errored = error ?? null
    this.socket?.destroy(error ?? undefined)
    return this
  }

  /** The older name of `destroy`. */
  abort(): void {
    if (this.aborted) return
    this.aborted = true
    nextTick(() => this.emit('abort'))
    this.destroy()
  }

  /** Emits `timeout` where its connection is silent for so many milliseconds. */
  override setTimeout(milliseconds: number, listener?: () => void): this {
    if (this._ended) return this
    this._hearTimeout()
    const wait = durationOf(milliseconds, 'msecs')
    if (listener !== undefined) this.once('timeout', listener)
    this.#once(socket => {
      if (socket.connecting) socket.once('connect', () => socket.setTimeout(wait))
      else socket.setTimeout(wait)
    })
    return this
  }
  clearTimeout(listener?: () => void): this {
    return this.setTimeout(0, listener)
  }

  /** Passes on that the connection was silent. */
  _hearTimeout(): void {
    if (this.timeoutCb !== null) return
    const told = (): void => void this.emit('timeout')
    this.timeoutCb = told
    this.#once(socket => socket.once('timeout', told))
  }

  setNoDelay(on?: boolean): void {
    this.#onceConnected(socket => socket.setNoDelay(on))
  }
  setSocketKeepAlive(on?: boolean, delay?: number): void {
    this.#onceConnected(socket => socket.setKeepAlive(on, delay))
  }

  #once(run: (socket: Socket) => void): void {
    if (this.socket === null) this.once('socket', run)
    else run(this.socket)
  }
  #onceConnected(run: (socket: Socket) => void): void {
    this.#once(socket => (socket.connecting ? socket.once('connect', () => run(socket)) : run(socket)))
  }
}
