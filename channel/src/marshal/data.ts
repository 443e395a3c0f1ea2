import { bodyOf, type Shape, type ShapeBody } from '@deputy/contract/shape'
import { parse, ShapeError, type ReadReference } from '@deputy/contract/validate'
import { partsOf } from './parts.ts'
import type { Codec, Compile, Context } from './context.ts'

/** Leaves that cross exactly as they are; urls are not cloned and buffers move, so they are not among them. */
const PLAIN: ReadonlySet<ShapeBody['kind']> = new Set(['nothing', 'boolean', 'opaque', 'number', 'string', 'oneOf', 'blob'])

/** Whether values cross exactly as they are, through and through. */
export function isPlain(shape: Shape): boolean {
  const body = bodyOf(shape)
  const parts = partsOf(body)
  return parts === undefined ? PLAIN.has(body.kind) : parts.every(isPlain)
}

const read = (shape: Shape, value: unknown, path: string, reference?: ReadReference): unknown => parse(shape, value, path, reference)

/** Plain data: checked and rebuilt on both sides. */
export const plain = (shape: Shape): Codec => ({
  encode: (value, _context, path) => read(shape, value, path),
  decode: (wire, _context, path) => read(shape, wire, path),
})

/** A url crosses as its text. */
export const url = (shape: Shape): Codec => ({
  encode: (value, _context, path) => (parse(shape, value, path) as URL).href,
  decode: (wire, _context, path) => read(shape, wire, path),
})

/** Moves a buffer once, also when the message holds it twice. */
export function move(buffer: ArrayBuffer, context: Context): void {
  if (!context.transfer.includes(buffer)) context.transfer.push(buffer)
}

/** A view of its whole buffer as it is, a view of a part or of shared memory as a copy. */
export const whole = (view: Uint8Array): Uint8Array<ArrayBuffer> =>
  view.buffer instanceof ArrayBuffer && view.byteLength === view.buffer.byteLength ? (view as Uint8Array<ArrayBuffer>) : new Uint8Array(view)

/** Bytes: a whole buffer is moved, a part is copied. */
export const bytes = (shape: Shape): Codec => ({
  encode: (value, context, path) => {
    const view = whole(parse(shape, value, path) as Uint8Array)
    move(view.buffer, context)
    return view
  },
  decode: (wire, _context, path) => whole(parse(shape, wire, path) as Uint8Array),
})

/** A buffer, moved. */
export const buffer = (shape: Shape): Codec => ({
  encode: (value, context, path) => {
    move(parse(shape, value, path) as ArrayBuffer, context)
    return value
  },
  decode: (wire, _context, path) => read(shape, wire, path),
})

/** A message port, moved. */
export const port: Codec = {
  encode: (value, context, path) => {
    if (!(value instanceof MessagePort)) throw new ShapeError(path, 'a MessagePort')
    context.transfer.push(value)
    return value
  },
  decode: (wire, _context, path) => {
    if (!(wire instanceof MessagePort)) throw new ShapeError(path, 'a MessagePort')
    return wire
  },
}

/** An object, list, dictionary or optional place around what does not cross as it is. */
export const around = (shape: Shape, compile: Compile): Codec => ({
  encode: (value, context, path) => read(shape, value, path, (of, part, at) => compile(of).encode(part, context, at)),
  decode: (wire, context, path) => read(shape, wire, path, (of, part, at) => compile(of).decode(part, context, at)),
})

/** One of several shapes; the number of the branch crosses, so that it is never guessed from what the peer sent. */
export function either(branches: readonly Codec[]): Codec {
  return {
    encode: (value, context, path) => {
      const { minted, transfer } = { minted: context.references.minted.length, transfer: context.transfer.length }
      const expected: string[] = []
      for (const [index, branch] of branches.entries()) {
        try {
          return [index, branch.encode(value, context, path)]
        } catch (error) {
          if (!(error instanceof ShapeError)) throw error
          expected.push(error.message)
          for (const reference of context.references.minted.splice(minted)) reference.drop()
          context.transfer.length = transfer
        }
      }
      throw new ShapeError(path, `one of these: ${expected.join('; ')}`)
    },
    decode: (wire, context, path) => {
      const [index, value] = Array.isArray(wire) ? (wire as unknown[]) : []
      const branch = typeof index === 'number' ? branches[index] : undefined
      if (branch === undefined) throw new ShapeError(path, `one of ${branches.length} branches`)
      return branch.decode(value, context, path)
    },
  }
}
