import { isToken } from './http-checks.ts'
import { Framing, type Head } from './http-framing.ts'
import { ParseFailure } from './http-parse-failure.ts'
import { METHODS } from './http-words.ts'

type Place =
  | 'method'
  | 'url'
  | 'protocol'
  | 'version'
  | 'after version'
  | 'status'
  | 'after status'
  | 'reason'
  | 'line lf'
  | 'field'
  | 'before value'
  | 'value'
  | 'value lf'
  | 'after value'
  | 'end lf'

const [tab, lf, cr, space, colon] = [9, 10, 13, 32, 58]
// Of protocols that begin their messages alike.
const otherMethods = 'ANNOUNCE DESCRIBE FLUSH GET_PARAMETER PAUSE PLAY PRI RECORD REDIRECT SET_PARAMETER SETUP TEARDOWN'.split(' ')
const versions = new Set(['0.9', '1.0', '1.1', '2.0'])

/** Reads the lines of heads and of trailers, byte by byte, so that what is wrong is told where it stands. */
export class HeadReader {
  readonly #kind: 'request' | 'response'
  readonly #most: number
  readonly #isLenient: boolean
  #place: Place = 'method'
  #text = ''
  #size = 0
  #method = ''
  #url = ''
  #version = ''
  #status = 0
  #reason = ''
  #field = ''
  #raw: string[] = []
  #framing = new Framing()
  #isHead = true

  constructor(kind: 'request' | 'response', most: number, isLenient: boolean) {
    this.#kind = kind
    this.#most = most
    this.#isLenient = isLenient
    this.begin()
  }

  /** Before a message. */
  begin(): void {
    this.#place = this.#kind === 'request' ? 'method' : 'protocol'
    this.#method = this.#url = this.#version = this.#reason = this.#text = ''
    this.#status = this.#size = 0
    this.#raw = []
    this.#framing = new Framing()
    this.#isHead = true
  }

  /** Before trailers. */
  beginFields(): void {
    this.#place = 'field'
    this.#text = ''
    this.#size = 0
    this.#raw = []
    this.#isHead = false
  }

