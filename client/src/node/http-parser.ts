import { Buffer } from 'buffer'
import type { NodeError } from './errors.ts'
import { bodyOf, type Head } from './http-framing.ts'
import { isToken } from './http-checks.ts'
import { HeadReader } from './http-head-reader.ts'
import { ParseFailure, parseError } from './http-parse-failure.ts'
import { nextTick } from './ticks.ts'

/** How a parser reads. */
export interface ParserOptions {
  /** Bytes of a head at most. */
  readonly maxHeaderSize?: number | undefined
  /** Takes what Node takes with `insecureHTTPParser`: it may be read in two ways by two readers. */
  readonly isLenient?: boolean | undefined
}
type State =
  | 'start'
  | 'head'
  | 'length'
  | 'size'
  | 'extension'
  | 'size lf'
  | 'chunk'
  | 'chunk cr'
  | 'chunk lf'
  | 'trailers'
  | 'rest'
  | 'closed'
  | 'upgraded'
  | 'over'

// Within an extension of a chunk: before a name, in one, before a value, in one, in a quoted one, behind a backslash there, behind its end.
type Extension = ';' | 'n' | '=' | 'v' | '"' | '\\' | 'q'

/** Bytes of a head at most, where nothing else is said. */
export const maxHeaderSize = 16_384
const extensionsMost = 16_384
const [tab, lf, cr, space, semicolon] = [9, 10, 13, 32, 59]

/**
 * A reader of HTTP/1.1 that decides as Node's does what is a message: lines end in CRLF, lengths are digits, and a message whose length could
 * be read in two ways is refused, since the next reader might read it in the other.
 */
export abstract class HttpParser {
  readonly #kind: 'request' | 'response'
  readonly #isLenient: boolean
  readonly #reader: HeadReader
  #state: State = 'start'
  #head: Head | undefined
  #left = 0
  #digits = 0
  #extensions = 0
  #within: Extension = ';'
  #isPaused = false
  #isRunning = false
  #isOver = false
  #isWaiting = false
  #isTold = false
  #due: string[] | undefined
  #held: Uint8Array[] = []
  readonly #later: Uint8Array[] = []
  #failure: ParseFailure | undefined

  constructor(kind: 'request' | 'response', options: ParserOptions = {}) {
    this.#kind = kind
    this.#isLenient = options.isLenient ?? false
    this.#reader = new HeadReader(kind, options.maxHeaderSize || maxHeaderSize, this.#isLenient)
  }

  /** The first byte of a message has arrived. */
  protected abstract onBegin(): void
  /** A head was read; answers 1 where no body follows whatever the headers say, 2 when what follows is no longer HTTP. */
  protected abstract onHead(head: Head): 0 | 1 | 2
  protected abstract onBody(bytes: Uint8Array): void
  /** A message has ended. */
  protected abstract onEnd(trailers: string[]): void

  /** Whether a tick passes between what is told, as it does in Node for a server's own sockets. */
  isPatient = false
  /** Told what came of bytes that were read after such a tick. */
  onFurther: (read: number | NodeError, bytes: Uint8Array) => void = () => undefined

  /** Holds further messages back, after the present one. */
  pause(): void {
    this.#isPaused = true
  }

