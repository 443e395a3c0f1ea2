import { Buffer } from 'buffer'
import { nodeError, wrongType, wrongValue } from './errors.ts'
import { MessageFields, type HeadersGiven, type HeaderValue, type OutgoingHeaders } from './http-fields.ts'
import { emitCapturing, isCapturing } from './http-capture.ts'
import { headFields, type HeadState } from './http-head.ts'
import type { Socket } from './socket.ts'
import { nextTick } from './ticks.ts'

/** Told when something was written. */
export type Written = (error?: Error | null) => void
/** What a message is sent on. */
export type MessageSocket = Socket & { _httpMessage?: OutgoingMessage | null }
/** How a message is sent. */
export interface OutgoingOptions {
  readonly highWaterMark?: number | undefined
  /** Throws where a body is written that the message cannot have, rather than passing it over. */
  readonly rejectNonStandardBodyWrites?: boolean | undefined
}

type Chunk = string | Uint8Array
interface Piece {
  readonly data: Chunk
  readonly encoding: string | undefined
  readonly callback: Written | undefined
}

const usualMark = 65_536
function checkChunk(chunk: unknown): asserts chunk is Chunk {
  if (chunk === null) throw nodeError('ERR_STREAM_NULL_VALUES', 'May not write null values to stream', TypeError)
  if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) throw wrongType('chunk', 'of type string or an instance of Buffer or Uint8Array', chunk)
}
const lengthOf = (chunk: Chunk, encoding?: string): number => (typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding as 'utf8') : chunk.byteLength)

/** A message that is sent: what a request at a client and a response at a server have in common. */
export class OutgoingMessage extends MessageFields {
  outputData: Piece[] = []
  outputSize = 0
  writable = true
  destroyed = false
  /** Whether writing more or less than `Content-Length` says throws. */
  strictContentLength = false
  finished = false
  socket: MessageSocket | null = null
  errored: Error | null | undefined = null
  _headerSent = false
  _closed = false
  _needsDrain = false
  /** Told how many bytes wait for the connection, more or less than before. */
  _onPendingData: (by: number) => void = () => undefined
  #corked = 0
  #held: Piece[] = []
  #heldBytes = 0
  #bytes = 0
  readonly #mark: number
  readonly #isRejecting: boolean

  constructor(options?: OutgoingOptions) {
    super()
    this.#mark = options?.highWaterMark ?? usualMark
    this.#isRejecting = options?.rejectNonStandardBodyWrites ?? false
  }

  override emit(name: string | symbol, ...of: unknown[]): boolean {
    if (name === 'error' || !isCapturing()) return super.emit(name, ...of)
    return emitCapturing(this, name, of, error => this.destroy(error))
  }

  get closed(): boolean {
    return this._closed
  }
  get connection(): MessageSocket | null {
    return this.socket
  }
  set connection(socket: MessageSocket | null) {
    this.socket = socket
  }
  get writableFinished(): boolean {
    return this.finished && this.outputSize === 0 && (this.socket === null || this.socket.writableLength === 0)
  }
  get writableObjectMode(): boolean {
    return false
  }
  get writableLength(): number {
    return this.outputSize + this.#heldBytes + (this.socket?.writableLength ?? 0)
  }
  get writableHighWaterMark(): number {
    return this.socket?.writableHighWaterMark ?? this.#mark
  }
  get writableCorked(): number {
    return this.#corked
  }
  get writableEnded(): boolean {
    return this.finished
  }
  get writableNeedDrain(): boolean {
    return !this.destroyed && !this.finished && this._needsDrain
  }

  cork(): void {
    this.#corked += 1
    this.socket?.cork()
  }