  takeHead(): Head {
    const [major = 1, minor = 1] = this.#version.split('.').map(Number)
    const line = { major, minor, method: this.#method, url: this.#url, status: this.#status, reason: this.#reason }
    return this.#framing.head(this.#kind, { ...line, raw: this.#raw })
  }

  takeFields(): string[] {
    return this.#raw
  }

  /** Reads a byte; answers whether it was the last. @throws ParseFailure */
  read(byte: number): boolean {
    switch (this.#place) {
      case 'method':
      case 'url':
      case 'protocol':
      case 'version':
      case 'after version':
      case 'status':
      case 'after status':
      case 'reason':
      case 'line lf':
        this.#line(byte)
        return false
      case 'field':
        return this.#name(byte)
      case 'before value':
        if (byte === space || byte === tab) return false
        this.#place = 'value'
        return this.read(byte)
      case 'value':
        if (byte === cr) this.#place = 'value lf'
        else if (byte === lf) {
          if (!this.#isLenient) throw new ParseFailure('HPE_CR_EXPECTED', 'Missing expected CR after header value')
          this.#place = 'after value'
        } else {
          if (!this.#isLenient && ((byte < space && byte !== tab) || byte === 127)) throw wrong('Invalid header value char')
          this.#add(byte)
        }
        return false
      case 'value lf':
        if (byte !== lf) throw new ParseFailure('HPE_LF_EXPECTED', 'Missing expected LF after header value')
        this.#place = 'after value'
        return false
      case 'after value':
        if (byte === space || byte === tab) {
          if (!this.#isLenient) throw wrong('Unexpected whitespace after header value')
          this.#add(byte)
          this.#place = 'value'
          return false
        }
        this.#push()
        this.#place = 'field'
        return this.read(byte)
      default:
        if (byte !== lf && !this.#isLenient) throw new ParseFailure('HPE_STRICT', 'Expected LF after headers')
        return true
    }
  }

  #add(byte: number): void {
    this.#text += String.fromCharCode(byte)
    if (++this.#size >= this.#most) throw new ParseFailure('HPE_HEADER_OVERFLOW', 'Header overflow')
  }

  #take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  #push(): void {
    const text = this.#take().replace(/[ \t]+$/, '')
    if (this.#isHead) this.#framing.take(this.#field, text, this.#kind, this.#isLenient)
    this.#raw.push(this.#field, text)
  }

  #name(byte: number): boolean {
    if (this.#text === '') {
      if (byte === cr) {
        this.#place = 'end lf'
        return false
      }
      if (byte === lf) {
        if (!this.#isLenient) throw wrong('Invalid header field char')
        return true
      }
      if ((byte === space || byte === tab) && this.#isHead && this.#raw.length === 0 && !this.#isLenient) {
        throw new ParseFailure(this.#kind === 'request' ? 'HPE_INVALID_HEADER_TOKEN' : 'HPE_UNEXPECTED_SPACE', 'Unexpected space after start line')
      }
    }
    if (byte === colon && this.#text !== '') {
      this.#field = this.#take()
      this.#place = 'before value'
      return false
    }
    if (!isToken(String.fromCharCode(byte))) throw wrong('Invalid header token')
    this.#add(byte)
    return false
  }

  #line(byte: number): void {
    switch (this.#place) {
      case 'method':
        if (byte === space && METHODS.includes(this.#text)) {
          this.#method = this.#take()
          this.#place = 'url'
          return
        }
        if (byte === space && otherMethods.includes(this.#text)) throw new ParseFailure('HPE_INVALID_CONSTANT', 'Invalid method for HTTP/x.x request')
        this.#text += String.fromCharCode(byte)
        if ([...METHODS, ...otherMethods].some(method => method.startsWith(this.#text))) return
        throw METHODS.includes(this.#text.slice(0, -1))
          ? new ParseFailure('HPE_INVALID_METHOD', 'Expected space after method')
          : new ParseFailure('HPE_INVALID_METHOD', 'Invalid method encountered')
      case 'url': {
        const isFirst = this.#text === ''
        if (byte === space) {
          if (isFirst) return
          this.#url = this.#take()
          this.#place = 'protocol'
          return
        }
        if (byte === cr && !isFirst) {
          // A request of HTTP/0.9 ends here.
          this.#url = this.#take()
          this.#version = '0.9'
          this.#place = 'line lf'
          return
        }
        if (byte < space) throw new ParseFailure('HPE_INVALID_URL', 'Invalid characters in url')
        if (isFirst && this.#method !== 'CONNECT' && !/[/*A-Za-z]/.test(String.fromCharCode(byte))) {
          throw new ParseFailure('HPE_INVALID_URL', 'Unexpected start char in url')
        }
        if (byte > 126) throw new ParseFailure('HPE_INVALID_URL', 'Invalid char in url path')
        this.#add(byte)
        return
      }
      case 'protocol':
        this.#text += String.fromCharCode(byte)
        if (this.#text === 'HTTP/') {
          this.#take()
          this.#place = 'version'
        } else if (!'HTTP/'.startsWith(this.#text)) throw new ParseFailure('HPE_INVALID_CONSTANT', 'Expected HTTP/, RTSP/ or ICE/')
        return
      case 'version':
        this.#text += String.fromCharCode(byte)
        if (!/^\d(\.\d?)?$/.test(this.#text)) throw new ParseFailure('HPE_INVALID_VERSION', 'Invalid major version')
        if (this.#text.length < 3) return
        this.#version = this.#take()
        if (!this.#isLenient && !versions.has(this.#version)) throw new ParseFailure('HPE_INVALID_VERSION', 'Invalid HTTP version')
        this.#place = 'after version'
        return
      case 'after version':
        if (this.#kind === 'request') {
          if (byte === lf && !this.#isLenient) throw new ParseFailure('HPE_INVALID_VERSION', 'Expected CRLF after version')
          return this.#lineEnd(byte, 'HPE_INVALID_VERSION', 'Expected CRLF after version')
        }
        if (byte !== space) throw new ParseFailure('HPE_INVALID_VERSION', 'Expected space after version')
        this.#place = 'status'
        return
      case 'status':
        if (byte < 48 || byte > 57) throw new ParseFailure('HPE_INVALID_STATUS', 'Invalid status code')
        this.#text += String.fromCharCode(byte)
        if (this.#text.length < 3) return
        this.#status = Number(this.#take())
        this.#place = 'after status'
        return
      case 'after status':
        if (byte === space) this.#place = 'reason'
        else this.#lineEnd(byte, 'HPE_INVALID_STATUS', 'Invalid response status')
        return
      case 'reason':
        if (byte !== cr && byte !== lf) return this.#add(byte)
        this.#reason = this.#take()
        return this.#lineEnd(byte, 'HPE_CR_EXPECTED', '')
      default:
        if (byte !== lf && !this.#isLenient) throw new ParseFailure('HPE_STRICT', `Expected LF after CR`)
        this.#place = 'field'
        if (byte !== lf) this.read(byte)
    }
  }

  #lineEnd(byte: number, code: string, reason: string): void {
    if (byte === cr) this.#place = 'line lf'
    else if (byte !== lf) throw new ParseFailure(code, reason)
    else if (!this.#isLenient) throw new ParseFailure('HPE_CR_EXPECTED', 'Missing expected CR after response line')
    else this.#place = 'field'
  }
}

const wrong = (reason: string): ParseFailure => new ParseFailure('HPE_INVALID_HEADER_TOKEN', reason)
