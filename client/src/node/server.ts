import { EventEmitter } from 'events'
import { isRefusal } from '@deputy/contract/refusals'
import type { TcpSocketResult } from '@deputy/contract/webvpn'
import { isIP, isLoopback } from './address.ts'
import { backend } from './backend.ts'
import type { BlockList } from './block-list.ts'
import { adopting } from './callable.ts'
import { checkBlockList, checkSignal, normalizeArgs } from './connect-options.ts'
import { mustBeNumber, nodeError, portOf, systemError, unsupported, wrongType, wrongValue } from './errors.ts'
import { addressesOf } from './lookup.ts'
import { closeHere, freeHere, listenHere } from './loopback.ts'
import { held, Socket, type AddressInfo } from './socket.ts'
import { nextTick } from './ticks.ts'

/** How a server treats what connects to it. */
export interface ServerOptions {
  readonly allowHalfOpen?: boolean | undefined
  readonly pauseOnConnect?: boolean | undefined
  readonly noDelay?: boolean | undefined
  readonly keepAlive?: boolean | undefined
  readonly keepAliveInitialDelay?: number | undefined
  readonly highWaterMark?: number | undefined
  readonly blockList?: BlockList | undefined
}

/** Where a server listens. */
export interface ListenOptions {
  readonly port?: number | string | undefined
  readonly host?: string | undefined
  /** Not offered: ENOTSUP. */
  readonly path?: string | undefined
  /** Not offered: ENOTSUP. */
  readonly fd?: number | undefined
  readonly backlog?: number | undefined
  readonly exclusive?: boolean | undefined
  readonly ipv6Only?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** The forms of `listen`. */
export type ListenArguments =
  | [listener?: () => void]
  | [options: ListenOptions, listener?: () => void]
  | [port: number | string | null | undefined, listener?: () => void]
  | [port: number | string | undefined, backlog: number, listener?: () => void]
  | [port: number | string | undefined, host: string, listener?: () => void]
  | [port: number | string | undefined, host: string | undefined, backlog?: number, listener?: () => void]

type Connected = (socket: Socket) => void
interface Bound extends AddressInfo {
  /** Resolves once nobody listens there any more. */
  stop(): Promise<void>
}
/** Milliseconds a listener has to confirm that it is closed. */
const patience = 1000

/** A place that is being asked for. */
interface Asked {
  readonly host: string
  /** 0 for one that the node chooses, unless somebody wants to know it at once. */
  port: number
  /** Connections from within the page that came before the node answered. */
  readonly early: TcpSocketResult[]
}

/** A TCP server on the tunnel's node, or within the page for `127.0.0.1`, `::1` and `localhost`. */
export class Server extends adopting(EventEmitter) {
  /** Connections beyond this many are dropped, and told by `drop`. */
  maxConnections: number | undefined
  /** What was asked for, in Node's own words: family, address, port. */
  _connectionKey: string | undefined
  #bound: Bound | undefined
  #asked: Asked | undefined
  #stopping = 0
  #round = 0
  readonly #sockets = new Set<Socket>()
  readonly #options: ServerOptions

  constructor(options?: ServerOptions | Connected | null, listener?: Connected) {
    super()
    if (typeof options !== 'function' && typeof options !== 'object' && options !== undefined) throw wrongType('options', 'of type object', options)
    const given: ServerOptions = typeof options === 'object' && options !== null ? options : {}
    const { keepAliveInitialDelay, highWaterMark } = given
    if (keepAliveInitialDelay !== undefined) mustBeNumber('options.keepAliveInitialDelay', keepAliveInitialDelay)
    if (highWaterMark !== undefined) mustBeNumber('options.highWaterMark', highWaterMark)
    checkBlockList(given.blockList)
    this.#options = given
    const connected = typeof options === 'function' ? options : listener
    if (connected !== undefined) this.on('connection', connected)
  }

  /** Whether it listens; as in Node at once where no host has to be looked up. */
  get listening(): boolean {
    return this.#bound !== undefined || this.#asked?.host === ''
  }

  /** Others ask whether there is one. */
  get _handle(): { readonly fd: -1 } | null {
    return this.listening ? { fd: -1 } : null
  }

  get _connections(): number {
    return this.#sockets.size
  }

