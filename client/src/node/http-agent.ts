import { EventEmitter } from 'events'
import { connect } from '../net.ts'
import { isIP } from './address.ts'
import { adopting } from './callable.ts'
import { mustBeNumber, wrongValue } from './errors.ts'
import type { ClientRequest, RequestOptions } from './http-client.ts'
import type { MessageSocket } from './http-outgoing.ts'
import type { Socket } from './socket.ts'

/** How connections are kept; the rest goes to what connects. */
export interface AgentOptions {
  readonly keepAlive?: boolean | undefined
  /** Milliseconds until the system asks whether a connection that is kept still lives. */
  readonly keepAliveMsecs?: number | undefined
  readonly maxSockets?: number | undefined
  readonly maxTotalSockets?: number | undefined
  readonly maxFreeSockets?: number | undefined
  /** Whether the connection that was used last or first is used next. */
  readonly scheduling?: 'lifo' | 'fifo' | undefined
  /** Milliseconds a connection may be silent. */
  readonly timeout?: number | undefined
  /** Milliseconds by which a connection is given up before its server says it will. */
  readonly agentKeepAliveTimeoutBuffer?: number | undefined
  readonly noDelay?: boolean | undefined
  readonly localAddress?: string | undefined
  readonly family?: number | undefined
  readonly defaultPort?: number | undefined
  readonly protocol?: string | undefined
}
/** Where a request goes. */
export type AgentTarget = RequestOptions & { readonly _agentKey?: string | undefined }
/** Takes the connection, or why there is none. */
export type Created = (error: Error | null, socket?: Socket) => void
type Lists<T> = Record<string, T[]>

const lists = <T>(): Lists<T> => Object.create(null) as Lists<T>
const ignore = (): void => undefined

/** Keeps connections between requests, by host and port. */
export class Agent extends adopting(EventEmitter) {
  static readonly defaultMaxSockets: number = Infinity
  defaultPort = 80
  protocol = 'http:'
  options: AgentOptions
  requests: Lists<ClientRequest> = lists()
  sockets: Lists<Socket> = lists()
  freeSockets: Lists<Socket> = lists()
  keepAliveMsecs: number
  keepAlive: boolean
  maxSockets: number
  maxFreeSockets: number
  maxTotalSockets: number
  scheduling: 'lifo' | 'fifo'
  totalSocketCount = 0
  agentKeepAliveTimeoutBuffer: number
  /** What those who wait for a connection asked for. */
  readonly #asked = new WeakMap<ClientRequest, AgentTarget>()

  constructor(options: AgentOptions = {}) {
    super()
    const own = Object.assign(Object.create(null) as object, { noDelay: true }, options, { path: null }) as AgentOptions
    this.options = own
    this.keepAliveMsecs = own.keepAliveMsecs || 1000
    this.keepAlive = own.keepAlive || false
    this.maxSockets = own.maxSockets || Agent.defaultMaxSockets
    this.maxFreeSockets = own.maxFreeSockets || 256
    this.scheduling = own.scheduling || 'lifo'
    const { agentKeepAliveTimeoutBuffer: buffer } = own
    this.agentKeepAliveTimeoutBuffer = typeof buffer === 'number' && buffer >= 0 && Number.isFinite(buffer) ? buffer : 1000
    if (this.scheduling !== 'fifo' && this.scheduling !== 'lifo') throw wrongValue('scheduling', this.scheduling, "must be one of: 'fifo', 'lifo'")
    if (own.maxTotalSockets !== undefined) mustBeNumber('maxTotalSockets', own.maxTotalSockets, 1)
    this.maxTotalSockets = own.maxTotalSockets ?? Infinity
    this.on('free', (socket: MessageSocket, target: AgentTarget) => this.#onFree(socket, target))
  }

  /** Connects; a class that extends this one may do so in its own way, at once or by `created`. */
  createConnection(target: AgentTarget, _created?: Created): Socket | undefined | null {
    return connect(target as never)
  }

  /** The name under which connections are alike. */
  getName({ host, port, localAddress, family, socketPath }: AgentTarget = {}): string {
    const kind = family === 4 || family === 6 ? `:${family}` : ''
    return `${host || 'localhost'}:${port || ''}:${localAddress || ''}${kind}${socketPath ? `:${socketPath}` : ''}`
  }

  /** Gives a request a connection: one that is free, a new one, or the next that becomes free. */
  addRequest(request: ClientRequest, target: AgentTarget | string, port?: number, localAddress?: string): void {
    const options = this.#whole(typeof target === 'string' ? { host: target, port, localAddress } : target, request)
    const name = this.getName(options)
    const sockets = (this.sockets[name] ??= [])
    const free = this.freeSockets[name]
    while (free?.[0]?.destroyed === true) free.shift()
    const socket = this.scheduling === 'fifo' ? free?.shift() : free?.pop()
    if (free?.length === 0) delete this.freeSockets[name]
    if (socket !== undefined) {
      this.reuseSocket(socket, request)
      this.#give(socket, request)
      sockets.push(socket)
    } else if ((free?.length ?? 0) + sockets.length < this.maxSockets && this.totalSocketCount < this.maxTotalSockets) {
      this.createSocket(request, options, (error, made) => (error ? request.onSocket(made, error) : this.#give(made as Socket, request)))
    } else {
      this.#asked.set(request, options)
      ;(this.requests[name] ??= []).push(request)
      // A connection nobody uses makes room for one that is waited for.
      if (this.totalSocketCount >= this.maxTotalSockets) Object.values(this.freeSockets)[0]?.[0]?.destroy()
    }
  }

  /** Opens a connection for a request, and keeps it under its name. */
  createSocket(request: ClientRequest, target: AgentTarget, created: Created): void {
    const options = this.#whole(target, request)
    const name = this.getName(options)
    Object.assign(options, { _agentKey: name, encoding: null })
    let isOver = false
    const made: Created = (error, socket) => {
      if (isOver) return undefined
      isOver = true
      if (error || socket === undefined) return created(error, socket)
      ;(this.sockets[name] ??= []).push(socket)
      this.totalSocketCount += 1
      this.#watch(socket, options)
      return created(null, socket)
    }
    if (this.keepAlive) Object.assign(options, { keepAlive: true, keepAliveInitialDelay: this.keepAliveMsecs })
    const socket = this.createConnection(options, made)
    if (socket) made(null, socket)
  }

  #whole(target: AgentTarget, request: ClientRequest): AgentTarget {
    const options = Object.assign(Object.create(null) as object, target, this.options) as Record<string, unknown>
    if (options.socketPath) options.path = options.socketPath
    else if (options.path === null) delete options.path
    if (!options.servername && options.servername !== '') options.servername = serverName(options, request)
    return options
  }

  #watch(socket: Socket, target: AgentTarget): void {
    const onFree = (): void => void this.emit('free', socket, target)
    const onTimeout = (): void => {
      if (Object.values(this.freeSockets).some(free => free.includes(socket))) socket.destroy()
    }
    const drop = (): void => {
      this.totalSocketCount -= 1
      this.removeSocket(socket, target)
    }
    const onRemove = (): void => {
      drop()
      socket.off('close', drop).off('free', onFree).off('timeout', onTimeout).off('agentRemove', onRemove)
    }
    socket.on('free', onFree).on('close', drop).on('timeout', onTimeout).on('agentRemove', onRemove)
  }

  #onFree(socket: MessageSocket, target: AgentTarget): void {
    const name = this.getName(target)
    if (!socket.writable) return void socket.destroy()
    const waiting = this.requests[name]
    const next = waiting?.shift()
    if (next !== undefined) {
      if (waiting?.length === 0) delete this.requests[name]
      return this.#give(socket, next)
    }
    const request = socket._httpMessage
    if (!request?.shouldKeepAlive || !this.keepAlive) return void socket.destroy()
    const free = this.freeSockets[name] ?? []
    const all = free.length + (this.sockets[name]?.length ?? 0)
    if (this.totalSocketCount > this.maxTotalSockets || all > this.maxSockets || free.length >= this.maxFreeSockets || !this.keepSocketAlive(socket)) {
      return void socket.destroy()
    }
    this.freeSockets[name] = free
    socket._httpMessage = null
    this.removeSocket(socket, target)
    // A connection that breaks while nobody uses it concerns nobody.
    socket.once('error', ignore)
    free.push(socket)
    return undefined
  }

