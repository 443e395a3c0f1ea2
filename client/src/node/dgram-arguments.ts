import { Buffer } from 'buffer'
import { mustBeNumber, nodeError, portOf, wrongType } from './errors.ts'

/** What is sent: a text, bytes, or a list of them that become one datagram. */
export type Payload = string | ArrayBufferView | readonly (string | ArrayBufferView)[]
/** Called once a datagram was handed on, or could not be. */
export type Sent = (error: Error | null, bytes?: number) => void

/** Bytes a datagram holds at most. */
export const datagramMost = 65_507
/** Whether an argument is a callback. */
export const isDone = (value: unknown): value is (error?: Error) => void => typeof value === 'function'

/** The arguments of `send`, in order. */
export interface Send {
  readonly data: Uint8Array<ArrayBuffer>
  readonly port: number
  readonly address: string | undefined
  readonly done: Sent | undefined
}

/** Brings the forms of `send` into one; a connected socket names neither port nor address. */
export function readSend(of: readonly unknown[], isConnected: boolean): Send {
  const [message, ...rest] = of
  const done = rest.find(value => typeof value === 'function') as Sent | undefined
  const args = rest.filter(value => typeof value !== 'function')
  const cut = isConnected ? typeof args[0] === 'number' && typeof args[1] === 'number' : args[2] !== undefined && args[2] !== null
  const data = cut ? part(message, args[0], args[1]) : bytesOf(message)
  const [port, address] = cut ? args.slice(2) : args
  if (isConnected) {
    if (cut && (port !== undefined || address !== undefined)) throw nodeError('ERR_SOCKET_DGRAM_IS_CONNECTED', 'Already connected')
    return { data, port: 0, address: undefined, done }
  }
  const checked = portOf(port, 'Port', false)
  if (address !== undefined && address !== null && typeof address !== 'string') throw wrongType('address', 'of type string', address)
  return { data, port: checked, address: address || undefined, done }
}

function part(message: unknown, offset: unknown, length: unknown): Uint8Array<ArrayBuffer> {
  if (Array.isArray(message)) throw wrongType('buffer', 'of type string or an instance of Buffer, TypedArray, or DataView', message)
  const whole = bytesOf(message, 'buffer')
  mustBeNumber('offset', offset)
  mustBeNumber('length', length)
  if (offset >>> 0 > whole.byteLength) throw nodeError('ERR_BUFFER_OUT_OF_BOUNDS', '"offset" is outside of buffer bounds', RangeError)
  if ((offset >>> 0) + (length >>> 0) > whole.byteLength) throw nodeError('ERR_BUFFER_OUT_OF_BOUNDS', '"length" is outside of buffer bounds', RangeError)
  return whole.slice(offset >>> 0, (offset >>> 0) + (length >>> 0))
}

/** A copy, which can be moved on. */
function bytesOf(message: unknown, name = 'buffer'): Uint8Array<ArrayBuffer> {
  if (typeof message === 'string') return new TextEncoder().encode(message)
  if (ArrayBuffer.isView(message)) return new Uint8Array(message.buffer, message.byteOffset, message.byteLength).slice()
  if (Array.isArray(message)) {
    const parts = message.map(one => {
      if (typeof one !== 'string' && !ArrayBuffer.isView(one)) throw wrongType('buffer list arguments', 'of type string or an instance of Buffer', message)
      return bytesOf(one)
    })
    return new Uint8Array(Buffer.concat(parts))
  }
  throw wrongType(name, 'of type string or an instance of Buffer, TypedArray, or DataView', message)
}

/** The size of a buffer. @throws ERR_SOCKET_BAD_BUFFER_SIZE */
export function mustBeSize(size: unknown): asserts size is number {
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 0 || size > 2 ** 32 - 1) {
    throw nodeError('ERR_SOCKET_BAD_BUFFER_SIZE', 'Buffer size must be a positive integer', TypeError)
  }
}
