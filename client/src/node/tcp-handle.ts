import type { TcpSocketOption, TcpSocketResult } from '@deputy/contract/webvpn'
import { systemError } from './errors.ts'

/** Milliseconds that what was written before `close` has to be taken over by the broker. */
const linger = 1000

/** As much of a handle as a socket asks of one that others bring. */
export interface SocketHandle {
  setNoDelay?: ((on: boolean) => unknown) | null | undefined
  setKeepAlive?: ((on: boolean, seconds: number) => unknown) | null | undefined
  close?: ((done?: () => void) => unknown) | undefined
  attach?: ((connection: TcpSocketResult) => void) | undefined
  end?: (() => void) | undefined
  reset?: (() => void) | undefined
  readonly connection?: TcpSocketResult | undefined
}

/** What a socket holds of its connection, by the names of Node's own handles; until `attach` it stands for one that is being made. */
export class TcpHandle implements SocketHandle {
  readonly fd = -1
  #connection: TcpSocketResult | undefined
  #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined
  #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>> | undefined
  #ending: Promise<void> | undefined
  #isClosed = false
  #isOver = false
  #hasWritten = false

  /** The connection, from when it stands to when it is let go. */
  get connection(): TcpSocketResult | undefined {
    return this.#connection
  }

  attach(connection: TcpSocketResult): void {
    this.#connection = connection
    this.#reader = connection.dataReadableStream.getReader()
    this.#writer = connection.dataWritableStream.getWriter()
    // What goes wrong while nobody writes is told by the reader.
    this.#writer.closed.catch(() => undefined)
  }

  /** The next bytes; nothing at the end. */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { value, done } = (await this.#reader?.read()) ?? { done: true }
    if (done) this.#isOver = true
    return value
  }

  /** Resolves once there is room for more. @throws EBADF after `close`, EPIPE and the connection's own */
  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const writer = this.#writer
    if (writer === undefined || this.#isClosed) throw systemError('write', 'EBADF')
    this.#hasWritten = true
    writer.write(bytes).catch(() => undefined)
    try {
      await writer.ready
    } catch (error) {
      throw systemError('write', typeof (error as { code?: unknown })?.code === 'string' ? (error as Error) : 'EPIPE')
    }
  }

  /** Ends the writing half; as with the system's own sockets it is done once the end is on the way. */
  end(): void {
    this.#ending = this.#writer?.close().catch(() => undefined)
  }

  setNoDelay(on: boolean): number {
    return this.#set({ noDelay: on })
  }

  setKeepAlive(on: boolean, seconds: number): number {
    return this.#set({ keepAlive: on, keepAliveInitialDelay: seconds * 1000 })
  }

  #set(option: TcpSocketOption): number {
    this.#connection?.setOption(option).catch(() => undefined)
    return 0
  }

  /** A page lives as long as its window: what holds a process open has no meaning. */
  ref(): void {}
  unref(): void {}
  hasRef(): boolean {
    return !this.#isClosed
  }

  /** Lets the connection go, after what was written before. */
  close(done?: () => void): void {
    this.#leave(connection => this.#let(connection))
    if (typeof done === 'function') setTimeout(done)
  }

  /** Lets the connection go with a reset (RST). */
  reset(): void {
    this.#leave(connection => connection.resetAndDestroy())
  }

  #leave(how: (connection: TcpSocketResult) => Promise<void>): void {
    const connection = this.#connection
    this.#isClosed = true
    this.#connection = undefined
    if (connection === undefined) return
    how(connection)
      .then(() => this.#reader?.cancel())
      .catch(() => undefined)
  }

  async #let(connection: TcpSocketResult): Promise<void> {
    if (this.#isOver && this.#ending !== undefined) return
    // A peer that takes nothing does not keep what is given up.
    const late = Promise.withResolvers<'late'>()
    const timer = setTimeout(late.resolve, linger, 'late')
    const left = await Promise.race([this.#ending ?? this.#writer?.ready.catch(() => undefined), late.promise])
    clearTimeout(timer)
    await (this.#hasWritten && left !== 'late' ? connection.destroySoon() : connection.destroy())
  }
}
