import type { TcpSocketResult } from '@deputy/contract/webvpn'
import { Duplex } from 'readable-stream'
import { joinedBytes } from '../joined-bytes.ts'
import { isIP } from './address.ts'
import { dial } from './attempts.ts'
import { adopting } from './callable.ts'
import { checkSocket, normalizeArgs, readTarget, type ConnectArguments, type ConnectOptions, type SocketOptions, type Target } from './connect-options.ts'
import { abortError, mustBeFunction, mustBeNumber, nodeError, outOfRange, systemError } from './errors.ts'
import { Incoming } from './incoming.ts'
import { TcpHandle, type SocketHandle } from './tcp-handle.ts'
import { nextTick } from './ticks.ts'
import { chunkOf, writeAfterEnd } from './writing.ts'

/** An end of a socket as `address()` tells it. */
export interface AddressInfo {
  address: string
  family: 'IPv4' | 'IPv6'
  port: number
}
type Done = (error?: Error | null) => void
type ReadyState = 'opening' | 'open' | 'readOnly' | 'writeOnly' | 'closed'

const timerMost = 2 ** 31 - 1

/** How a connection that stands is handed to a socket. */
export const held = Symbol('held')

/** A TCP socket of the tunnel, or one within the page, in the shape of Node's `net.Socket`. */
export class Socket extends adopting(Duplex) {
  connecting = false
  /** Milliseconds of silence after which `timeout` is emitted; 0 is never. */
  timeout: number | undefined
  /** The name that was connected to, where it was one; TLS over this socket checks it. */
  _host: string | undefined
  /** What is held of the connection; others ask whether there is one. */
  _handle: SocketHandle | null = null
  /** The addresses that were tried, where a name had several. */
  autoSelectFamilyAttemptedAddresses: string[] | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #written = 0
  #attempt = 0
  #gone: (() => void) | undefined
  #peer: Partial<Ends> = {}
  #noDelay = false
  #keepAlive = false
  #keepAliveSeconds = 0
  readonly #incoming: Incoming
  readonly #options: SocketOptions

  constructor(options: (SocketOptions & { readonly [held]?: Held }) | number = {}) {
    const given: SocketOptions & { readonly [held]?: Held } = typeof options === 'number' ? { fd: options } : (options ?? {})
    checkSocket(given)
    const { allowHalfOpen, highWaterMark, readable, writable, onread, handle } = given
    const readableHighWaterMark = highWaterMark ?? given.readableHighWaterMark ?? 65_536
    const writableHighWaterMark = highWaterMark ?? given.writableHighWaterMark ?? 65_536
    const streams = { allowHalfOpen: Boolean(allowHalfOpen), readableHighWaterMark, writableHighWaterMark, readable, writable }
    super({ ...streams, emitClose: false, autoDestroy: true } as ConstructorParameters<typeof Duplex>[0])
    this.#options = given
    this.#incoming = new Incoming(this, onread, () => this.#refresh())
    this.#noDelay = Boolean(given.noDelay)
    this.#keepAlive = Boolean(given.keepAlive)
    this.#keepAliveSeconds = secondsOf(given.keepAliveInitialDelay)
    this.on('end', () => {
      if (!this.allowHalfOpen) this.write = writeAfterEnd
    })
    if (given.signal !== undefined) this.#obey(given.signal)
    const taken = given[held]
    if (taken !== undefined) this.#open(taken)
    else if (handle) {
      this._handle = handle
      if (readable !== false) this.read(0)
    }
  }

