import { nodeError, type NodeError } from './errors.ts'

/** The head of a message, its headers as they came. */
export interface Head {
  readonly version: '1.0' | '1.1'
  readonly method: string
  readonly url: string
  readonly status: number
  readonly reason: string
  readonly raw: string[]
}
/** Told of a message as it is read. */
export interface MessageEars {
  /** Answers how the body goes on: `none` whatever the headers say, or `upgrade` when what follows is no longer HTTP. */
  head(head: Head): 'none' | 'upgrade' | undefined
  body(bytes: Uint8Array): void
  end(trailers: string[]): void
}

type State = 'head' | 'length' | 'size' | 'chunk' | 'chunk end' | 'trailers' | 'rest' | 'over'

/** Bytes of a head at most. */
export const maxHeaderSize = 16_384
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
// eslint-disable-next-line no-control-regex
const value = /^[\t\x20-\x7e\x80-\xff]*$/
const latin = new TextDecoder('latin1')

const wrong = (code: string, why: string): NodeError => Object.assign(nodeError(code, `Parse Error: ${why}`), { reason: why })

/**
 * A strict reader of HTTP/1.1: lines end in CRLF, lengths are digits, and a message whose length could be read in two ways is refused,
 * since the next reader might read it in the other.
 */
export class HttpParser {
  readonly #kind: 'request' | 'response'
  readonly #ears: MessageEars
  #state: State = 'head'
  #held: Uint8Array = new Uint8Array()
  #left = 0
  #paused = false

  constructor(kind: 'request' | 'response', ears: MessageEars) {
    this.#kind = kind
    this.#ears = ears
  }

  /** Whether a message was begun and not ended. */
  get isWithin(): boolean {
    return this.#state !== 'head' || this.#held.byteLength > 0
  }

  /** Holds further messages back, after the present one. */
  pause(): void {
    this.#paused = true
  }

  /** Goes on. @throws {NodeError} HPE_… */
  resume(): void {
    this.#paused = false
    this.read(new Uint8Array())
  }

  /** What was not read. */
  rest(): Uint8Array {
    const held = this.#held
    this.#held = new Uint8Array()
    return held
  }

