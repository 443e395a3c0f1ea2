import { joinedBytes } from '../joined-bytes.ts'
import { FsError } from './errors.ts'

/** How text stands for bytes. */
export type Encoding = 'utf8' | 'utf-8' | 'latin1' | 'binary' | 'ascii' | 'hex' | 'base64' | 'base64url' | 'utf16le' | 'ucs2' | 'ucs-2' | 'utf-16le'
/** What can be written: text, bytes, a blob, or bytes and text as they come. */
export type Data =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<string | Uint8Array>
  | Iterable<string | Uint8Array>

const binary = (bytes: Uint8Array): string => {
  let text = ''
  for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return text
}
const fromBinary = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, character => character.charCodeAt(0) & 255)
const encoded = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** Bytes as text. */
export function decode(bytes: Uint8Array, encoding: Encoding): string {
  switch (encoding) {
    case 'utf8':
    case 'utf-8':
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    case 'utf16le':
    case 'utf-16le':
    case 'ucs2':
    case 'ucs-2':
      return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(bytes)
    case 'latin1':
    case 'binary':
      return binary(bytes)
    case 'ascii':
      return binary(bytes.map(byte => byte & 127))
    case 'hex':
      return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
    case 'base64':
      return btoa(binary(bytes))
    case 'base64url':
      return btoa(binary(bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
    default:
      throw new TypeError(`fs: unknown encoding ${String(encoding)}`)
  }
}

/** Text as bytes. */
export function encode(text: string, encoding: Encoding = 'utf8'): Uint8Array<ArrayBuffer> {
  switch (encoding) {
    case 'utf8':
    case 'utf-8':
      return encoded(text)
    case 'utf16le':
    case 'utf-16le':
    case 'ucs2':
    case 'ucs-2': {
      const bytes = new Uint8Array(text.length * 2)
      const view = new DataView(bytes.buffer)
      for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), true)
      return bytes
    }
    case 'latin1':
    case 'binary':
    case 'ascii':
      return fromBinary(text)
    case 'hex':
      return Uint8Array.from(/^(?:[\da-f]{2})*/i.exec(text)?.[0].match(/../g) ?? [], pair => parseInt(pair, 16))
    case 'base64':
    case 'base64url':
      return fromBinary(
        atob(
          text
            .replaceAll('-', '+')
            .replaceAll('_', '/')
            .replace(/[^\w+/]/g, ''),
        ),
      )
    default:
      throw new TypeError(`fs: unknown encoding ${String(encoding)}`)
  }
}

/** Everything of what is to be written, as one run of bytes; the caller's own buffer where it is one, so it is not to be changed meanwhile. */
export async function gather(data: Data, encoding?: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof data === 'string') return encode(data, encoding)
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  if (ArrayBuffer.isView(data)) {
    const { buffer, byteOffset, byteLength } = data
    if (buffer instanceof ArrayBuffer) return new Uint8Array(buffer, byteOffset, byteLength)
    return new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength))
  }
  if (typeof data !== 'object' || data === null) throw new TypeError('fs: what is written is text, bytes, a Blob or a stream of them')
  if (data instanceof Blob) return new Uint8Array(await data.arrayBuffer())
  const parts: Uint8Array[] = []
  // Not every browser can iterate a stream.
  for await (const part of data instanceof ReadableStream ? partsOf(data) : data) parts.push(typeof part === 'string' ? encode(part, encoding) : part)
  return concatenated(parts)
}

async function* partsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

/** Runs of bytes behind one another. @throws {FsError} `EFBIG` past what one buffer can hold. */
export function concatenated(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = parts.reduce((sum, { length }) => sum + length, 0)
  if (size > 2 ** 31) throw new FsError('EFBIG')
  return joinedBytes(parts)
}
