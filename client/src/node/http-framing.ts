import { ParseFailure } from './http-parse-failure.ts'

/** The head of a message, its headers as they came. */
export interface Head {
  readonly major: number
  readonly minor: number
  readonly method: string
  readonly url: string
  readonly status: number
  readonly reason: string
  readonly raw: string[]
  /** Whether it asks for, or answers, another protocol. */
  readonly upgrade: boolean
  /** Whether another message may follow on the connection. */
  readonly keepAlive: boolean
  /** The same, were there no body. */
  readonly persistent: boolean
  /** What the headers say of the body. */
  readonly length: number | undefined
  readonly coding: 'chunked' | 'other' | undefined
}

/** Whether a status comes without a body. */
export const isBodiless = (status: number): boolean => (status >= 100 && status < 200) || status === 204 || status === 304

/** How the end of a body is found: so many bytes, chunks, or all the rest. @throws ParseFailure */
export function bodyOf({ status, coding, length }: Head, kind: 'request' | 'response', isLenient: boolean): number | 'chunked' | 'rest' {
  if (kind === 'response' && isBodiless(status)) return 0
  if (coding === 'chunked') return 'chunked'
  if (coding === 'other') {
    if (kind === 'request' && !isLenient) throw new ParseFailure('HPE_INVALID_TRANSFER_ENCODING', 'Request has invalid `Transfer-Encoding`')
    return 'rest'
  }
  return length ?? (kind === 'request' ? 0 : 'rest')
}

/** What the headers of one message say of its end and of its connection. */
export class Framing {
  length: number | undefined
  coding: 'chunked' | 'other' | undefined
  #isClose = false
  #isKept = false
  #isUpgrade = false
  #hasUpgrade = false

  /** @throws ParseFailure where two readers could see two ends */
  take(name: string, text: string, kind: 'request' | 'response', isLenient: boolean): void {
    switch (name.toLowerCase()) {
      case 'content-length':
        if (this.length !== undefined) throw new ParseFailure('HPE_UNEXPECTED_CONTENT_LENGTH', 'Duplicate Content-Length')
        if (this.coding !== undefined && !isLenient) {
          throw new ParseFailure('HPE_INVALID_CONTENT_LENGTH', "Content-Length can't be present with Transfer-Encoding")
        }
        if (!/^\d*$/.test(text)) throw new ParseFailure('HPE_INVALID_CONTENT_LENGTH', 'Invalid character in Content-Length')
        if (text.length === 0) throw new ParseFailure('HPE_INVALID_CONTENT_LENGTH', 'Empty Content-Length')
        if (text.length > 15) throw new ParseFailure('HPE_INVALID_CONTENT_LENGTH', 'Content-Length overflow')
        this.length = Number(text)
        break
      case 'transfer-encoding': {
        if (this.length !== undefined && !isLenient) {
          throw new ParseFailure('HPE_INVALID_TRANSFER_ENCODING', "Transfer-Encoding can't be present with Content-Length")
        }
        if (text === '') throw new ParseFailure('HPE_INVALID_TRANSFER_ENCODING', 'Empty Transfer-Encoding')
        const codings = text.toLowerCase().split(',')
        if (kind === 'request' && !isLenient && (this.coding === 'chunked' || codings.slice(0, -1).some(coding => coding.trim() === 'chunked'))) {
          throw new ParseFailure('HPE_INVALID_TRANSFER_ENCODING', 'Invalid `Transfer-Encoding` header value')
        }
        this.coding = codings.at(-1)?.trim() === 'chunked' ? 'chunked' : 'other'
        break
      }
      case 'connection':
      case 'proxy-connection':
        for (const word of text.toLowerCase().split(',')) {
          if (word.trim() === 'close') this.#isClose = true
          else if (word.trim() === 'keep-alive') this.#isKept = true
          else if (word.trim() === 'upgrade') this.#isUpgrade = true
        }
        break
      case 'upgrade':
        this.#hasUpgrade = true
        break
      default:
    }
  }

  /** @param rest what the first line says */
  head(kind: 'request' | 'response', rest: Pick<Head, 'major' | 'minor' | 'method' | 'url' | 'status' | 'reason' | 'raw'>): Head {
    const { major, minor, method, status } = rest
    const { length, coding } = this
    const asks = this.#isUpgrade && this.#hasUpgrade
    const needsEnd = kind === 'response' && !isBodiless(status) && coding !== 'chunked' && (coding === 'other' || length === undefined)
    const persistent = major > 0 && minor > 0 ? !this.#isClose : this.#isKept
    return {
      ...rest,
      length,
      coding,
      upgrade: asks ? kind === 'request' || status === 101 : method === 'CONNECT',
      persistent,
      keepAlive: !needsEnd && persistent,
    }
  }
}
