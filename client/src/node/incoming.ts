import { Buffer } from 'buffer'
import type { Duplex } from 'readable-stream'
import type { OnRead } from './connect-options.ts'
import { systemError } from './errors.ts'
import { TcpHandle, type SocketHandle } from './tcp-handle.ts'
import { nextTick } from './ticks.ts'

/** Bytes that are told at a time at most, as by Node's own reads. */
const readMost = 65_536

/** What arrives at a socket, read for as long as somebody wants it. */
export class Incoming {
  /** Bytes that arrived. */
  bytes = 0
  #isReading = false
  #isWanted = false
  #isOver = false
  #rest: Uint8Array | undefined
  #room: Uint8Array | undefined
  readonly #onread: OnRead | undefined
  readonly #socket: Duplex & { readonly _handle: SocketHandle | null }
  readonly #stirred: () => void

  /** `onread` counts where it has its form, as in Node; `stirred` is told of every read. */
  constructor(socket: Duplex & { readonly _handle: SocketHandle | null }, onread: unknown, stirred: () => void) {
    this.#socket = socket
    this.#stirred = stirred
    if (!isOnRead(onread)) return
    this.#onread = onread
    this.#room = typeof onread.buffer === 'function' ? onread.buffer() : onread.buffer
  }

  /** Whether what arrives goes to the app's own buffers. */
  get isElsewhere(): boolean {
    return this.#onread !== undefined
  }

  forget(): void {
    this.#rest = undefined
    this.#isOver = this.#isReading = this.#isWanted = false
    this.bytes = 0
  }

  /** More is wanted. */
  want(): void {
    this.#isWanted = true
    const { _handle: handle } = this.#socket
    if (this.#isReading || !(handle instanceof TcpHandle) || this.#isOver) return
    this.#isReading = true
    this.#take(handle).then(
      () => {
        this.#isReading = false
        // Somebody may have come to want more before this was told.
        if (this.#isWanted && !this.#socket.destroyed) this.want()
      },
      (error: unknown) => {
        this.#isReading = false
        // What a listener throws is nobody's to catch.
        nextTick(() => {
          throw error
        })
        this.#socket.read(0)
      },
    )
  }

  /** Nothing more is wanted for now. */
  stop(): void {
    this.#isWanted = false
  }

  /** @throws what those who are told throw */
  async #take(handle: TcpHandle): Promise<void> {
    const socket = this.#socket
    while (this.#isWanted && !socket.destroyed) {
      const bytes = this.#rest ?? (await handle.read().catch((error: unknown) => systemError('read', error as Error)))
      if (socket.destroyed || handle !== socket._handle) return
      if (bytes instanceof Error) return void socket.destroy(bytes)
      this.#stirred()
      if (bytes === undefined) {
        this.#isOver = true
        socket.push(null)
        socket.read(0)
        return
      }
      if (this.#rest === undefined) this.bytes += bytes.byteLength
      if (this.#onread !== undefined) this.#rest = this.#give(this.#onread, bytes)
      else {
        this.#rest = bytes.byteLength > readMost ? bytes.subarray(readMost) : undefined
        this.#isWanted = socket.push(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, readMost)))
      }
    }
  }

  /** Puts bytes where the app wants them; what it has no more wish for is answered. */
  #give({ buffer, callback }: OnRead, bytes: Uint8Array): Uint8Array | undefined {
    let at = 0
    while (at < bytes.byteLength && this.#isWanted && !this.#socket.destroyed) {
      const room = this.#room as Uint8Array
      const piece = bytes.subarray(at, at + room.byteLength)
      room.set(piece)
      at += piece.byteLength
      if (Reflect.apply(callback, this.#socket, [piece.byteLength, room]) === false) this.#isWanted = false
      const next = typeof buffer === 'function' ? buffer() : room
      if (next instanceof Uint8Array) this.#room = next
    }
    return at < bytes.byteLength ? bytes.subarray(at) : undefined
  }
}

const isOnRead = (value: unknown): value is OnRead => {
  if (typeof value !== 'object' || value === null) return false
  const { buffer, callback } = value as Record<string, unknown>
  return typeof callback === 'function' && (buffer instanceof Uint8Array || typeof buffer === 'function')
}
