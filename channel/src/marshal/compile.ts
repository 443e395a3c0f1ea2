import { bodyOf, type Shape } from '@deputy/contract/shape'
import type { Codec } from './context.ts'
import { buffer, bytes, dictionary, either, isPlain, list, object, orEmpty, plain, port, url } from './data.ts'
import { request, response } from './fetch-values.ts'
import { handle } from './members.ts'
import { callback, promise, signal } from './reference.ts'
import { byteSink, byteSource, items } from './streams.ts'

const codecs = new WeakMap<Shape, Codec>()

/** The codec of a shape, made once. */
export function compile(shape: Shape): Codec {
  let codec = codecs.get(shape)
  if (codec === undefined) {
    codec = isPlain(shape) ? plain(shape) : make(shape)
    codecs.set(shape, codec)
  }
  return codec
}

function make(shape: Shape): Codec {
  const body = bodyOf(shape)
  switch (body.kind) {
    case 'url':
      return url(shape)
    case 'bytes':
      return bytes(shape)
    case 'buffer':
      return buffer(shape)
    case 'port':
      return port
    case 'signal':
      return signal
    case 'request':
      return request
    case 'response':
      return response
    case 'byteSource':
      return byteSource
    case 'byteSink':
      return byteSink
    case 'stream':
      return items(compile(body.of))
    case 'promise':
      return promise(compile(body.of))
    case 'nullable':
      return orEmpty(compile(body.of), null)
    case 'optional':
      return orEmpty(compile(body.of), undefined)
    case 'list':
      return list(compile(body.of), body.min, body.max)
    case 'dictionary':
      return dictionary(compile(body.of), body.max)
    case 'object':
      return object(body.members, compile)
    case 'either':
      return either(body.branches.map(compile))
    case 'callback':
      return callback(body.args, body.result, compile)
    case 'handle':
      return handle(body.members, compile)
    default:
      return plain(shape)
  }
}
