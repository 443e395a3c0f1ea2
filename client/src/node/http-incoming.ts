import { Readable } from 'readable-stream'
import type { Head } from './http-parser.ts'
import type { Socket } from './socket.ts'
import { Buffer } from 'buffer'

/** Headers by lower-case name, joined as Node joins them. */
export type IncomingHeaders = Record<string, string | string[] | undefined> & { readonly 'set-cookie'?: string[] }

const single = new Set(
  'age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after server user-agent'.split(
    ' ',
  ),
)

/** Joins raw pairs into headers by name. */
export function headersOf(raw: readonly string[]): IncomingHeaders {
  const headers: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase()
    const text = raw[at + 1] ?? ''
    const before = headers[name]
    if (name === 'set-cookie') headers[name] = [...(Array.isArray(before) ? before : []), text]
    else if (before === undefined) headers[name] = text
    else if (!single.has(name)) headers[name] = `${String(before)}${name === 'cookie' ? '; ' : ', '}${text}`
  }
  return headers
}

/** The texts of each header by name, none joined. */
function distinctOf(raw: readonly string[]): Record<string, string[]> {
  const found = Object.create(null) as Record<string, string[]>
  for (let at = 0; at < raw.length; at += 2) (found[(raw[at] ?? '').toLowerCase()] ??= []).push(raw[at + 1] ?? '')
  return found
}

/** A message that arrives: a request at a server, a response at a client. */
export class IncomingMessage extends Readable {
  readonly socket: Socket
  readonly httpVersion: string
  readonly httpVersionMajor = 1
  readonly httpVersionMinor: number
  readonly rawHeaders: string[]
  readonly headers: IncomingHeaders
  rawTrailers: string[] = []
  trailers: IncomingHeaders = {}
  method: string | undefined
  url: string
  statusCode: number | undefined
  statusMessage: string | undefined
  /** Whether all of it has arrived. */
  complete = false
  aborted = false

  constructor(socket: Socket, head: Head) {
    super({ highWaterMark: 65_536 })
    this.socket = socket
    this.httpVersion = head.version
    this.httpVersionMinor = head.version === '1.1' ? 1 : 0
    this.rawHeaders = head.raw
    this.headers = headersOf(head.raw)
    this.url = head.url
    if (head.method === '') {
      this.statusCode = head.status
      this.statusMessage = head.reason
    } else this.method = head.method
  }

  get connection(): Socket {
    return this.socket
  }
  get headersDistinct(): Record<string, string[]> {
    return distinctOf(this.rawHeaders)
  }
  get trailersDistinct(): Record<string, string[]> {
    return distinctOf(this.rawTrailers)
  }

  override _read(): void {
    if (!this.socket.destroyed) this.socket.resume()
  }

  /** Takes bytes of the body; the socket waits while nobody reads. */
  receive(bytes: Uint8Array): void {
    if (!this.destroyed && !this.push(Buffer.from(bytes))) this.socket.pause()
  }

  /** The whole of it has arrived. */
  finish(trailers: string[]): void {
    this.complete = true
    this.rawTrailers = trailers
    this.trailers = headersOf(trailers)
    if (!this.destroyed) this.push(null)
  }

  /** The connection is lost before its end. */
  cut(): void {
    if (this.complete || this.destroyed) return
    this.aborted = true
    this.emit('aborted')
    this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.complete && !this.socket.destroyed) this.socket.destroy()
    // A message that nobody listens to breaks nobody.
    done(this.listenerCount('error') > 0 ? error : null)
  }

  setTimeout(milliseconds: number, listener?: () => void): this {
    this.socket.setTimeout(milliseconds, listener)
    return this
  }
}
