import type { EventEmitter } from 'events'
import { Stream } from 'readable-stream'
import { adopting } from './callable.ts'
import { mustBeString, nodeError, wrongType } from './errors.ts'
import { hasInvalidChar, headersSent, invalidChar, validateHeaderName, validateHeaderValue } from './http-checks.ts'
import type { HeadState } from './http-head.ts'

/** A header's value as it is set. */
export type HeaderValue = string | number | readonly string[]
/** Headers by name. */
export type OutgoingHeaders = Record<string, HeaderValue | undefined>
/** Headers as `writeHead` takes them: by name, names and values in turn, or in pairs. */
export type HeadersGiven = OutgoingHeaders | readonly HeaderValue[] | readonly (readonly [string, HeaderValue])[]
const LegacyStream = adopting(Stream as unknown as new () => EventEmitter)

/** The headers and trailers of a message that is sent, and what they decide about it. */
export class MessageFields extends LegacyStream {
  chunkedEncoding = false
  shouldKeepAlive = true
  maxRequestsOnConnectionReached = false
  useChunkedEncodingByDefault = true
  sendDate = false
  _last = false
  _defaultKeepAlive = true
  _removedConnection = false
  _removedContLen = false
  _removedTE = false
  _contentLength: number | null = null
  _hasBody = true
  _trailer = ''
  _header: string | null = null
  _keepAliveTimeout = 0
  _maxRequestsPerSocket: number | null | undefined
  /** The headers of which each is sent in one line, whatever the number of its values. */
  _uniqueHeaders: ReadonlySet<string> | null = null
  /** What was set, by lower-case name. */
  _fields: Map<string, [name: string, value: HeaderValue]> | null = null

  get headersSent(): boolean {
    return this._header !== null && this._header !== ''
  }
  /** Adds a header to the head. */
  protected _field(state: HeadState, name: string, value: HeaderValue, isChecked: boolean): void {
    if (isChecked) validateHeaderName(name)
    if (Array.isArray(value)) {
      const lower = name.toLowerCase()
      if ((value.length < 2 || lower !== 'cookie') && this._uniqueHeaders?.has(lower) !== true) {
        for (const one of value as string[]) this.#line(state, name, one, isChecked)
        return
      }
      return this.#line(state, name, (value as string[]).join('; '), isChecked)
    }
    this.#line(state, name, value, isChecked)
  }

  #line(state: HeadState, name: string, value: HeaderValue, isChecked: boolean): void {
    if (isChecked) validateHeaderValue(name, value, this._isLenientHeaderValidation())
    const text = String(value)
    state.text += `${name}: ${text}\r\n`
    switch (name.toLowerCase()) {
      case 'connection':
        state.connection = true
        this._removedConnection = false
        if (/(?:^|\W)close(?:$|\W)/i.test(text)) this._last = true
        else this.shouldKeepAlive = true
        break
      case 'transfer-encoding':
        state.coding = true
        this._removedTE = false
        if (/(?:^|\W)chunked(?:$|\W)/i.test(text)) this.chunkedEncoding = true
        break
      case 'content-length':
        state.length = true
        this._contentLength = Number(text)
        this._removedContLen = false
        break
      case 'keep-alive':
        this._defaultKeepAlive = false
        break
      case 'date':
      case 'expect':
      case 'trailer':
        state[name.toLowerCase() as 'date' | 'expect' | 'trailer'] = true
        break
      default:
    }
  }

  /** Whether header values may hold what the parser would take leniently. */
  _isLenientHeaderValidation(): boolean {
    return false
  }

  setHeader(name: string, value: HeaderValue): this {
    if (this._header) throw headersSent('set')
    validateHeaderName(name)
    validateHeaderValue(name, value, this._isLenientHeaderValidation())
    ;(this._fields ??= new Map()).set(name.toLowerCase(), [name, value])
    return this
  }

  setHeaders(headers: Headers | ReadonlyMap<string, HeaderValue>): this {
    if (this._header) throw headersSent('set')
    const { keys, get } = (headers ?? {}) as { keys?: unknown; get?: unknown }
    if (Array.isArray(headers) || typeof keys !== 'function' || typeof get !== 'function') throw wrongType('headers', 'an instance of Headers or Map', headers)
    const cookies: string[] = []
    for (const [name, value] of headers) {
      if (name === 'set-cookie') cookies.push(...(Array.isArray(value) ? (value as string[]) : [String(value)]))
      else this.setHeader(name, value)
    }
    if (cookies.length > 0) this.setHeader('set-cookie', cookies)
    return this
  }

  appendHeader(name: string, value: HeaderValue): this {
    if (this._header) throw headersSent('append')
    validateHeaderName(name)
    validateHeaderValue(name, value, this._isLenientHeaderValidation())
    const fields = (this._fields ??= new Map<string, [name: string, value: HeaderValue]>())
    const before = fields.get(name.toLowerCase())
    if (before === undefined) fields.set(name.toLowerCase(), [name, value])
    else before[1] = [before[1], value].flat() as string[]
    return this
  }

  getHeader(name: string): HeaderValue | undefined {
    mustBeString('name', name)
    return this._fields?.get(name.toLowerCase())?.[1]
  }
  hasHeader(name: string): boolean {
    mustBeString('name', name)
    return this._fields?.has(name.toLowerCase()) ?? false
  }
  getHeaderNames(): string[] {
    return [...(this._fields?.keys() ?? [])]
  }
  getRawHeaderNames(): string[] {
    return [...(this._fields?.values() ?? [])].map(([name]) => name)
  }
  getHeaders(): OutgoingHeaders {
    const all = Object.create(null) as OutgoingHeaders
    for (const [name, [, value]] of this._fields ?? []) all[name] = value
    return all
  }

  removeHeader(name: string): void {
    mustBeString('name', name)
    if (this._header) throw headersSent('remove')
    const lower = name.toLowerCase()
    if (lower === 'connection') this._removedConnection = true
    else if (lower === 'content-length') this._removedContLen = true
    else if (lower === 'transfer-encoding') this._removedTE = true
    else if (lower === 'date') this.sendDate = false
    this._fields?.delete(lower)
  }

  _renderHeaders(): OutgoingHeaders {
    if (this._header) throw headersSent('render')
    return Object.fromEntries(this._fields?.values() ?? [])
  }

  /** Fixes the head as it follows from what was set. */
  _implicitHeader(): void {
    throw nodeError('ERR_METHOD_NOT_IMPLEMENTED', 'The _implicitHeader() method is not implemented')
  }

  addTrailers(headers: Readonly<Record<string, HeaderValue>> | readonly (readonly [string, HeaderValue])[]): void {
    this._trailer = ''
    const pairs = Array.isArray(headers) ? (headers as readonly (readonly [string, HeaderValue])[]) : Object.entries(headers)
    for (const [name, value] of pairs) {
      validateHeaderName(name, 'Trailer name')
      const isOne = !Array.isArray(value) || value.length < 2
      const texts = isOne ? [String(value)] : this._uniqueHeaders?.has(name.toLowerCase()) === true ? [(value as string[]).join('; ')] : (value as string[])
      for (const text of texts) {
        if (hasInvalidChar(text, this._isLenientHeaderValidation())) throw invalidChar('trailer content', name)
        this._trailer += `${name}: ${text}\r\n`
      }
    }
  }
}
