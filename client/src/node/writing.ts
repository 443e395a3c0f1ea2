import { Buffer } from 'buffer'
import type { Duplex } from 'readable-stream'
import { wrongType } from './errors.ts'
import { nextTick } from './ticks.ts'

/** What can be written, as bytes or a text. @throws ERR_INVALID_ARG_TYPE */
export function chunkOf(chunk: unknown): unknown {
  if (chunk === null || typeof chunk === 'string' || chunk instanceof Uint8Array) return chunk
  if (ArrayBuffer.isView(chunk)) return Buffer.from(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength)
  throw wrongType('chunk', 'of type string or an instance of Buffer, TypedArray, or DataView', chunk)
}

/** How a socket writes that the other end has ended and that ends by itself: `EPIPE` once it has ended as well. */
export function writeAfterEnd(this: Duplex, ...of: [chunk: unknown, encoding?: unknown, callback?: unknown]): boolean {
  if (!this.writableEnded) return Reflect.apply((Object.getPrototypeOf(this) as Duplex).write, this, of) as boolean
  const [, encoding, callback] = of
  const done = typeof encoding === 'function' ? encoding : callback
  const error = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' })
  if (typeof done === 'function') nextTick(() => (done as (error: Error) => void)(error))
  this.destroy(error)
  return false
}
