import { EventEmitter } from 'events'
import { isRefusal } from '@deputy/contract/refusals'
import type { TcpSocketListenerResult, TcpSocketResult } from '@deputy/contract/webvpn'
import { isIP, isLoopback } from './address.ts'
import { backend } from './backend.ts'
import type { BlockList } from './block-list.ts'
import { mustBeFunction, mustBeNumber, mustBeString, nodeError, portOf, systemError, unsupported, wrongType, wrongValue } from './errors.ts'
import { addressesOf } from './lookup.ts'
import { closeHere, listenHere } from './loopback.ts'
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
  readonly path?: string | undefined
  readonly backlog?: number | undefined
  readonly exclusive?: boolean | undefined
  readonly ipv6Only?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** The forms of `listen`. */
export type ListenArguments =
  | [listener?: () => void]
  | [options: ListenOptions, listener?: () => void]
  | [port: number | string | undefined, listener?: () => void]
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

/** A TCP server on the tunnel's node, or within the page for `127.0.0.1`, `::1` and `localhost`. */
export class Server extends EventEmitter {
  /** Connections beyond this many are dropped, and told by `drop`. */
  maxConnections: number | undefined
  #bound: Bound | undefined
  #starting = false
  #stopping = 0
  #round = 0
  readonly #sockets = new Set<Socket>()
  readonly #options: ServerOptions

  constructor(options?: ServerOptions | Connected | null, listener?: Connected) {
    super()
    if (typeof options !== 'function' && typeof options !== 'object' && options !== undefined) throw wrongType('options', 'of type object', options)
    this.#options = typeof options === 'object' && options !== null ? options : {}
    const connected = typeof options === 'function' ? options : listener
    if (connected !== undefined) this.on('connection', connected)
  }

  get listening(): boolean {
    return this.#bound !== undefined
  }

  /** Listens: options, or a port with a host and a backlog, which the node sets itself. */
  listen(...of: ListenArguments): this {
    const { options, listener } = readListen(of)
    if (this.#bound !== undefined || this.#starting) {
      throw nodeError('ERR_SERVER_ALREADY_LISTEN', 'Listen method has been called more than once without closing.')
    }
    const port = options.port === undefined || options.port === null ? 0 : portOf(options.port, 'options.port')
    if (listener !== undefined) this.once('listening', listener)
    const { signal } = options
    if (signal !== undefined) {
      if (signal.aborted) nextTick(() => this.close())
      else {
        const close = (): void => void this.close()
        signal.addEventListener('abort', close, { once: true })
        this.once('close', () => signal.removeEventListener('abort', close))
      }
    }
    const round = ++this.#round
    this.#starting = true
    const host = options.host || ''
    nextTick(() => {
      this.#start(host, port, round).catch((error: unknown) => {
        if (round !== this.#round) return
        this.#starting = false
        this.emit('error', error)
      })
    })
    return this
  }

  async #start(host: string, port: number, round: number): Promise<void> {
    const bound = await this.#bind(host, port)
    if (round !== this.#round) return await bound.stop()
    this.#starting = false
    this.#bound = bound
    this.emit('listening')
  }

  async #bind(host: string, port: number): Promise<Bound> {
    const accept = (handle: TcpSocketResult): void => this.#accept(handle)
    if (isLoopback(host)) {
      const address = host === '::1' ? host : '127.0.0.1'
      const taken = listenHere(address, port, handle => nextTick(accept, handle))
      if (taken === undefined) throw systemError('listen', 'EADDRINUSE', { address, port })
      return { address, family: address === '::1' ? 'IPv6' : 'IPv4', port: taken, stop: async () => closeHere(address, taken) }
    }
    const address = host === '' || isIP(host) !== 0 ? host : ((await addressesOf(host))[0]?.address ?? host)
    const round = this.#round
    const ended = Promise.withResolvers<void>()
    const answer = await backend().tcpSocketListener({
      localAddress: address,
      localPort: port,
      onConnection: async handle => accept(handle as TcpSocketResult),
      onClose: async why => {
        ended.resolve()
        if (why === undefined || round !== this.#round) return
        const error = systemError('accept', Object.assign(new Error(why.message), { code: why.code ?? 'ETUNNEL' }))
        this.#over()
        this.emit('error', error)
        this.#closeWhenEmpty()
      },
    })
    if (isRefusal(answer)) throw systemError('listen', answer, { address: address === '' ? '::' : address, port })
    const own = listenAlsoHere(address, answer, accept)
    return {
      address: answer.localAddress,
      family: answer.localFamily,
      port: answer.localPort,
      stop: async () => {
        own()
        const late = setTimeout(ended.resolve, patience)
        answer.close().catch(ended.resolve)
        await ended.promise
        clearTimeout(late)
      },
    }
  }

  #accept(handle: TcpSocketResult): void {
    const { allowHalfOpen, pauseOnConnect = false, noDelay, keepAlive, keepAliveInitialDelay, highWaterMark, blockList } = this.#options
    const away = (): void => void handle.destroy().catch(() => undefined)
    if (this.#bound === undefined) return away()
    const { localAddress, localPort, localFamily, remoteAddress, remotePort, remoteFamily } = handle
    if (blockList?.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4') === true) return away()
    if (this.maxConnections !== undefined && this.#sockets.size >= this.maxConnections) {
      away()
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
    const running = this.#bound !== undefined || this.#starting
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
    this.#starting = false
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
    if (this.#bound !== undefined || this.#starting || this.#stopping > 0 || this.#sockets.size > 0) return
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

/** A server on any address is reached within the page as well. */
function listenAlsoHere(asked: string, { localPort }: TcpSocketListenerResult, accept: (handle: TcpSocketResult) => void): () => void {
  if (asked !== '' && asked !== '0.0.0.0' && asked !== '::') return () => undefined
  const hosts = ['127.0.0.1', '::1'].filter(host => listenHere(host, localPort, handle => nextTick(accept, handle)) !== undefined)
  return () => {
    for (const host of hosts) closeHere(host, localPort)
  }
}

function readListen(of: readonly unknown[]): { readonly options: ListenOptions; readonly listener: (() => void) | undefined } {
  const last = of.at(-1)
  const listener = typeof last === 'function' ? (last as () => void) : undefined
  const [first, second, third] = of
  if (typeof first === 'object' && first !== null) {
    const options = first as ListenOptions & { fd?: unknown; handle?: unknown }
    if (options.fd !== undefined || options.handle !== undefined) throw unsupported('listen')
    if (options.path !== undefined) {
      mustBeString('options.path', options.path)
      throw unsupported('listen', options.path)
    }
    if (!('port' in options)) throw wrongValue('options', options, 'must have the property "port" or "path"')
    if (options.backlog !== undefined) mustBeNumber('options.backlog', options.backlog)
    return { options, listener }
  }
  if (typeof first === 'string' && !/^\d+$/.test(first.trim())) throw unsupported('listen', first)
  if (typeof first === 'boolean') throw wrongValue('options', first)
  const port = typeof first === 'function' ? undefined : (first as number | undefined)
  if (third !== undefined && typeof third !== 'function') mustBeNumber('backlog', third)
  if (listener !== undefined) mustBeFunction('listener', listener)
  return { options: { port, ...(typeof second === 'string' ? { host: second } : {}) }, listener }
}
