import { Buffer } from 'buffer'
import { isRefusal } from '@deputy/contract/refusals'
import type { TcpSocketOption, TcpSocketResult } from '@deputy/contract/webvpn'
import { Duplex } from 'readable-stream'
import { joinedBytes } from '../joined-bytes.ts'
import { isIP } from './address.ts'
import { backend } from './backend.ts'
import { readConnect, readTarget, type ConnectArguments, type ConnectOptions, type SocketOptions } from './connect-options.ts'
import { abortError, lookupError, mustBeFunction, mustBeNumber, nodeError, systemError, unsupported, wrongType } from './errors.ts'
import { addressesOf, askLookup, type LookupAddress } from './lookup.ts'
import { connectHere } from './loopback.ts'
import { nextTick } from './ticks.ts'

/** An end of a socket as `address()` tells it. */
export interface AddressInfo {
  address: string
  family: 'IPv4' | 'IPv6'
  port: number
}
type Done = (error?: Error | null) => void
type ReadyState = 'opening' | 'open' | 'readOnly' | 'writeOnly' | 'closed'

const timerMost = 2 ** 31 - 1
/** Milliseconds that what was written before `destroy` has to be taken over by the broker. */
const linger = 1000

/** How a connection that stands is handed to a socket. */
export const held = Symbol('held')

/** A TCP socket of the tunnel, or one within the page, in the shape of Node's `net.Socket`. */
export class Socket extends Duplex {
  connecting = false
  /** Milliseconds of silence after which `timeout` is emitted; 0 is never. */
  timeout: number | undefined
  /** The name that was connected to, where it was one; TLS over this socket checks it. */
  _host: string | undefined
  readonly autoSelectFamilyAttemptedAddresses: string[] = []
  #handle: TcpSocketResult | undefined
  #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined
  #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #read = 0
  #written = 0
  #reading = false
  #wanted = false
  #ended = false
  #reset = false
  #attempt = 0
  #gone: (() => void) | undefined
  #closing: Promise<void> | undefined
  #settings: TcpSocketOption = {}
  readonly #options: SocketOptions

  constructor(options: SocketOptions & { readonly handle?: unknown; readonly fd?: unknown; readonly [held]?: Held } = {}) {
    if ([options?.handle, options?.fd, options?.onread].some(value => value !== undefined)) throw unsupported('open')
    if ((options as { objectMode?: unknown }).objectMode === true) {
      throw nodeError('ERR_INVALID_ARG_VALUE', "The property 'options.objectMode' is not supported. Received true", TypeError)
    }
    const streams = { allowHalfOpen: options.allowHalfOpen ?? false, highWaterMark: options.highWaterMark ?? 65_536, emitClose: false, autoDestroy: true }
    super(streams)
    this.#options = options
    if (options.noDelay === true) this.#settings = { ...this.#settings, noDelay: true }
    if (options.keepAlive === true) this.#settings = { ...this.#settings, keepAlive: true, keepAliveInitialDelay: options.keepAliveInitialDelay ?? 0 }
    this.on('end', () => {
      if (!this.allowHalfOpen) this.write = writeAfterEnd
    })
    if (options.signal !== undefined) this.#obey(options.signal)
    const taken = options[held]
    if (taken !== undefined) this.#open(taken)
  }