  uncork(): void {
    this.#corked -= 1
    this.socket?.uncork()
    const held = this.#held
    if (this.#corked > 0 || held.length === 0) return
    this._send(this.#heldBytes.toString(16), 'latin1')
    this._send('\r\n', 'latin1')
    for (const { data, encoding } of held) this._send(data, encoding)
    const told = held.flatMap(({ callback }) => callback ?? [])
    this._send('\r\n', 'latin1', told.length === 0 ? undefined : error => told.forEach(callback => callback(error)))
    this.#held = []
    this.#heldBytes = 0
  }

  setTimeout(milliseconds: number, listener?: () => void): this {
    if (listener !== undefined) this.on('timeout', listener)
    if (this.socket === null) this.once('socket', (socket: Socket) => socket.setTimeout(milliseconds))
    else this.socket.setTimeout(milliseconds)
    return this
  }

  destroy(error?: Error | null): this {
    if (this.destroyed) return this
    this.destroyed = true
    this.errored = error
    if (this.socket === null) this.once('socket', (socket: Socket) => socket.destroy(error ?? undefined))
    else this.socket.destroy(error ?? undefined)
    return this
  }

  /** Sends a part of the body, the head before the first. */
  _send(data: Chunk, encoding?: string, callback?: Written, byteLength?: number): boolean {
    if (!this._headerSent) {
      const header = this._header ?? ''
      this._headerSent = true
      // A head is latin1: with a body in another coding it can share a text where both are ASCII.
      if (typeof data === 'string' && (encoding === 'latin1' || ((encoding === undefined || encoding === 'utf8') && !/[\x80-\xff]/.test(header)))) {
        return this._writeRaw(header + data, encoding, callback, byteLength === undefined ? undefined : byteLength + header.length)
      }
      this.outputData.unshift({ data: header, encoding: 'latin1', callback: undefined })
      this.outputSize += header.length
      this._onPendingData(header.length)
    }
    return this._writeRaw(data, encoding, callback, byteLength)
  }

  /** Writes to the connection, or keeps it until there is one. */
  _writeRaw(data: Chunk, encoding?: string | Written, callback?: Written, byteLength?: number): boolean {
    const { socket } = this
    if (socket?.destroyed === true) return false
    const [as, done] = typeof encoding === 'function' ? [undefined, encoding] : [encoding, callback]
    if (socket !== null && socket._httpMessage === this && socket.writable) {
      if (this.outputData.length > 0) this._flushOutput(socket)
      return socket.write(data, as, done)
    }
    this.outputData.push({ data, encoding: as, callback: done })
    const length = byteLength ?? data.length
    this.outputSize += length
    this._onPendingData(length)
    return this.outputSize < this.#mark
  }

  /** Fixes the head. */
  _storeHeader(firstLine: string, headers?: HeadersGiven | Map<string, [string, HeaderValue]> | null): void {
    const state: HeadState = { connection: false, length: false, coding: false, date: false, expect: false, trailer: false, text: firstLine }
    if (headers instanceof Map) for (const [name, value] of headers.values()) this._field(state, name, value, false)
    else if (Array.isArray(headers)) {
      const list = headers as readonly unknown[]
      if (Array.isArray(list[0])) for (const [name, value] of list as readonly [string, HeaderValue][]) this._field(state, name, value, true)
      else {
        if (list.length % 2 !== 0) throw wrongValue('headers', headers)
        for (let at = 0; at < list.length; at += 2) this._field(state, list[at] as string, list[at + 1] as HeaderValue, true)
      }
    } else for (const [name, value] of Object.entries((headers ?? {}) as OutgoingHeaders)) this._field(state, name, value as HeaderValue, true)
    this._header = headFields(this, state)
    this._headerSent = false
    // Who waits for `100 Continue` sends nothing that would bring the head along.
    if (state.expect) this._send('')
  }

  write(chunk: unknown, encoding?: string | Written | null, callback?: Written): boolean {
    const [as, done] = typeof encoding === 'function' ? [undefined, encoding] : [encoding ?? undefined, callback]
    checkChunk(chunk)
    const isRoom = this.#write(chunk, as, done, false)
    if (!isRoom) this._needsDrain = true
    return isRoom
  }

  #write(chunk: Chunk, encoding: string | undefined, callback: Written | undefined, isLast: boolean): boolean {
    const done: Written = typeof callback === 'function' ? callback : () => undefined
    if (this.finished) {
      this.#fail(nodeError('ERR_STREAM_WRITE_AFTER_END', 'write after end'), done)
      return false
    }
    if (this.destroyed) {
      nextTick(done, nodeError('ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed'))
      return false
    }
    const length = lengthOf(chunk, encoding)
    if (this.strictContentLength) {
      const all = this.#bytes + length
      if (this.#isLengthHeld() && (isLast ? all !== this._contentLength : all > (this._contentLength ?? 0))) throw this.#mismatch(all)
      this.#bytes = all
    }
    if (!this.headersSent) {
      if (isLast) this._contentLength = length
      this._implicitHeader()
    }
    if (!this._hasBody) {
      if (this.#isRejecting) throw nodeError('ERR_HTTP_BODY_NOT_ALLOWED', 'Adding content for this request method or response status is not allowed.')
      nextTick(done)
      return true
    }
    const { socket } = this
    if (!isLast && socket !== null && socket.writableCorked === 0) {
      // What is written in one go leaves in one.
      socket.cork()
      nextTick(() => socket.uncork())
    }
    if (!this.chunkedEncoding || chunk.length === 0) return this._send(chunk, encoding, done, length)
    if (this.#corked > 0 && this._headerSent) {
      this.#held.push({ data: chunk, encoding, callback: done })
      this.#heldBytes += length
      return this.#heldBytes < this.#mark
    }
    this._send(length.toString(16), 'latin1')
    this._send('\r\n', 'latin1')
    this._send(chunk, encoding, undefined, length)
    return this._send('\r\n', 'latin1', done)
  }

  #isLengthHeld(): boolean {
    return (
      this.strictContentLength &&
      this._contentLength !== null &&
      this._hasBody &&
      !this._removedContLen &&
      !this.chunkedEncoding &&
      !this.hasHeader('transfer-encoding')
    )
  }

  #mismatch(bytes: number): Error {
    const said = `${bytes} byte(s) does not match the content-length of ${this._contentLength} byte(s) set in header`
    return nodeError('ERR_HTTP_CONTENT_LENGTH_MISMATCH', `Response body's content-length of ${said}`)
  }

  #fail(error: Error, callback: Written | undefined): void {
    nextTick(() => {
      callback?.(error)
      if (!this.destroyed) this.emit('error', error)
    })
  }