  #obey(signal: AbortSignal): void {
    const abort = (): void => void this.destroy(abortError(signal))
    if (signal.aborted) return nextTick(abort)
    signal.addEventListener('abort', abort, { once: true })
    this.once('close', () => signal.removeEventListener('abort', abort))
  }

  /** Connects; the options, a port with a host, or digits. */
  connect(...of: ConnectArguments | [normalized: ReturnType<typeof normalizeArgs>]): this {
    const [first] = of
    const [options, listener] = Array.isArray(first) ? (first as ReturnType<typeof normalizeArgs<ConnectOptions>>) : normalizeArgs<ConnectOptions>(of)
    const target = readTarget(options)
    if (this.write === writeAfterEnd) Reflect.deleteProperty(this, 'write')
    if (this.destroyed) {
      ;(this as unknown as { _undestroy(): void })._undestroy()
      this.#forget()
    }
    this._handle ??= new TcpHandle()
    this.connecting = true
    if (listener !== null) this.once('connect', listener)
    const attempt = ++this.#attempt
    this.#refresh()
    const start = (): void => {
      this.#dial(target, options, attempt).catch((error: unknown) => {
        if (attempt === this.#attempt && !this.destroyed) this.destroy(error as Error)
      })
    }
    if (options.lookup && isIP(target.host) === 0) start()
    else nextTick(start)
    return this
  }

  async #dial(target: Target, options: ConnectOptions, attempt: number): Promise<void> {
    const waits = (): boolean => !this.destroyed && attempt === this.#attempt
    // A page has no files, so nobody listens at any path.
    if (target.path !== undefined) throw systemError('connect', 'ENOENT', { address: target.path })
    if (isIP(target.host) === 0) this._host = target.host
    const connection = await dial({
      target,
      options,
      blockList: options.blockList ?? this.#options.blockList,
      isHeard: this.listenerCount('lookup') > 0,
      waits,
      tell: (name, ...of) => void (waits() && this.emit(name, ...of)),
      trying: addresses => void (this.autoSelectFamilyAttemptedAddresses = addresses),
    })
    if (connection === undefined) return
    if (!waits()) return void connection.destroy().catch(() => undefined)
    this.#open({ handle: connection, paused: false })
    nextTick(() => {
      this.emit('connect')
      this.emit('ready')
    })
  }

  /** Takes a connection that stands, after the socket was made. */
  [held](of: Held): void {
    this.#open(of)
  }

  #open({ handle, paused, gone }: Held): void {
    this.#gone = gone
    this.connecting = false
    const own = (this._handle ??= new TcpHandle())
    own.attach?.(handle)
    if (this.#noDelay) own.setNoDelay?.(true)
    if (this.#keepAlive) own.setKeepAlive?.(true, this.#keepAliveSeconds)
    this.#refresh()
    if (paused) this.pause()
    else if (!this.isPaused())
      nextTick(() => {
        this.read(0)
      })
  }

  override _read(): void {
    if (this.connecting || this._handle === null) this.once('connect', () => this._read())
    else this.#incoming.want()
  }

  /** Goes on with what is given to the app's own buffers. */
  #goOn(): void {
    if (this.#incoming.isElsewhere && !this.connecting && this._handle !== null) this.#incoming.want()
  }

  override read(size?: number): unknown {
    this.#goOn()
    return super.read(size) as unknown
  }

  override resume(): this {
    this.#goOn()
    return super.resume()
  }

  override pause(): this {
    if (this.#incoming.isElsewhere) this.#incoming.stop()
    return super.pause()
  }

  override write(chunk: unknown, ...of: unknown[]): boolean {
    return Reflect.apply(Duplex.prototype.write, this, [chunkOf(chunk), ...of]) as boolean
  }

  override end(chunk?: unknown, ...of: unknown[]): this {
    const isNone = chunk === undefined || chunk === null || typeof chunk === 'function'
    return Reflect.apply(Duplex.prototype.end, this, [isNone ? chunk : chunkOf(chunk), ...of]) as this
  }

  override _write(chunk: Uint8Array, _encoding: string, done: Done): void {
    this.#send([chunk], done)
  }

  override _writev(chunks: { chunk: Uint8Array; encoding: string }[], done: Done): void {
    this.#send(
      chunks.map(({ chunk }) => chunk),
      done,
    )
  }

  #send(chunks: readonly Uint8Array[], done: Done): void {
    if (this.connecting) {
      const closed = (): void => done(nodeError('ERR_SOCKET_CLOSED_BEFORE_CONNECTION', 'Socket closed before the connection was established'))
      this.once('close', closed)
      this.once('connect', () => {
        this.off('close', closed)
        this.#send(chunks, done)
      })
      return
    }
    const handle = this._handle
    if (handle === null) return done(nodeError('ERR_SOCKET_CLOSED', 'Socket is closed'))
    if (!(handle instanceof TcpHandle)) return done(systemError('write', 'ENOTSUP'))
    // The writer keeps its chunks and may use them again, so the broker is given a copy.
    const bytes = joinedBytes(chunks)
    // Transferred with the write, they have no length afterwards.
    const { byteLength } = bytes
    this.#refresh()
    handle.write(bytes).then(() => {
      this.#written += byteLength
      this.#refresh()
      done()
    }, done)
  }

  override _final(done: Done): void {
    if (this.connecting) return void this.once('connect', () => this._final(done))
    this._handle?.end?.()
    nextTick(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.connecting = false
    this.#attempt += 1
    clearTimeout(this.#timer)
    // Those who put something in its place count on being handed what to call.
    this._handle?.close?.(() => undefined)
    this._handle = null
    this.#gone?.()
    done(error)
    nextTick(() => nextTick(() => this.emit('close', error !== null && error !== undefined)))
  }

  #forget(): void {
    this._handle = null
    this.#incoming.forget()
    this.#written = 0
    this.#peer = {}
  }

  /** Ends once everything was written, then destroys. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  /** Closes with a reset (RST) where there is a connection. */
  resetAndDestroy(): this {
    if (this._handle === null) return this.destroy(nodeError('ERR_SOCKET_CLOSED', 'Socket is closed'))
    if (this.connecting) return this.once('connect', () => this.resetAndDestroy())
    this._handle.reset?.()
    return this.destroy()
  }

  /** Emits `timeout` after so many milliseconds of silence; the socket stays as it is. */
  setTimeout(milliseconds: number, listener?: () => void): this {
    if (this.destroyed) return this
    mustBeNumber('msecs', milliseconds)
    if (milliseconds < 0 || !Number.isFinite(milliseconds)) throw outOfRange('msecs', 'a non-negative finite number', milliseconds)
    if (listener !== undefined) mustBeFunction('callback', listener)
    this.timeout = milliseconds
    clearTimeout(this.#timer)
    if (milliseconds === 0) {
      if (listener !== undefined) this.removeListener('timeout', listener)
      return this
    }
    if (listener !== undefined) this.once('timeout', listener)
    this.#refresh()
    return this
  }

  #refresh(): void {
    clearTimeout(this.#timer)
    if (!this.timeout || this.destroyed) return
    const timer: unknown = (this.#timer = setTimeout(() => this.emit('timeout'), Math.min(this.timeout, timerMost)))
    // Where a timer keeps a process running, this one does not.
    if (typeof timer === 'object') (timer as { unref?(): void }).unref?.()
  }

  setNoDelay(on: unknown = true): this {
    const wanted = Boolean(on)
    if (wanted !== this.#noDelay && this._handle?.setNoDelay && !this.connecting) this._handle.setNoDelay(wanted)
    this.#noDelay = wanted
    return this
  }

  /** The delay counts in milliseconds. */
  setKeepAlive(on: unknown = false, delay = 0): this {
    const [wanted, seconds] = [Boolean(on), secondsOf(delay)]
    const isNew = wanted !== this.#keepAlive || seconds !== this.#keepAliveSeconds
    if (isNew && this._handle?.setKeepAlive && !this.connecting) this._handle.setKeepAlive(wanted, seconds)
    this.#keepAlive = wanted
    this.#keepAliveSeconds = seconds
    return this
  }

  /** A page lives as long as its window: holding it open for a socket has no meaning. */
  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  address(): AddressInfo | Record<string, never> {
    const { localAddress, localFamily, localPort } = this.#ends()
    return localAddress === undefined || localFamily === undefined || localPort === undefined
      ? {}
      : { address: localAddress, family: localFamily, port: localPort }
  }

  #ends(): Partial<Ends> {
    return this._handle?.connection ?? {}
  }

  /** The other end, which is known afterwards to those who asked while the connection stood. */
  #others(): Partial<Ends> {
    const { connection } = this._handle ?? {}
    return connection === undefined ? this.#peer : (this.#peer = connection)
  }

  get pending(): boolean {
    return this._handle === null || this.connecting
  }
  get readyState(): ReadyState {
    if (this.connecting) return 'opening'
    if (this.readable) return this.writable ? 'open' : 'readOnly'
    return this.writable ? 'writeOnly' : 'closed'
  }
  get bufferSize(): number | undefined {
    return this._handle === null ? undefined : this.writableLength
  }
  get bytesRead(): number {
    return this.#incoming.bytes
  }
  get bytesWritten(): number {
    return this.#written + this.writableLength
  }
  /** Older names of `connecting` and `bytesWritten`. */
  get _connecting(): boolean {
    return this.connecting
  }
  get _bytesDispatched(): number {
    return this.bytesWritten
  }
  get localAddress(): string | undefined {
    return this.#ends().localAddress
  }
  get localPort(): number | undefined {
    return this.#ends().localPort
  }
  get localFamily(): 'IPv4' | 'IPv6' | undefined {
    return this.#ends().localFamily
  }
  get remoteAddress(): string | undefined {
    return this.#others().remoteAddress
  }
  get remotePort(): number | undefined {
    return this.#others().remotePort
  }
  get remoteFamily(): 'IPv4' | 'IPv6' | undefined {
    return this.#others().remoteFamily
  }
}

type Ends = Pick<TcpSocketResult, 'localAddress' | 'localFamily' | 'localPort' | 'remoteAddress' | 'remoteFamily' | 'remotePort'>

/** A connection that stands. */
export interface Held {
  readonly handle: TcpSocketResult
  readonly paused: boolean
  /** Called once the socket is destroyed. */
  gone?(): void
}

const secondsOf = (milliseconds: unknown): number => Math.max(0, Math.trunc(Number(milliseconds ?? 0) / 1000) || 0)