  #obey(signal: AbortSignal): void {
    const abort = (): void => void this.destroy(abortError(signal))
    if (signal.aborted) return nextTick(abort)
    signal.addEventListener('abort', abort, { once: true })
    this.once('close', () => signal.removeEventListener('abort', abort))
  }

  /** Connects; the options, a port with a host, or digits. */
  connect(...of: ConnectArguments): this {
    const { options, listener } = readConnect(of)
    const { host, port } = readTarget(options)
    if (this.write === writeAfterEnd) this.write = Duplex.prototype.write
    if (this.destroyed) {
      ;(this as unknown as { _undestroy(): void })._undestroy()
      this.#forget()
    }
    this.connecting = true
    if (options.timeout !== undefined) this.setTimeout(options.timeout)
    if (listener !== undefined) this.once('connect', listener)
    const attempt = ++this.#attempt
    this.#refresh()
    nextTick(() => {
      this.#dial(host, port, options, attempt).catch((error: unknown) => {
        if (attempt === this.#attempt && !this.destroyed) this.destroy(error as Error)
      })
    })
    return this
  }

  async #dial(name: string, port: number, options: ConnectOptions, attempt: number): Promise<void> {
    let host = name
    if (isIP(name) === 0) this._host = name
    // The node resolves names itself; a trip of its own is made only for those who want to see the address.
    if (isIP(host) === 0 && (options.lookup !== undefined || options.family === 4 || options.family === 6 || this.listenerCount('lookup') > 0)) {
      const family = options.family === 4 || options.family === 6 ? options.family : 0
      let found: LookupAddress | undefined
      try {
        found = options.lookup === undefined ? (await addressesOf(host, family))[0] : await askLookup(options.lookup, host, family)
      } catch (error) {
        this.emit('lookup', error, undefined, undefined, host)
        throw error
      }
      this.emit('lookup', null, found?.address, found?.family, host)
      host = found?.address ?? host
    }
    if (this.destroyed || attempt !== this.#attempt) return
    const { localAddress, localPort } = options
    if (localAddress !== undefined || (localPort ?? 0) !== 0) throw systemError('bind', 'ENOTSUP', { address: localAddress, port: localPort })
    const { blockList = this.#options.blockList } = options
    if (isIP(host) !== 0 && blockList?.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4') === true) {
      throw nodeError('ERR_IP_BLOCKED', `IP(${host}) is blocked by net.BlockList`)
    }
    this.emit('connectionAttempt', host, port, isIP(host) || 4)
    const answer = connectHere(host, port) ?? (await backend().tcpSocket({ remoteAddress: host, remotePort: port }))
    if (isRefusal(answer)) {
      throw answer.error === 'ENOTFOUND' ? lookupError(host, answer) : systemError('connect', answer, { address: host, port })
    }
    if (this.destroyed || attempt !== this.#attempt) return void ignored(answer.destroy())
    this.#open({ handle: answer, paused: false })
    this.emit('connect')
    this.emit('ready')
  }

  /** Takes a connection that stands, after the socket was made. */
  [held](of: Held): void {
    this.#open(of)
  }

  #open({ handle, paused, gone }: Held): void {
    this.#gone = gone
    this.connecting = false
    this.#handle = handle
    this.#reader = handle.dataReadableStream.getReader()
    this.#writer = handle.dataWritableStream.getWriter()
    // What goes wrong while nobody writes is told by the reader.
    this.#writer.closed.catch(() => undefined)
    if (Object.keys(this.#settings).length > 0) void ignored(handle.setOption(this.#settings))
    this.#refresh()
    if (paused) this.pause()
    else if (!this.isPaused())
      nextTick(() => {
        this.read(0)
      })
  }

  override _read(): void {
    this.#wanted = true
    if (this.#handle === undefined) this.once('connect', () => void this.#pump())
    else void this.#pump()
  }

  async #pump(): Promise<void> {
    const reader = this.#reader
    if (this.#reading || reader === undefined || this.#ended) return
    this.#reading = true
    try {
      while (this.#wanted && !this.destroyed) {
        const { value, done } = await reader.read()
        if (this.destroyed || reader !== this.#reader) return
        this.#refresh()
        if (done) {
          this.#ended = true
          this.push(null)
          this.read(0)
          return
        }
        this.#read += value.byteLength
        this.#wanted = this.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
      }
    } catch (error) {
      if (!this.destroyed) this.destroy(systemError('read', error as Error))
    } finally {
      this.#reading = false
    }
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
    const writer = this.#writer
    if (writer === undefined) return done(nodeError('ERR_SOCKET_CLOSED', 'Socket is closed'))
    // The writer keeps its chunks and may use them again, so the broker is given a copy.
    const bytes = joinedBytes(chunks)
    // Transferred with the write, they have no length afterwards.
    const { byteLength } = bytes
    this.#refresh()
    writer.write(bytes).catch(() => undefined)
    writer.ready.then(
      () => {
        this.#written += byteLength
        this.#refresh()
        done()
      },
      (error: unknown) => done(systemError('write', writeFailure(error))),
    )
  }

  override _final(done: Done): void {
    if (this.connecting) return void this.once('connect', () => this._final(done))
    if (this.#writer === undefined) return done()
    // As with the system's own sockets it is finished once its end is on the way.
    this.#closing = this.#writer.close().catch(() => undefined)
    nextTick(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.connecting = false
    this.#attempt += 1
    clearTimeout(this.#timer)
    const handle = this.#handle
    if (handle !== undefined) void ignored(this.#let(handle))
    this.#handle = undefined
    this.#gone?.()
    done(error)
    nextTick(() => nextTick(() => this.emit('close', error !== null && error !== undefined)))
  }

  /** Lets the connection go, after what was written before. */
  async #let(handle: TcpSocketResult): Promise<void> {
    const [reader, writer, reset] = [this.#reader, this.#writer, this.#reset]
    const over = this.#ended && this.writableFinished
    if (reset) await handle.resetAndDestroy()
    else if (!over) {
      // A peer that takes nothing does not keep what is given up.
      const late = new Promise<'late'>(resolve => setTimeout(resolve, linger, 'late'))
      const left = await Promise.race([this.#closing ?? writer?.ready.catch(() => undefined), late])
      await (this.#written > 0 && left !== 'late' ? handle.destroySoon() : handle.destroy())
    }
    await reader?.cancel().catch(() => undefined)
  }

  #forget(): void {
    this.#handle = this.#reader = this.#writer = this.#closing = undefined
    this.#ended = this.#reset = this.#reading = this.#wanted = false
    this.#read = this.#written = 0
  }

  /** Ends once everything was written, then destroys. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  /** Closes with a reset (RST) where there is a connection. */
  resetAndDestroy(): this {
    if (this.#handle !== undefined) this.#reset = true
    else if (this.connecting) return this.once('connect', () => this.resetAndDestroy())
    else return this.destroy(nodeError('ERR_SOCKET_CLOSED', 'Socket is closed'))
    return this.destroy()
  }

  override pause(): this {
    this.#wanted = false
    return super.pause()
  }

  /** Emits `timeout` after so many milliseconds of silence; the socket stays as it is. */
  setTimeout(milliseconds: number, listener?: () => void): this {
    if (this.destroyed) return this
    mustBeNumber('msecs', milliseconds, 0)
    if (!Number.isFinite(milliseconds)) throw wrongType('msecs', 'a finite number', milliseconds)
    if (listener !== undefined) mustBeFunction('callback', listener)
    this.timeout = Math.min(milliseconds, timerMost)
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
    if (this.timeout === undefined || this.timeout === 0 || this.destroyed) return
    this.#timer = setTimeout(() => this.emit('timeout'), this.timeout)
  }

  #set(option: TcpSocketOption): this {
    this.#settings = { ...this.#settings, ...option }
    if (this.#handle !== undefined) void ignored(this.#handle.setOption(option))
    return this
  }

  setNoDelay(on = true): this {
    return this.#set({ noDelay: Boolean(on) })
  }

  /** The delay counts in milliseconds. */
  setKeepAlive(on = false, delay = 0): this {
    return this.#set({ keepAlive: Boolean(on), keepAliveInitialDelay: Math.max(0, Math.trunc(delay)) })
  }

  /** A page lives as long as its window: holding it open for a socket has no meaning. */
  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  address(): AddressInfo | Record<string, never> {
    const handle = this.#handle
    return handle === undefined ? {} : { address: handle.localAddress, family: handle.localFamily, port: handle.localPort }
  }

  get pending(): boolean {
    return this.#handle === undefined || this.connecting
  }
  get readyState(): ReadyState {
    if (this.connecting) return 'opening'
    if (this.readable) return this.writable ? 'open' : 'readOnly'
    return this.writable ? 'writeOnly' : 'closed'
  }
  get bufferSize(): number | undefined {
    return this.#handle === undefined ? undefined : this.writableLength
  }
  get bytesRead(): number {
    return this.#read
  }
  get bytesWritten(): number {
    return this.#written + this.writableLength
  }
  get localAddress(): string | undefined {
    return this.#handle?.localAddress
  }
  get localPort(): number | undefined {
    return this.#handle?.localPort
  }
  get localFamily(): 'IPv4' | 'IPv6' | undefined {
    return this.#handle?.localFamily
  }
  get remoteAddress(): string | undefined {
    return this.#handle?.remoteAddress
  }
  get remotePort(): number | undefined {
    return this.#handle?.remotePort
  }
  get remoteFamily(): 'IPv4' | 'IPv6' | undefined {
    return this.#handle?.remoteFamily
  }
}

/** A connection that stands. */
export interface Held {
  readonly handle: TcpSocketResult
  readonly paused: boolean
  /** Called once the socket is destroyed. */
  gone?(): void
}

const ignored = (call: Promise<unknown>): Promise<unknown> => call.catch(() => undefined)

function writeFailure(error: unknown): Error {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? (error as Error) : Object.assign(new Error('the connection is closed'), { code: 'EPIPE' })
}

function writeAfterEnd(this: Socket, _chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
  const done = typeof encoding === 'function' ? encoding : callback
  const error = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' })
  if (typeof done === 'function') nextTick(() => (done as Done)(error))
  this.destroy(error)
  return false
}
