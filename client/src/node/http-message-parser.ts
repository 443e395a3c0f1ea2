import { Buffer } from 'buffer'
import type { Head } from './http-framing.ts'
import { IncomingMessage, readStart, readStop, type IncomingSocket } from './http-incoming.ts'
import { HttpParser, type ParserOptions } from './http-parser.ts'

/** What makes the messages that arrive. */
export type IncomingClass = new (socket?: IncomingSocket) => IncomingMessage
/** How messages are read and made. */
export interface MessageParserOptions extends ParserOptions {
  readonly make?: IncomingClass | undefined
  readonly joinDuplicateHeaders?: boolean | undefined
}

/** Reads the messages of one connection; those whose body nobody reads hold the connection back. */
export class MessageParser extends HttpParser {
  incoming: IncomingMessage | null = null
  socket: IncomingSocket | null
  /** Names and values that are kept at most; 0 keeps all. */
  maxHeaderPairs = 2000
  /** When the message that is read began, or 0 between two. */
  begunAt = 0
  /** Whether its head is whole. */
  isHeadRead = false
  /** Told of each message; answers as the parser asks. */
  onIncoming: (incoming: IncomingMessage, shouldKeepAlive: boolean) => 0 | 1 | 2 = () => 0
  readonly #make: IncomingClass
  readonly #joins: boolean | undefined

  constructor(kind: 'request' | 'response', socket: IncomingSocket, { make = IncomingMessage, joinDuplicateHeaders, ...options }: MessageParserOptions = {}) {
    super(kind, options)
    this.socket = socket
    this.#make = make
    this.#joins = joinDuplicateHeaders
  }

  /** Another name of `free`. */
  close(): void {
    super.free()
  }

  protected override onBegin(): void {
    this.begunAt = performance.now()
    this.isHeadRead = false
  }

  protected override onHead({ major, minor, method, url, status, reason, raw, upgrade, keepAlive }: Head): 0 | 1 | 2 {
    this.isHeadRead = true
    const incoming = new this.#make(this.socket ?? undefined)
    this.incoming = incoming
    incoming.httpVersionMajor = major
    incoming.httpVersionMinor = minor
    incoming.httpVersion = `${major}.${minor}`
    incoming.joinDuplicateHeaders = this.#joins
    incoming.upgrade = upgrade
    if (method === '') {
      incoming.statusCode = status
      incoming.statusMessage = reason
    } else {
      incoming.method = method
      incoming.url = url
    }
    incoming._addHeaderLines(this.#kept(raw))
    return this.onIncoming(incoming, keepAlive)
  }

  #kept(raw: string[]): string[] {
    return this.maxHeaderPairs > 0 ? raw.slice(0, this.maxHeaderPairs) : raw
  }

  protected override onBody(bytes: Uint8Array): void {
    const { incoming } = this
    if (incoming === null || incoming._dumped) return
    if (!incoming.push(Buffer.from(bytes))) readStop(this.socket)
  }

  protected override onEnd(trailers: string[]): void {
    this.begunAt = 0
    const { incoming } = this
    if (incoming !== null) {
      incoming.complete = true
      if (trailers.length > 0) incoming._addHeaderLines(this.#kept(trailers))
      incoming.push(null)
    }
    readStart(this.socket)
  }
}