  #give(socket: Socket, request: ClientRequest): void {
    request.onSocket(socket)
    const { timeout } = request
    if (timeout !== undefined && timeout !== (this.options.timeout || 0)) socket.setTimeout(timeout)
  }

  /** Forgets a connection, and opens one for those who wait. */
  removeSocket(socket: Socket, target: AgentTarget): void {
    const name = this.getName(target)
    for (const of of socket.writable ? [this.sockets] : [this.sockets, this.freeSockets]) {
      const at = of[name]?.indexOf(socket) ?? -1
      if (at >= 0) of[name]?.splice(at, 1)
      if (of[name]?.length === 0) delete of[name]
    }
    const own = this.requests[name]?.[0]
    const other = Object.keys(this.requests).find(key => (this.sockets[key]?.length ?? 0) === 0)
    const next = own ?? (other === undefined ? undefined : this.requests[other]?.[0])
    const options = own !== undefined ? target : next === undefined ? undefined : this.#asked.get(next)
    if (next === undefined || options === undefined) return
    this.#asked.delete(next)
    this.createSocket(next, options, (error, made) => {
      if (error) next.onSocket(made, error)
      else made?.emit('free')
    })
  }

  /** Whether a connection is kept, and how long. */
  keepSocketAlive(socket: Socket): boolean {
    socket.setKeepAlive(true, this.keepAliveMsecs)
    socket.unref()
    let wait = this.options.timeout || 0
    const hint = (socket as MessageSocket & { _httpMessage?: ClientRequest | null })._httpMessage?.res?.headers['keep-alive']
    const [, seconds] = /^timeout=(\d+)/.exec(String(hint ?? '')) ?? []
    if (seconds !== undefined) {
      const left = Math.max(0, Number(seconds) * 1000 - this.agentKeepAliveTimeoutBuffer)
      if (left === 0) return false
      if (left < wait) wait = left
    }
    if (socket.timeout !== wait) socket.setTimeout(wait)
    return true
  }

  /** Takes a connection that was kept for a request. */
  reuseSocket(socket: Socket, request: ClientRequest): void {
    socket.off('error', ignore)
    request.reusedSocket = true
    socket.ref()
  }

  /** Closes every connection. */
  destroy(): void {
    for (const of of [this.freeSockets, this.sockets]) for (const sockets of Object.values(of)) for (const socket of [...sockets]) socket.destroy()
  }
}

/** The name a secured server is asked for: the one of `Host`, where it is a name. */
function serverName({ host }: AgentTarget, request: ClientRequest): string {
  const said = request.getHeader('host')
  const name = typeof said !== 'string' ? (host ?? '') : said.startsWith('[') ? said.slice(1, said.indexOf(']')) : (said.split(':', 1)[0] ?? '')
  return isIP(name) === 0 ? name : ''
}

/** The agent of requests that name none. */
export const globalAgent = /* @__PURE__ */ new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 })