  /** Goes on, with what was held back. */
  resume(): number | NodeError {
    this.#isPaused = false
    const held = this.#held
    if (this.#isRunning || held.length === 0) return 0
    this.#held = []
    return this.execute(Buffer.concat(held))
  }

  /** Tells nobody any more. */
  free(): void {
    this.#isOver = true
    this.#held = []
  }

  /** The connection has ended; answers an error when a message had not. */
  finish(): NodeError | undefined {
    while (this.#isWaiting) this.#goOn()
    if (this.#isOver || this.#state === 'start' || this.#state === 'closed' || this.#state === 'upgraded' || this.#failure !== undefined) return undefined
    if (this.#state !== 'rest') return Object.assign(parseError('HPE_INVALID_EOF_STATE', 'Invalid EOF state'), { bytesParsed: 0 })
    this.#state = 'start'
    this.onEnd([])
    return undefined
  }

  /** Reads on; answers how many bytes were read, fewer than all where what follows is no longer HTTP, or what is wrong with them. */
  execute(bytes: Uint8Array): number | NodeError {
    if (this.#failure !== undefined) return told(this.#failure, bytes, 0)
    // What comes while somebody is told of what came before waits its turn.
    if (this.#isRunning || this.#isWaiting) {
      this.#later.push(bytes)
      return bytes.byteLength
    }
    const read = this.#execute(bytes)
    if (typeof read !== 'number' || read < bytes.byteLength) return read
    for (let next = this.#isWaiting ? undefined : this.#later.shift(); next !== undefined; next = this.#isWaiting ? undefined : this.#later.shift()) {
      const further = this.#execute(next)
      if (typeof further !== 'number') return further
    }
    return read
  }

  /** Lets those go first who wait for a tick, before the next is told. */
  #wait(rest: Uint8Array): void {
    this.#later.unshift(rest)
    this.#isWaiting = true
    nextTick(() => {
      if (this.#isWaiting) this.#goOn()
    })
  }

  #goOn(): void {
    this.#isWaiting = false
    const next = this.#later.shift() ?? new Uint8Array()
    this.onFurther(this.execute(next), next)
  }

  #execute(bytes: Uint8Array): number | NodeError {
    let at = 0
    this.#isRunning = true
    try {
      while ((at < bytes.byteLength || this.#due !== undefined) && !this.#isOver && this.#state !== 'upgraded') {
        if (this.#isTold && this.isPatient) {
          this.#isTold = false
          this.#wait(bytes.slice(at))
          return bytes.byteLength
        }
        if (this.#due !== undefined) {
          const trailers = this.#due
          this.#due = undefined
          this.#end(trailers)
          continue
        }
        if (this.#isPaused && this.#state === 'start') {
          this.#held.push(bytes.slice(at))
          return bytes.byteLength
        }
        at = this.#step(bytes, at)
      }
      return at
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error
      this.#failure = error
      // Of a head that is too long all was looked at.
      return told(error, bytes, error.code === 'HPE_HEADER_OVERFLOW' ? bytes.byteLength : at)
    } finally {
      this.#isRunning = false
    }
  }

  #step(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0
    switch (this.#state) {
      case 'length':
      case 'chunk':
      case 'rest': {
        const end = this.#state === 'rest' ? bytes.byteLength : Math.min(bytes.byteLength, at + this.#left)
        this.#left -= end - at
        const isLast = this.#state !== 'rest' && this.#left === 0
        const isLength = this.#state === 'length'
        if (isLast && !isLength) this.#state = 'chunk cr'
        if (isLast && isLength) this.#due = []
        this.#isTold = true
        this.onBody(bytes.subarray(at, end))
        return end
      }
      case 'start':
        // Empty lines between messages are passed over.
        if (byte === cr || byte === lf) return at + 1
        this.#state = 'head'
        this.onBegin()
        return at
      case 'head':
      case 'trailers':
        if (this.#reader.read(byte)) this.#lines()
        return at + 1
      case 'closed':
        if (byte !== cr && byte !== lf) throw new ParseFailure('HPE_CLOSED_CONNECTION', 'Data after `Connection: close`')
        return at + 1
      default:
        return this.#chunk(byte, at)
    }
  }

  #chunk(byte: number, at: number): number {
    switch (this.#state) {
      case 'size': {
        const digit = Number.parseInt(String.fromCharCode(byte), 16)
        if (!Number.isNaN(digit)) {
          if (++this.#digits > 13) throw new ParseFailure('HPE_INVALID_CHUNK_SIZE', 'Chunk size overflow')
          this.#left = this.#left * 16 + digit
          return at + 1
        }
        if (this.#digits === 0) throw new ParseFailure('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size')
        if (byte === cr) this.#state = 'size lf'
        else if (byte === semicolon) this.#state = 'extension'
        else if (byte === lf) return this.#bareLine('chunk size', at, () => this.#sized())
        else if (!this.#isLenient || (byte !== space && byte !== tab)) throw new ParseFailure('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size')
        return at + 1
      }
      case 'extension':
        if (++this.#extensions > extensionsMost) throw new ParseFailure('HPE_CHUNK_EXTENSIONS_OVERFLOW', 'Chunk extensions overflow')
        if (byte === lf && this.#within !== '"') return this.#bareLine('chunk extension name', at, () => this.#sized())
        if (byte === cr && 'nvq'.includes(this.#within)) this.#state = 'size lf'
        else this.#within = extended(this.#within, byte)
        return at + 1
      case 'size lf':
        this.#sized()
        if (byte === lf) return at + 1
        if (this.#isLenient) return at
        throw new ParseFailure('HPE_STRICT', 'Expected LF after chunk size')
      case 'chunk cr':
        this.#state = 'chunk lf'
        if (byte === cr) return at + 1
        if (byte === lf && this.#isLenient) return at
        if (byte === lf) throw new ParseFailure('HPE_CR_EXPECTED', 'Missing expected CR after chunk data')
        if (!this.#isLenient) throw new ParseFailure('HPE_STRICT', 'Expected LF after chunk data')
        this.#begunChunk()
        return at
      case 'chunk lf':
        this.#begunChunk()
        if (byte === lf) return at + 1
        if (this.#isLenient) return at
        throw new ParseFailure('HPE_STRICT', 'Expected LF after chunk data')
      default:
        throw new ParseFailure('HPE_INTERNAL', 'Invalid state')
    }
  }

  #bareLine(what: string, at: number, then: () => void): number {
    if (!this.#isLenient) throw new ParseFailure('HPE_CR_EXPECTED', `Missing expected CR after ${what}`)
    then()
    return at + 1
  }

  #begunChunk(): void {
    this.#state = 'size'
    this.#left = this.#digits = this.#extensions = 0
    this.#within = ';'
  }

  #sized(): void {
    this.#state = this.#left === 0 ? 'trailers' : 'chunk'
    if (this.#left === 0) this.#reader.beginFields()
  }

  #lines(): void {
    if (this.#state === 'trailers') {
      this.#due = this.#reader.takeFields()
      return
    }
    const head = this.#reader.takeHead()
    this.#head = head
    // The state is set before anybody is told, who may go on in many ways.
    this.#state = 'over'
    this.#isTold = true
    const answer = this.onHead(head)
    if (answer === 2 || (head.upgrade && head.method === 'CONNECT')) {
      this.#state = 'upgraded'
      return this.onEnd([])
    }
    const body = answer === 1 ? 0 : bodyOf(head, this.#kind, this.#isLenient)
    if (body === 0) this.#due = []
    else if (body === 'chunked') this.#begunChunk()
    else {
      this.#state = body === 'rest' ? 'rest' : 'length'
      this.#left = body === 'rest' ? 0 : body
    }
  }

  #end(trailers: string[]): void {
    this.#state = this.#head?.persistent === true || this.#isLenient ? 'start' : 'closed'
    this.#reader.begin()
    this.#isTold = true
    this.onEnd(trailers)
  }
}

const told = ({ code, reason }: ParseFailure, bytes: Uint8Array, bytesParsed: number): NodeError =>
  Object.assign(parseError(code, reason), { bytesParsed, rawPacket: Buffer.from(bytes) })

/** Where a byte leads within an extension. */
function extended(within: Extension, byte: number): Extension {
  const character = String.fromCharCode(byte)
  const isName = isToken(character)
  if (within === '\\') return '"'
  if (within === '"') {
    if (byte === 34) return 'q'
    if (byte === 92) return '\\'
    if ((byte >= space && byte !== 127) || byte === tab) return '"'
    throw new ParseFailure('HPE_STRICT', 'Invalid character in chunk extensions quoted value')
  }
  if (within === ';' && isName) return 'n'
  if (within === 'n' && isName) return 'n'
  if (within === 'n' && byte === 61) return '='
  if (within === '=' && byte === 34) return '"'
  if ((within === '=' || within === 'v') && isName) return 'v'
  if ('nvq'.includes(within) && byte === semicolon) return ';'
  const where = { ';': '', n: ' name', '=': ' value', v: ' value', q: ' quote value' }[within]
  throw new ParseFailure('HPE_STRICT', `Invalid character in chunk extensions${where}`)
}
