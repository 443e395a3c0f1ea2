import { nodeError, wrongValue } from './errors.ts'
import { hasInvalidChar, headersSent, invalidChar, linksOf, mustBeInteger, mustBeObject, validateHeaderName, validateHeaderValue } from './http-checks.ts'
import type { HeadersGiven, HeaderValue, OutgoingHeaders } from './http-fields.ts'
import { isBodiless } from './http-framing.ts'
import type { IncomingMessage } from './http-incoming.ts'
import { OutgoingMessage, type MessageSocket, type OutgoingOptions, type Written } from './http-outgoing.ts'
import { nextTick } from './ticks.ts'
import { STATUS_CODES } from './http-words.ts'

/** What a response must know of its request. */
export type Answered = Pick<IncomingMessage, 'method' | 'httpVersionMajor' | 'httpVersionMinor'> & Partial<IncomingMessage>

/** Tells that a response is over, once. */
export function tellClose(response: ServerResponse): void {
  if (response._closed) return
  response.destroyed = true
  response._closed = true
  response.emit('close')
}

function closed(this: MessageSocket): void {
  if (this._httpMessage instanceof ServerResponse) tellClose(this._httpMessage)
}

/** The answer of a server to one request. */
export class ServerResponse extends OutgoingMessage {
  readonly req: Answered
  statusCode = 200
  statusMessage: string | undefined
  override sendDate = true
  _sent100 = false
  _expect_continue = false

  constructor(request: Answered, options?: OutgoingOptions) {
    super(options)
    if (request.method === 'HEAD') this._hasBody = false
    this.req = request
    if ((request.httpVersionMajor ?? 0) < 1 || (request.httpVersionMinor ?? 0) < 1) {
      this.useChunkedEncodingByDefault = /(?:^|\W)chunked(?:$|\W)/i.test(String(request.headers?.['te'] ?? ''))
      this.shouldKeepAlive = false
    }
  }

  override _isLenientHeaderValidation(): boolean {
    const server = (this.req.socket as { server?: { httpValidation?: string; insecureHTTPParser?: boolean } } | undefined)?.server
    return server?.httpValidation === undefined ? (server?.insecureHTTPParser ?? false) : server.httpValidation !== 'strict'
  }

  /** Gives the response the connection it is sent on. */
  assignSocket(socket: MessageSocket): void {
    if (socket._httpMessage) throw nodeError('ERR_HTTP_SOCKET_ASSIGNED', 'ServerResponse has an already assigned socket')
    socket._httpMessage = this
    socket.on('close', closed)
    this.socket = socket
    this.emit('socket', socket)
    this._flush()
  }

  detachSocket(socket: MessageSocket): void {
    socket.removeListener('close', closed)
    socket._httpMessage = null
    this.socket = null
  }

  writeContinue(done?: Written): void {
    this._writeRaw('HTTP/1.1 100 Continue\r\n\r\n', 'latin1', done)
    this._sent100 = true
  }
  writeProcessing(done?: Written): void {
    this._writeRaw('HTTP/1.1 102 Processing\r\n\r\n', 'latin1', done)
  }

  /** Tells of links before the answer. */
  writeEarlyHints(hints: Readonly<Record<string, string | string[]>>, done?: Written): void {
    mustBeObject('hints', hints)
    const { link, ...others } = hints
    if (link === undefined || link === null) return
    const links = linksOf(link)
    if (links.length === 0) return
    if (hasInvalidChar(links)) throw invalidChar('header content', 'Link')
    this.writeInformation(103, { Link: links, ...others }, done)
  }

  /** Sends a status of the hundreds, which the answer follows. */
  writeInformation(status: number, headers?: HeadersGiven | null, done?: Written): boolean {
    if (this.headersSent) throw headersSent('write')
    mustBeInteger('statusCode', status, 100, 199)
    if (status === 101) throw wrongStatus(status)
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
    for (const [name, value] of pairsOf(headers)) {
      validateHeaderName(name)
      for (const one of Array.isArray(value) ? (value as string[]) : [value]) {
        validateHeaderValue(name, one, this._isLenientHeaderValidation())
        head += `${name}: ${String(one)}\r\n`
      }
    }
    return this._writeRaw(`${head}\r\n`, 'latin1', done)
  }

  override _implicitHeader(): void {
    this.writeHead(this.statusCode)
  }

  writeHead(code: number | string, ...of: [headers?: HeadersGiven | null] | [reason?: string, headers?: HeadersGiven | null]): this {
    if (this.headersSent) throw headersSent('write')
    const status = Number(code) | 0
    if (status < 100 || status > 999) throw wrongStatus(code)
    const [reason, second] = of
    if (typeof reason === 'string') this.statusMessage = reason
    else this.statusMessage ||= STATUS_CODES[status] ?? 'unknown'
    this.statusCode = status
    const given = second ?? (typeof reason === 'string' ? undefined : reason)
    if (this._fields !== null) this.#override(given)
    if (hasInvalidChar(this.statusMessage)) throw invalidChar('statusMessage')
    if (isBodiless(status)) this._hasBody = false
    // Who asked for leave to go on may send a body that nobody expects any more.
    if (this._expect_continue && !this._sent100) this.shouldKeepAlive = false
    this._storeHeader(`HTTP/1.1 ${status} ${this.statusMessage}\r\n`, this._fields ?? given)
    return this
  }

  writeHeader(code: number | string, ...of: [headers?: HeadersGiven | null] | [reason?: string, headers?: HeadersGiven | null]): this {
    return this.writeHead(code, ...(of as [HeadersGiven]))
  }

  #override(given: HeadersGiven | null | undefined): void {
    if (!Array.isArray(given)) {
      for (const [name, value] of Object.entries((given ?? {}) as OutgoingHeaders)) if (name !== '') this.setHeader(name, value as HeaderValue)
      return
    }
    const pairs = pairsOf(given)
    // They take the place of what was set, but may say a header twice.
    for (const [name] of pairs) this.removeHeader(name)
    for (const [name, value] of pairs) if (name !== '') this.appendHeader(name, value)
  }

  /** Tells that it is over, after the present turn. */
  _closeSoon(): void {
    nextTick(tellClose, this)
  }
}

const wrongStatus = (status: unknown): Error => {
  const said = typeof status === 'object' && status !== null ? JSON.stringify(status) : String(status)
  return nodeError('ERR_HTTP_INVALID_STATUS_CODE', `Invalid status code: ${said}`, RangeError)
}

function pairsOf(headers: HeadersGiven | null | undefined): (readonly [string, HeaderValue])[] {
  if (headers === undefined || headers === null) return []
  if (!Array.isArray(headers)) {
    mustBeObject('headers', headers)
    return Object.entries(headers) as [string, HeaderValue][]
  }
  const list = headers as readonly unknown[]
  if (Array.isArray(list[0])) return list as (readonly [string, HeaderValue])[]
  if (list.length % 2 !== 0) throw wrongValue('headers', headers)
  return list.flatMap((name, at) => (at % 2 === 0 ? [[name as string, list[at + 1] as HeaderValue] as const] : []))
}
