import { finished, Readable } from 'readable-stream'
import { adopting } from './callable.ts'
import { nodeError } from './errors.ts'
import type { Socket } from './socket.ts'
import { nextTick } from './ticks.ts'

/** Headers by lower-case name, joined as Node joins them. */
export type IncomingHeaders = Record<string, string | string[] | undefined> & { readonly 'set-cookie'?: string[] }
/** What a message arrives on; it may be held back for what waits to be written. */
export type IncomingSocket = Socket & { _paused?: boolean }

// Of these the first counts; others are joined by a comma.
const single = new Set(
  'age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after server user-agent'.split(
    ' ',
  ),
)

/** Lets bytes arrive. */
export function readStart(socket: IncomingSocket | null | undefined): void {
  if (socket !== null && socket !== undefined && socket._paused !== true && socket.readable) socket.resume()
}
/** Holds further bytes back. */
export function readStop(socket: IncomingSocket | null | undefined): void {
  socket?.pause()
}

/** A message that arrives: a request at a server, a response at a client. */
export class IncomingMessage extends adopting(Readable) {
  socket: IncomingSocket
  client: IncomingSocket
  httpVersionMajor: number | null = null
  httpVersionMinor: number | null = null
  httpVersion: string | null = null
  /** Whether all of it has arrived. */
  complete = false
  rawHeaders: string[] = []
  rawTrailers: string[] = []
  /** Whether headers that are said twice are joined where Node would keep the first. */
  joinDuplicateHeaders: boolean | undefined = false
  aborted = false
  upgrade: boolean | null = null
  url = ''
  method: string | null = null
  statusCode: number | null = null
  statusMessage: string | null = null
  _consuming = false
  _dumped = false
  #headers: IncomingHeaders | undefined
  #headersDistinct: Record<string, string[]> | undefined
  #trailers: IncomingHeaders | undefined
  #trailersDistinct: Record<string, string[]> | undefined

  constructor(socket?: IncomingSocket) {
    super(socket === undefined || socket === null ? undefined : { highWaterMark: socket.readableHighWaterMark })
    // Nothing is read ahead before somebody wants the body.
    Object.assign((this as unknown as { _readableState: object })._readableState, { readingMore: true })
    this.socket = this.client = socket as IncomingSocket
  }

  get connection(): IncomingSocket {
    return this.socket
  }
  set connection(socket: IncomingSocket) {
    this.socket = socket
  }
  get headers(): IncomingHeaders {
    return (this.#headers ??= this.#joined(this.rawHeaders))
  }
  set headers(headers: IncomingHeaders) {
    this.#headers = headers
  }
  get headersDistinct(): Record<string, string[]> {
    return (this.#headersDistinct ??= this.#distinct(this.rawHeaders))
  }
  set headersDistinct(headers: Record<string, string[]>) {
    this.#headersDistinct = headers
  }
  get trailers(): IncomingHeaders {
    return (this.#trailers ??= this.#joined(this.rawTrailers))
  }
  set trailers(trailers: IncomingHeaders) {
    this.#trailers = trailers
  }
  get trailersDistinct(): Record<string, string[]> {
    return (this.#trailersDistinct ??= this.#distinct(this.rawTrailers))
  }
  set trailersDistinct(trailers: Record<string, string[]>) {
    this.#trailersDistinct = trailers
  }

  #joined(raw: readonly string[]): IncomingHeaders {
    const headers: IncomingHeaders = {}
    for (let at = 0; at + 1 < raw.length; at += 2) this._addHeaderLine(raw[at] ?? '', raw[at + 1] ?? '', headers)
    return headers
  }
  #distinct(raw: readonly string[]): Record<string, string[]> {
    const found = Object.create(null) as Record<string, string[]>
    for (let at = 0; at + 1 < raw.length; at += 2) this._addHeaderLineDistinct(raw[at] ?? '', raw[at + 1] ?? '', found)
    return found
  }

  /** Takes names and values in turn: the headers, or once it is complete the trailers. */
  _addHeaderLines(raw: string[] | null | undefined): void {
    if (raw === null || raw === undefined || raw.length === 0) return
    if (this.complete) {
      this.rawTrailers = raw
      this.#trailers = this.#trailersDistinct = undefined
    } else {
      this.rawHeaders = raw
      this.#headers = this.#headersDistinct = undefined
    }
  }

  /** Adds one header to others as Node joins them. */
  _addHeaderLine(field: string, text: string, into: IncomingHeaders): void {
    const headers = into as Record<string, string | string[]>
    const name = field.toLowerCase()
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined
    if (name === 'set-cookie') headers[name] = [...(Array.isArray(before) ? before : []), text]
    else if (before === undefined) headers[name] = text
    else if (!single.has(name) || this.joinDuplicateHeaders === true) headers[name] = `${String(before)}${name === 'cookie' ? '; ' : ', '}${text}`
  }

  _addHeaderLineDistinct(field: string, text: string, into: Record<string, string[]>): void {
    ;(into[field.toLowerCase()] ??= []).push(text)
  }

  override _read(): void {
    if (!this._consuming) {
      Object.assign((this as unknown as { _readableState: object })._readableState, { readingMore: false })
      this._consuming = true
    }
    // Those who make one themselves may give it no socket.
    if (this.socket?.readable) readStart(this.socket)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.readableEnded || !this.complete) {
      this.aborted = true
      this.emit('aborted')
    }
    // An error is told to those who listen; a message that nobody listens to breaks nobody.
    const over = (why: Error | null | undefined): void => done(this.listenerCount('error') === 0 ? null : why)
    const { socket } = this
    if (socket === undefined || socket === null || socket.destroyed || !this.aborted) return nextTick(over, error)
    socket.destroy(error ?? undefined)
    const stop = finished(socket as never, (why?: NodeJS.ErrnoException | null) => {
      stop()
      nextTick(over, why?.code === 'ERR_STREAM_PREMATURE_CLOSE' ? error : (why ?? error))
    })
  }

  /** Reads the rest for nobody. */
  _dump(): void {
    if (this._dumped) return
    this._dumped = true
    // What is still held would come to those who listen.
    this.removeAllListeners('data')
    this.resume()
  }
  _dumpAndCloseReadable(): void {
    this._dumped = true
    Object.assign((this as unknown as { _readableState: object })._readableState, {
      ended: true,
      endEmitted: true,
      destroyed: true,
      closed: true,
      closeEmitted: true,
    })
  }

  setTimeout(milliseconds: number, listener?: () => void): this {
    if (listener !== undefined) this.on('timeout', listener)
    this.socket.setTimeout(milliseconds)
    return this
  }
}

/** What ends those whose connection is gone. */
export const connectionReset = (message: string): Error => nodeError('ECONNRESET', message)
