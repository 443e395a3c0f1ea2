import { EventEmitter } from 'events'
import { Socket } from './socket.ts'
import { nextTick } from './ticks.ts'

/** How connections are kept. */
export interface AgentOptions {
  readonly keepAlive?: boolean | undefined
  readonly maxSockets?: number | undefined
  readonly maxFreeSockets?: number | undefined
  /** Milliseconds a connection may be silent. */
  readonly timeout?: number | undefined
}
/** Where a request goes. */
export interface AgentTarget {
  readonly host: string
  readonly port: number
  readonly family?: number | undefined
  readonly lookup?: unknown
  /** The host as the request names it. */
  readonly name?: string | undefined
}
/** What waits for a connection. */
export interface Waiting {
  readonly destroyed: boolean
  reusedSocket: boolean
  onSocket(socket: Socket): void
}

/** Keeps connections between requests, by host and port. */
export class Agent extends EventEmitter {
  readonly defaultPort: number = 80
  readonly protocol: string = 'http:'
  readonly options: AgentOptions
  readonly sockets: Record<string, Socket[]> = {}
  readonly freeSockets: Record<string, Socket[]> = {}
  readonly requests: Record<string, Waiting[]> = {}
  maxSockets: number
  maxFreeSockets: number
  keepAlive: boolean

  constructor(options: AgentOptions = {}) {
    super()
    this.options = options
    this.keepAlive = options.keepAlive ?? false
    this.maxSockets = options.maxSockets ?? Infinity
    this.maxFreeSockets = options.maxFreeSockets ?? 256
  }

  getName({ host, port, family }: AgentTarget): string {
    return `${host}:${port}:${family === 4 || family === 6 ? `:${family}` : ''}`
  }

  createConnection(target: AgentTarget): Socket {
    return new Socket().connect(target as never)
  }

  /** Gives a request a connection: one that is free, a new one, or the next that becomes free. */
  addRequest(request: Waiting, target: AgentTarget): void {
    const name = this.getName(target)
    let free = this.freeSockets[name]?.shift()
    while (free !== undefined && (free.destroyed || !free.writable)) free = this.freeSockets[name]?.shift()
    if (free !== undefined) {
      this.#use(name, free)
      request.reusedSocket = true
      return request.onSocket(free)
    }
    if ((this.sockets[name]?.length ?? 0) < this.maxSockets) return request.onSocket(this.#open(name, target))
    ;(this.requests[name] ??= []).push(request)
  }

  #open(name: string, target: AgentTarget): Socket {
    const socket = this.createConnection(target)
    this.#use(name, socket)
    socket.on('free', () => this.#free(name, socket))
    // A free connection that breaks concerns nobody.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      drop(this.sockets, name, socket)
      drop(this.freeSockets, name, socket)
      const next = this.requests[name]?.shift()
      if (next !== undefined && !next.destroyed) next.onSocket(this.#open(name, target))
    })
    return socket
  }

  #use(name: string, socket: Socket): void {
    drop(this.freeSockets, name, socket)
    ;(this.sockets[name] ??= []).push(socket)
    if (this.options.timeout !== undefined) socket.setTimeout(this.options.timeout)
  }

  #free(name: string, socket: Socket): void {
    let next = this.requests[name]?.shift()
    while (next?.destroyed === true) next = this.requests[name]?.shift()
    if (next !== undefined) {
      next.reusedSocket = true
      return next.onSocket(socket)
    }
    drop(this.sockets, name, socket)
    if (!this.keepAlive || (this.freeSockets[name]?.length ?? 0) >= this.maxFreeSockets) return socket.destroySoon()
    ;(this.freeSockets[name] ??= []).push(socket)
    this.emit('free', socket, { name })
  }

  /** Closes every connection. */
  destroy(): void {
    for (const sockets of [...Object.values(this.sockets), ...Object.values(this.freeSockets)])
      for (const socket of [...sockets]) nextTick(() => socket.destroy())
  }
}

function drop(from: Record<string, Socket[]>, name: string, socket: Socket): void {
  const left = (from[name] ?? []).filter(one => one !== socket)
  if (left.length > 0) from[name] = left
  else delete from[name]
}

/** The agent of requests that name none. */
export const globalAgent = /* @__PURE__ */ new Agent({ keepAlive: true, timeout: 5000 })