  end(...of: readonly unknown[]): this {
    const isCallback = (value: unknown): value is Written => typeof value === 'function'
    const [chunk, encoding] = of.map(value => (isCallback(value) ? undefined : value))
    const callback = of.slice(0, 3).find(isCallback)
    if (chunk !== undefined && chunk !== null && chunk !== '') {
      if (this.finished) {
        this.#fail(nodeError('ERR_STREAM_WRITE_AFTER_END', 'write after end'), callback)
        return this
      }
      this.socket?.cork()
      checkChunk(chunk)
      this.#write(chunk, encoding as string | undefined, undefined, true)
    } else if (this.finished) {
      if (callback === undefined) return this
      if (this.writableFinished) callback(nodeError('ERR_STREAM_ALREADY_FINISHED', 'Cannot call end after a stream was finished'))
      else this.on('finish', callback)
      return this
    } else if (!this.headersSent) {
      this.socket?.cork()
      this._contentLength = 0
      this._implicitHeader()
    }
    if (callback !== undefined) this.once('finish', callback)
    if (this.#isLengthHeld() && this.#bytes !== this._contentLength) throw this.#mismatch(this.#bytes)
    const finish = (): void => {
      if ((this.socket as { _hadError?: boolean } | null)?._hadError !== true) this.emit('finish')
    }
    if (this._hasBody && this.chunkedEncoding) this._send(`0\r\n${this._trailer}\r\n`, 'latin1', finish)
    else if (!this._headerSent || this.writableLength > 0 || (chunk !== undefined && chunk !== null)) this._send('', 'latin1', finish)
    else nextTick(finish)
    for (let left = this.socket?.writableCorked ?? 0; left > 0; left -= 1) this.socket?.uncork()
    this.#corked = 1
    this.uncork()
    this.finished = true
    if (this.outputData.length === 0 && this.socket?._httpMessage === this) this._finish()
    return this
  }

  /** All was handed to the connection. */
  _finish(): void {
    this.emit('prefinish')
  }

  /** Sends what waited for the connection. */
  _flush(): void {
    const { socket } = this
    if (socket?.writable !== true) return
    const isRoom = this._flushOutput(socket)
    if (this.finished) this._finish()
    else if (isRoom === true) this._drain()
  }

  /** Tells those who were asked to wait that there is room. */
  _drain(): void {
    if (!this._needsDrain) return
    this._needsDrain = false
    this.emit('drain')
  }

  _flushOutput(socket: Socket): boolean | undefined {
    for (; this.#corked > 0; this.#corked -= 1) socket.cork()
    const waiting = this.outputData
    if (waiting.length === 0) return undefined
    socket.cork()
    let isRoom = true
    for (const { data, encoding, callback } of waiting) isRoom = socket.write(data, encoding, callback)
    socket.uncork()
    this.outputData = []
    this._onPendingData(-this.outputSize)
    this.outputSize = 0
    return isRoom
  }

  /** Sends the head before there is a body. */
  flushHeaders(): void {
    if (!this.headersSent) this._implicitHeader()
    this._send('')
  }

  pipe(): void {
    this.emit('error', nodeError('ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable'))
  }
}
