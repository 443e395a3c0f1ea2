import { Buffer } from 'buffer'
import { Writable } from 'readable-stream'
import { mustBeString, nodeError, wrongType } from './errors.ts'
import type { Socket } from './socket.ts'

/** A header's value as it is set. */
export type HeaderValue = string | number | readonly string[]
/** Headers by name. */
export type OutgoingHeaders = Record<string, HeaderValue | undefined>
type Done = (error?: Error | null) => void

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const text = /^[\t\x20-\x7e\x80-\xff]*$/

/** @throws ERR_INVALID_HTTP_TOKEN */
export function validateHeaderName(name: unknown, label = 'Header name'): asserts name is string {
  if (typeof name !== 'string' || !token.test(name))
    throw nodeError('ERR_INVALID_HTTP_TOKEN', `${label} must be a valid HTTP token ["${String(name)}"]`, TypeError)
}

/** @throws ERR_HTTP_INVALID_HEADER_VALUE, ERR_INVALID_CHAR */
export function validateHeaderValue(name: string, value: unknown): void {
  if (value === undefined) throw nodeError('ERR_HTTP_INVALID_HEADER_VALUE', `Invalid value "undefined" for header "${name}"`, TypeError)
  for (const one of Array.isArray(value) ? value : [value]) {
    if (!text.test(String(one))) throw nodeError('ERR_INVALID_CHAR', `Invalid character in header content ["${name}"]`, TypeError)
  }
}

/** A message that is sent: what a request at a client and a response at a server have in common. */
export abstract class OutgoingMessage extends Writable {
  socket: Socket | null = null
  headersSent = false
  sendDate = false
  shouldKeepAlive = true
  protected chunked = false
  protected bodiless = false
  readonly #fields = new Map<string, { readonly name: string; readonly value: HeaderValue }>()
  #trailers: string[] = []
  #ready: (() => void)[] = []

  constructor() {
    super({ highWaterMark: 65_536, autoDestroy: false } as { highWaterMark: number })
  }

  /** The first line of the head. */
  protected abstract line(): string
  /** Completes the fields: how long the body is, and whether the connection stays. */
  protected abstract complete(isWhole: boolean): void

  setHeader(name: string, value: HeaderValue): this {
    if (this.headersSent) throw nodeError('ERR_HTTP_HEADERS_SENT', 'Cannot set headers after they are sent to the client')
    validateHeaderName(name)
    validateHeaderValue(name, value)
    this.#fields.set(name.toLowerCase(), { name, value })
    return this
  }
  appendHeader(name: string, value: string | readonly string[]): this {
    const before = this.getHeader(name)
    const all = [
      ...(before === undefined ? [] : Array.isArray(before) ? (before as string[]) : [String(before)]),
      ...(typeof value === 'string' ? [value] : value),
    ]
    return this.setHeader(name, all.length === 1 ? (all[0] ?? '') : all)
  }
  setHeaders(headers: Headers | ReadonlyMap<string, HeaderValue>): this {
    for (const [name, value] of headers) this.setHeader(name, value)
    return this
  }
  getHeader(name: string): HeaderValue | undefined {
    mustBeString('name', name)
    return this.#fields.get(name.toLowerCase())?.value
  }
  hasHeader(name: string): boolean {
    mustBeString('name', name)
    return this.#fields.has(name.toLowerCase())
  }
  removeHeader(name: string): void {
    if (this.headersSent) throw nodeError('ERR_HTTP_HEADERS_SENT', 'Cannot remove headers after they are sent to the client')
    this.#fields.delete(name.toLowerCase())
  }
  getHeaderNames(): string[] {
    return [...this.#fields.keys()]
  }
  getRawHeaderNames(): string[] {
    return [...this.#fields.values()].map(({ name }) => name)
  }
  getHeaders(): OutgoingHeaders {
    return Object.assign(Object.create(null) as OutgoingHeaders, Object.fromEntries([...this.#fields].map(([name, { value }]) => [name, value])))
  }
  addTrailers(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
      this.#trailers.push(`${name}: ${value}\r\n`)
    }
  }

  /** Sends the head before there is a body. */
  flushHeaders(): void {
    this.whenAssigned(() => this.sendHead(false))
  }

  /** Runs once there is a connection. */
  protected whenAssigned(run: () => void): void {
    if (this.socket !== null) run()
    else this.#ready.push(run)
  }

  /** Gives the message its connection. */
  assign(socket: Socket): void {
    this.socket = socket
    const ready = this.#ready
    this.#ready = []
    for (const run of ready) run()
  }

  protected sendHead(isWhole: boolean): void {
    if (this.headersSent || this.socket === null) return
    this.complete(isWhole)
    const fields = [...this.#fields.values()].flatMap(({ name, value }) =>
      (Array.isArray(value) ? (value as string[]) : [value]).map(one => `${name}: ${String(one)}\r\n`),
    )
    this.headersSent = true
    this.socket.write(Buffer.from(`${this.line()}\r\n${fields.join('')}\r\n`, 'latin1'))
  }

  /** Decides between a length and chunks, for a body that has no length said. */
  protected frame(isWhole: boolean, none: boolean): void {
    if (this.bodiless) return
    const coding = this.getHeader('transfer-encoding')
    if (coding !== undefined) this.chunked = /chunked\s*$/i.test(String(coding))
    else if (!this.hasHeader('content-length')) {
      if (isWhole) {
        if (!none) this.setHeader('Content-Length', 0)
      } else {
        this.chunked = true
        this.setHeader('Transfer-Encoding', 'chunked')
      }
    }
  }

  override _write(chunk: Uint8Array, _encoding: string, done: Done): void {
    this.whenAssigned(() => {
      this.sendHead(false)
      if (this.bodiless || chunk.byteLength === 0) return done()
      const bytes = this.chunked ? Buffer.concat([Buffer.from(`${chunk.byteLength.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]) : chunk
      this.socket?.write(bytes, done)
    })
  }

  override _final(done: Done): void {
    this.whenAssigned(() => {
      this.sendHead(true)
      if (this.chunked && !this.bodiless) this.socket?.write(`0\r\n${this.#trailers.join('')}\r\n`, done)
      else done()
    })
  }

  override end(...of: unknown[]): this {
    const [chunk, encoding] = of
    const isBytes = typeof chunk === 'string' || ArrayBuffer.isView(chunk)
    if (chunk !== undefined && chunk !== null && typeof chunk !== 'function' && !isBytes)
      throw wrongType('chunk', 'of type string or an instance of Buffer or Uint8Array', chunk)
    const isFirst = !this.headersSent && this.writableLength === 0 && !this.writableEnded
    if (isBytes && isFirst && !this.hasHeader('content-length') && !this.hasHeader('transfer-encoding') && this.#trailers.length === 0) {
      this.setHeader(
        'Content-Length',
        typeof chunk === 'string' ? Buffer.byteLength(chunk, typeof encoding === 'string' ? (encoding as 'utf8') : 'utf8') : chunk.byteLength,
      )
    }
    return super.end(...(of as [never]))
  }

  setTimeout(milliseconds: number, listener?: () => void): this {
    if (listener !== undefined) this.once('timeout', listener)
    this.whenAssigned(() => this.socket?.setTimeout(milliseconds))
    return this
  }
  get connection(): Socket | null {
    return this.socket
  }
  get finished(): boolean {
    return this.writableEnded
  }
}
