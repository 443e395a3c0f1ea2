import { Buffer } from 'buffer'
import { mustBeString, nodeError, portOf, unsupported, wrongType } from './errors.ts'

/** What is sent: a text, bytes, or a list of them that become one datagram. */
export type Payload = string | ArrayBufferView | readonly (string | ArrayBufferView)[]
/** Called once a datagram was handed on, or could not be. */
export type Sent = (error: Error | null, bytes?: number) => void

/** Bytes a datagram holds at most. */
export const datagramMost = 65_507

/** The arguments of `send`, in order. */
export interface Send {
  readonly data: Uint8Array<ArrayBuffer>
  readonly port: number
  readonly address: string | undefined
  readonly done: Sent | undefined
}

const isDone = (value: unknown): value is Sent => typeof value === 'function'
const bytesWords = 'of type string or an instance of Buffer, TypedArray, or DataView'

/** Brings the forms of `send` into one; a connected socket names neither port nor address. Checked in Node's order. */
export function readSend([message, ...of]: readonly unknown[], isConnected: boolean): Send {
  return isConnected ? readConnected(message, of) : readPlaced(message, of)
}

function readConnected(message: unknown, [offset, length, port, address]: readonly unknown[]): Send {
  const cut = typeof length === 'number'
  const part = cut ? partOf(message, offset, length) : message
  const to = cut && isDone(port) ? undefined : port
  if (to || address) throw nodeError('ERR_SOCKET_DGRAM_IS_CONNECTED', 'Already connected')
  const done = cut ? port : offset
  return { data: bytesOf(part), port: 0, address: undefined, done: isDone(done) ? done : undefined }
}

function readPlaced(message: unknown, of: readonly unknown[]): Send {
  const [offset, length, port, address, last] = of
  const cut = Boolean(address) || (Boolean(port) && !isDone(port))
  const data = bytesOf(cut ? partOf(message, offset, length) : message)
  const [to, host, done] = cut ? [port, address, last] : [offset, length, port]
  const checked = portOf(to, 'Port', false)
  if (isDone(host)) return { data, port: checked, address: undefined, done: host }
  if (host !== undefined && host !== null) mustBeString('address', host)
  return { data, port: checked, address: host || undefined, done: isDone(done) ? done : undefined }
}

function partOf(message: unknown, offset: unknown, length: unknown): Uint8Array {
  if (typeof message !== 'string' && !ArrayBuffer.isView(message)) throw wrongType('buffer', bytesWords, message)
  const whole = viewOf(message)
  const [start, size] = [Number(offset) >>> 0, Number(length) >>> 0]
  if (start > whole.byteLength) throw nodeError('ERR_BUFFER_OUT_OF_BOUNDS', '"offset" is outside of buffer bounds', RangeError)
  if (start + size > whole.byteLength) throw nodeError('ERR_BUFFER_OUT_OF_BOUNDS', '"length" is outside of buffer bounds', RangeError)
  return whole.subarray(start, start + size)
}

const viewOf = (part: string | ArrayBufferView): Uint8Array =>
  typeof part === 'string' ? new TextEncoder().encode(part) : new Uint8Array(part.buffer, part.byteOffset, part.byteLength)

/** A copy, which can be moved on. */
function bytesOf(message: unknown): Uint8Array<ArrayBuffer> {
  if (typeof message === 'string' || ArrayBuffer.isView(message)) return viewOf(message).slice()
  if (!Array.isArray(message)) throw wrongType('buffer', bytesWords, message)
  const parts = message.map((one: unknown) => {
    if (typeof one !== 'string' && !ArrayBuffer.isView(one)) throw wrongType('buffer list arguments', bytesWords, message)
    return viewOf(one)
  })
  return new Uint8Array(Buffer.concat(parts))
}

/** Where a UDP socket is bound. */
export interface BindOptions {
  readonly port?: number | undefined
  readonly address?: string | undefined
  readonly exclusive?: boolean | undefined
}

/** Brings the forms of `bind` into one; without an address any will do. @throws ERR_SOCKET_BAD_PORT, ENOTSUP for a descriptor */
export function readBind(of: readonly unknown[]): { readonly port: number; readonly address: string; readonly listener: (() => void) | undefined } {
  const [first, second] = of
  const last = of.at(-1)
  const given = typeof first === 'object' && first !== null ? first : undefined
  if (given !== undefined && 'fd' in given && given.fd !== undefined) throw unsupported('bind')
  const { port, address } = (given ?? { port: first, address: second }) as { readonly port?: unknown; readonly address?: unknown }
  const any = typeof address === 'function' || !address
  if (!any) mustBeString('hostname', address)
  return {
    port: port === undefined || port === null || typeof port === 'function' ? 0 : portOf(port),
    address: any ? '' : (address as string),
    listener: typeof last === 'function' ? (last as () => void) : undefined,
  }
}