  /** Listens: options, or a port with a host and a backlog, which the node sets itself. */
  listen(...of: ListenArguments): this {
    const [options, listener] = normalizeArgs<ListenOptions>(of)
    if (this.#bound !== undefined || this.#asked !== undefined) {
      throw nodeError('ERR_SERVER_ALREADY_LISTEN', 'Listen method has been called more than once without closing.')
    }
    const wanted = readListen(options, of)
    if (listener !== null) this.once('listening', listener)
    this.#obey(options.signal)
    const round = ++this.#round
    const asked: Asked = { host: wanted.host, port: wanted.port, early: [] }
    this.#asked = asked
    nextTick(() => {
      this.#start(asked, wanted.refusal, round).catch((error: unknown) => {
        for (const early of asked.early) refuse(early)
        if (round !== this.#round) return
        this.#asked = undefined
        nextTick(() => this.emit('error', error))
      })
    })
    return this
  }

  #obey(signal: AbortSignal | undefined): void {
    if (signal === undefined) return
    if (signal.aborted) return nextTick(() => this.close())
    const close = (): void => void this.close()
    signal.addEventListener('abort', close, { once: true })
    this.once('close', () => signal.removeEventListener('abort', close))
  }

  async #start(asked: Asked, refusal: Error | undefined, round: number): Promise<void> {
    if (round !== this.#round) return
    if (refusal !== undefined) throw refusal
    const key = asked.port
    const bound = await this.#bind(asked, round)
    if (round !== this.#round) {
      for (const early of asked.early) refuse(early)
      return await bound.stop()
    }
    this.#asked = undefined
    this.#bound = bound
    this._connectionKey = `${bound.family.slice(-1)}:${bound.address}:${key}`
    nextTick(() => {
      if (round === this.#round) this.emit('listening')
      for (const early of asked.early) nextTick(() => this.#accept(early))
    })
  }

  async #bind(asked: Asked, round: number): Promise<Bound> {
    const { host, port } = asked
    const accept = (handle: TcpSocketResult): void => this.#accept(handle)
    if (isLoopback(host)) {
      const address = host === '::1' ? host : '127.0.0.1'
      const taken = listenHere(address, port, handle => nextTick(accept, handle))
      if (taken === undefined) throw systemError('listen', 'EADDRINUSE', { address, port })
      return { address, family: address === '::1' ? 'IPv6' : 'IPv4', port: taken, stop: async () => closeHere(address, taken) }
    }
    const address = host === '' || isIP(host) !== 0 ? host : ((await addressesOf(host))[0]?.address ?? host)
    const isAny = address === '' || address === '0.0.0.0' || address === '::'
    const told = { address: address === '' ? '::' : address, port }
    // A port that is known is reached within the page from now on, as it is by a system at once.
    let own = isAny && port !== 0 ? this.#alsoHere(port, told) : undefined
    const ended = Promise.withResolvers<void>()
    try {
      const answer = await backend().tcpSocketListener({
        localAddress: address,
        localPort: port,
        onConnection: async handle => nextTick(accept, handle as TcpSocketResult),
        onClose: async why => {
          ended.resolve()
          if (why === undefined || round !== this.#round) return
          const error = systemError('accept', Object.assign(new Error(why.message), { code: why.code ?? 'ETUNNEL' }))
          this.#over()
          this.emit('error', error)
          this.#closeWhenEmpty()
        },
      })
      if (isRefusal(answer)) throw systemError('listen', answer, told)
      if (isAny) own ??= this.#alsoHere(answer.localPort, told)
      return {
        address: answer.localAddress,
        family: answer.localFamily,
        port: answer.localPort,
        stop: async () => {
          own?.()
          const late = setTimeout(ended.resolve, patience)
          answer.close().catch(ended.resolve)
          await ended.promise
          clearTimeout(late)
        },
      }
    } catch (error) {
      own?.()
      throw error
    }
  }

  /** A server on any address is reached within the page as well. */
  #alsoHere(port: number, where: { readonly address: string; readonly port: number }): () => void {
    const hosts = ['127.0.0.1', '::1']
    const taken = hosts.filter(host => listenHere(host, port, handle => nextTick(() => this.#accept(handle))) !== undefined)
    const stop = (): void => {
      for (const host of taken) closeHere(host, port)
    }
    if (taken.length === hosts.length || where.port === 0) return stop
    stop()
    throw systemError('listen', 'EADDRINUSE', where)
  }

  #accept(handle: TcpSocketResult): void {
    const { allowHalfOpen, pauseOnConnect = false, noDelay, keepAlive, keepAliveInitialDelay, highWaterMark, blockList } = this.#options
    if (this.#asked !== undefined) return void this.#asked.early.push(handle)
    if (this.#bound === undefined) return refuse(handle)
    const { localAddress, localPort, localFamily, remoteAddress, remotePort, remoteFamily } = handle
    if (blockList?.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4') === true) return away(handle)
    if (this.maxConnections !== undefined && this.#sockets.size >= this.maxConnections) {
      away(handle)
      this.emit('drop', { localAddress, localPort, localFamily, remoteAddress, remotePort, remoteFamily })
      return
    }
    const gone = (): void => {
      this.#sockets.delete(socket)
      this.#closeWhenEmpty()
    }
    const socket: Socket = new Socket({
      allowHalfOpen,
      noDelay,
      keepAlive,
      keepAliveInitialDelay,
      highWaterMark,
      [held]: { handle, paused: pauseOnConnect, gone },
    })
    Object.assign(socket, { server: this, _server: this })
    this.#sockets.add(socket)
    this.emit('connection', socket)
  }

  /** Takes no new connections; `close` is emitted once the last one is over. */
  close(done?: (error?: Error) => void): this {
    const running = this.#bound !== undefined || this.#asked !== undefined
    if (typeof done === 'function') {
      if (running) this.once('close', () => done())
      else this.once('close', () => done(nodeError('ERR_SERVER_NOT_RUNNING', 'Server is not running.')))
    }
    this.#over()
    this.#closeWhenEmpty()
    return this
  }

  #over(): void {
    this.#round += 1
    this.#asked = undefined
    const bound = this.#bound
    this.#bound = undefined
    if (bound === undefined) return
    this.#stopping += 1
    void bound.stop().then(() => {
      this.#stopping -= 1
      this.#closeWhenEmpty()
    })
  }

  #closeWhenEmpty(): void {
    if (this.#bound !== undefined || this.#asked !== undefined || this.#stopping > 0 || this.#sockets.size > 0) return
    const round = this.#round
    nextTick(() => {
      if (round === this.#round && this.#sockets.size === 0 && this.#bound === undefined) {
        this.#round += 1
        this.emit('close')
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.listening) return
    await new Promise<void>((resolve, reject) => this.close(error => (error === undefined ? resolve() : reject(error))))
  }

  address(): AddressInfo | null {
    const asked = this.#asked
    if (asked?.host === '') {
      // Whoever asks before the node has answered is told a port that the node is asked for.
      if (asked.port === 0) asked.port = freeHere()
      return { address: '::', family: 'IPv6', port: asked.port }
    }
    if (this.#bound === undefined) return null
    const { address, family, port } = this.#bound
    return { address, family, port }
  }

  getConnections(answer: (error: Error | null, count: number) => void): this {
    const count = this.#sockets.size
    nextTick(() => answer(null, count))
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

const away = (handle: TcpSocketResult): void => void handle.destroy().catch(() => undefined)
const refuse = (handle: TcpSocketResult): void => void handle.resetAndDestroy().catch(() => undefined)

interface Wanted {
  readonly host: string
  readonly port: number
  /** Why it cannot be had, told by `error`. */
  readonly refusal?: Error
}

/** Where to listen, checked as Node checks it. @throws ERR_SOCKET_BAD_PORT, ERR_INVALID_ARG_VALUE, ERR_INVALID_ARG_TYPE */
function readListen(options: ListenOptions, of: readonly unknown[]): Wanted {
  const { host, path, fd } = options
  checkSignal(options.signal)
  if (typeof fd === 'number' && fd >= 0) return { host: 'fd', port: 0, refusal: unsupported('listen') }
  const isPortless = of.length === 0 || typeof of[0] === 'function' || (options.port === undefined && 'port' in options) || options.port === null
  const port: unknown = isPortless ? 0 : options.port
  if (typeof port === 'number' || typeof port === 'string') {
    const wanted = portOf(port, 'options.port')
    return { host: host || '', port: wanted }
  }
  if (typeof path === 'string' && !(Number(path) >= 0)) return { host: path, port: 0, refusal: unsupported('listen', path) }
  throw wrongValue('options', options, 'port' in options || 'path' in options ? undefined : 'must have the property "port" or "path"')
}
