import type { IncomingMessage } from './http-incoming.ts'
import { OutgoingMessage, type HeaderValue, type OutgoingHeaders } from './http-outgoing.ts'
import { STATUS_CODES } from './http-words.ts'
import { nodeError } from './errors.ts'

/** The answer of a server to one request. */
export class ServerResponse extends OutgoingMessage {
  readonly req: IncomingMessage
  statusCode = 200
  statusMessage: string | undefined
  override sendDate = true

  constructor(request: IncomingMessage) {
    super()
    this.req = request
    const { headers, httpVersion } = request
    const connection = headers.connection ?? ''
    this.shouldKeepAlive = httpVersion === '1.1' ? !/close/i.test(String(connection)) : /keep-alive/i.test(String(connection))
  }

  protected override line(): string {
    return `HTTP/1.1 ${this.statusCode} ${this.statusMessage ?? STATUS_CODES[this.statusCode] ?? 'unknown'}`
  }

  protected override complete(isWhole: boolean): void {
    this.statusMessage ??= STATUS_CODES[this.statusCode] ?? 'unknown'
    const { statusCode: status } = this
    if (status < 200 || status === 204 || status === 304) {
      this.bodiless = true
      this.removeHeader('transfer-encoding')
    }
    if (this.req.httpVersion === '1.0' && !isWhole && !this.hasHeader('content-length')) this.shouldKeepAlive = false
    else this.frame(isWhole, false)
    if (this.req.method === 'HEAD') this.bodiless = true
    if (this.sendDate && !this.hasHeader('date')) this.setHeader('Date', new Date().toUTCString())
    if (!this.hasHeader('connection')) this.setHeader('Connection', this.shouldKeepAlive ? 'keep-alive' : 'close')
    else if (/close/i.test(String(this.getHeader('connection')))) this.shouldKeepAlive = false
  }

  writeHead(
    status: number,
    ...of: [headers?: OutgoingHeaders | readonly HeaderValue[]] | [reason: string, headers?: OutgoingHeaders | readonly HeaderValue[]]
  ): this {
    if (this.headersSent) throw nodeError('ERR_HTTP_HEADERS_SENT', 'Cannot write headers after they are sent to the client')
    if (!Number.isInteger(status) || status < 100 || status > 999)
      throw nodeError('ERR_HTTP_INVALID_STATUS_CODE', `Invalid status code: ${String(status)}`, RangeError)
    const [first, second] = of
    const headers = typeof first === 'string' ? second : first
    if (typeof first === 'string') {
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(first)) throw nodeError('ERR_INVALID_CHAR', 'Invalid character in statusMessage', TypeError)
      this.statusMessage = first
    }
    this.statusCode = status
    if (Array.isArray(headers)) for (let at = 0; at + 1 < headers.length; at += 2) this.setHeader(String(headers[at]), headers[at + 1] as HeaderValue)
    else for (const [name, value] of Object.entries((headers ?? {}) as OutgoingHeaders)) if (value !== undefined) this.setHeader(name, value)
    return this
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.writableFinished) this.socket?.destroy()
    done(error)
  }

  writeContinue(done?: () => void): void {
    this.socket?.write('HTTP/1.1 100 Continue\r\n\r\n', done)
  }
  writeProcessing(done?: () => void): void {
    this.socket?.write('HTTP/1.1 102 Processing\r\n\r\n', done)
  }
}