  /** Reads on. @throws {NodeError} HPE_… for what is no HTTP/1.1 */
  read(bytes: Uint8Array): void {
    this.#held = this.#held.byteLength === 0 ? bytes : joined(this.#held, bytes)
    while (this.#step());
  }

  /** The connection has ended. @throws {NodeError} when the message had not */
  finish(): void {
    if (this.#state === 'rest') {
      this.#state = 'over'
      return this.#ears.end([])
    }
    if (this.#state !== 'over' && this.isWithin) throw wrong('HPE_INVALID_EOF_STATE', 'Invalid EOF state')
  }

  #step(): boolean {
    const held = this.#held
    switch (this.#state) {
      case 'over':
        return false
      case 'head': {
        if (this.#paused || held.byteLength === 0) return false
        const lines = this.#lines('\r\n\r\n')
        if (lines === undefined) return false
        this.#head(lines)
        return true
      }
      case 'rest':
        if (held.byteLength === 0) return false
        this.#ears.body(this.rest())
        return true
      case 'length':
      case 'chunk': {
        const part = held.subarray(0, this.#left)
        if (part.byteLength > 0) {
          this.#held = held.subarray(part.byteLength)
          this.#left -= part.byteLength
          this.#ears.body(part)
        }
        if (this.#left > 0) return false
        if (this.#state === 'length') this.#end([])
        else this.#state = 'chunk end'
        return true
      }
      case 'chunk end':
        if (held.byteLength < 2) return false
        if (held[0] !== 13 || held[1] !== 10) throw wrong('HPE_STRICT', 'Expected LF after chunk data')
        this.#held = held.subarray(2)
        this.#state = 'size'
        return true
      case 'size': {
        const line = this.#line()
        if (line === undefined) return false
        const [, digits] = /^([0-9A-Fa-f]{1,13})(?:[ \t]*;[\t\x20-\x7e]*)?$/.exec(line) ?? []
        if (digits === undefined) throw wrong('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size')
        this.#left = Number.parseInt(digits, 16)
        this.#state = this.#left === 0 ? 'trailers' : 'chunk'
        return true
      }
      case 'trailers': {
        if (held.byteLength >= 2 && held[0] === 13 && held[1] === 10) {
          this.#held = held.subarray(2)
          this.#end([])
          return true
        }
        const lines = this.#lines('\r\n\r\n')
        if (lines === undefined) return false
        this.#end(fieldsOf(lines))
        return true
      }
      default:
        return false
    }
  }

  #line(): string | undefined {
    const end = indexOf(this.#held, '\r\n')
    if (end < 0) {
      if (this.#held.byteLength > maxHeaderSize) throw wrong('HPE_HEADER_OVERFLOW', 'Header overflow')
      return undefined
    }
    const line = latin.decode(this.#held.subarray(0, end))
    this.#held = this.#held.subarray(end + 2)
    return line
  }

  #lines(end: string): string[] | undefined {
    const at = indexOf(this.#held, end)
    if (at < 0 ? this.#held.byteLength > maxHeaderSize : at > maxHeaderSize) throw wrong('HPE_HEADER_OVERFLOW', 'Header overflow')
    if (at < 0) return undefined
    const text = latin.decode(this.#held.subarray(0, at))
    this.#held = this.#held.subarray(at + end.length)
    const lines = text.split('\r\n')
    if (lines.some(line => /[\r\n\0]/.test(line))) throw wrong('HPE_INVALID_HEADER_TOKEN', 'Invalid header token')
    return lines
  }

  #end(trailers: string[]): void {
    this.#state = 'head'
    this.#ears.end(trailers)
  }

  #head([first = '', ...fields]: string[]): void {
    const raw = fieldsOf(fields)
    const head = this.#kind === 'request' ? requestOf(first, raw) : responseOf(first, raw)
    const length = lengthOf(head, this.#kind === 'request')
    const { status } = head
    const isBare = this.#kind === 'response' && (status < 200 || status === 204 || status === 304)
    // The state is set before anybody is told, who may go on in many ways.
    this.#state = isBare || length === 0 ? 'head' : length === 'chunked' ? 'size' : length === 'rest' ? 'rest' : 'length'
    this.#left = typeof length === 'number' ? length : 0
    const answer = this.#ears.head(head)
    if (answer === 'upgrade') this.#state = 'over'
    else if (answer === 'none' || this.#state === 'head') this.#end([])
  }
}

function requestOf(line: string, raw: string[]): Head {
  const [, method, url, version] = /^([A-Z][A-Z-]*) ([\x21-\x7e\x80-\xff]+) HTTP\/(1\.[01])$/.exec(line) ?? []
  if (method === undefined || url === undefined) throw wrong('HPE_INVALID_METHOD', 'Invalid request line')
  return { version: version === '1.0' ? '1.0' : '1.1', method, url, status: 0, reason: '', raw }
}

function responseOf(line: string, raw: string[]): Head {
  const [, version, status, reason = ''] = /^HTTP\/(1\.[01]) (\d{3})(?: ([\t\x20-\x7e\x80-\xff]*))?$/.exec(line) ?? []
  if (status === undefined) throw wrong('HPE_INVALID_CONSTANT', 'Expected HTTP/')
  return { version: version === '1.0' ? '1.0' : '1.1', method: '', url: '', status: Number(status), reason, raw }
}

function fieldsOf(lines: readonly string[]): string[] {
  return lines.flatMap(line => {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon)
    const text = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '')
    if (colon < 1 || !token.test(name) || !value.test(text)) throw wrong('HPE_INVALID_HEADER_TOKEN', 'Invalid header token')
    return [name, text]
  })
}

/** The values of a header in raw pairs. */
export const valuesOf = (raw: readonly string[], name: string): string[] => raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name)

function lengthOf({ raw, version }: Head, isRequest: boolean): number | 'chunked' | 'rest' {
  const codings = valuesOf(raw, 'transfer-encoding')
  const lengths = valuesOf(raw, 'content-length')
  if (codings.length > 0) {
    if (lengths.length > 0) throw wrong('HPE_INVALID_TRANSFER_ENCODING', "Transfer-Encoding can't be present with Content-Length")
    if (version === '1.0' || codings.length > 1 || codings[0]?.toLowerCase() !== 'chunked') {
      throw wrong('HPE_INVALID_TRANSFER_ENCODING', 'Request has invalid `Transfer-Encoding`')
    }
    return 'chunked'
  }
  if (lengths.length > 1) throw wrong('HPE_UNEXPECTED_CONTENT_LENGTH', 'Content-Length already present')
  const [length] = lengths
  if (length === undefined) return isRequest ? 0 : 'rest'
  if (!/^\d{1,15}$/.test(length)) throw wrong('HPE_INVALID_CONTENT_LENGTH', 'Invalid character in Content-Length')
  return Number(length)
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (b.byteLength === 0) return a
  const both = new Uint8Array(a.byteLength + b.byteLength)
  both.set(a)
  both.set(b, a.byteLength)
  return both
}

function indexOf(bytes: Uint8Array, text: '\r\n' | '\r\n\r\n' | (string & {})): number {
  const most = Math.min(bytes.byteLength, maxHeaderSize + text.length)
  for (let at = bytes.indexOf(13); at >= 0 && at + text.length <= most; at = bytes.indexOf(13, at + 1)) {
    if (bytes[at + 1] === 10 && (text.length === 2 || (bytes[at + 2] === 13 && bytes[at + 3] === 10))) return at
  }
  return -1
}
