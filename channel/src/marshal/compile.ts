import { bodyOf, type Shape, type ShapeBody } from '@deputy/contract/shape'
import type { Codec, Kinds } from './context.ts'
import { around, buffer, bytes, either, isPlain, plain, port, url } from './data.ts'
import { handle } from './members.ts'
import { callback, promise, signal } from './reference.ts'

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
    case 'response':
    case 'byteSource':
    case 'byteSink':
    case 'stream':
      return late(body)
    case 'promise':
      return promise(compile(body.of))
    case 'nullable':
    case 'optional':
    case 'list':
    case 'dictionary':
    case 'object':
      return around(shape, compile)
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

const learned: Kinds = {}

/** Adds kinds of values that not every page needs; see `byteStreams` and `fetchValues`. */
export function learn(...kinds: readonly Kinds[]): void {
  Object.assign(learned, ...kinds)
}

/** A value whose codec is looked up on first use, since its kind may be learned after the contract was read. */
function late(body: ShapeBody): Codec {
  let made: Codec | undefined
  const known = (): Codec => {
    made ??= learned[body.kind]?.(body, compile)
    if (made === undefined) throw new TypeError(`${body.kind} values are not loaded here: learn() them first`)
    return made
  }
  return {
    encode: (value, context, path) => known().encode(value, context, path),
    decode: (wire, context, path) => known().decode(wire, context, path),
  }
}
