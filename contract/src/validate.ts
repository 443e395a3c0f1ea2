import { bodyOf, type Received, type Shape, type ShapeBody } from './shape.ts'

/** A value that does not have the shape the contract gives its place; `path` says where, e.g. `options.limit`. */
export class ShapeError extends TypeError {
  override readonly name = 'ShapeError'
  readonly path: string
  constructor(path: string, expected: string) {
    super(`${path === '' ? 'value' : path}: expected ${expected}`)
    this.path = path
  }
}

/**
 * Reads what does not cross a boundary as it is: references (callback, handle, stream, port, …), and with them urls, buffers
 * and alternatives, which a channel writes in its own way.
 */
export type ReadReference = (of: ShapeBody, value: unknown, path: string) => unknown

const refuseReference: ReadReference = (of, _value, path) => {
  throw new ShapeError(path, `data (a ${of.kind} cannot stand here)`)
}

/**
 * Checks a value against a shape and answers a rebuilt copy that has the shape's own members only: unknown, inherited and
 * `__proto__` keys are dropped. Reads each member once. References are refused unless `reference` reads them.
 * @throws {ShapeError} naming the path of the first value that does not fit.
 */
export function parse<S extends Shape>(of: S, value: unknown, path = '', reference: ReadReference = refuseReference): Received<S> {
  return read(bodyOf(of), value, path, reference) as Received<S>
}

/** Whether the value has the shape. */
export function fits(of: Shape, value: unknown, reference?: ReadReference): boolean {
  try {
    parse(of, value, '', reference)
    return true
  } catch (error) {
    if (error instanceof ShapeError) return false
    throw error
  }
}

/** Whether values of this shape are plain data through and through, so that they cross a boundary as they are. */
export function isData(of: Shape): boolean {
  const body = bodyOf(of)
  switch (body.kind) {
    case 'nothing':
    case 'boolean':
    case 'opaque':
    case 'url':
    case 'number':
    case 'string':
    case 'oneOf':
    case 'bytes':
    case 'buffer':
    case 'blob':
      return true
    case 'nullable':
    case 'optional':
    case 'list':
    case 'dictionary':
      return isData(body.of)
    case 'object':
      return Object.values(body.members).every(isData)
    case 'either':
      return body.branches.every(isData)
    default:
      return false
  }
}

const written: ReadonlySet<ShapeBody['kind']> = new Set(['url', 'bytes', 'buffer', 'either'])

function read(of: ShapeBody, value: unknown, path: string, reference: ReadReference): unknown {
  if (reference !== refuseReference && written.has(of.kind)) return reference(of, value, path)
  switch (of.kind) {
    case 'nothing':
      // JSON has no undefined, so null stands for it there.
      if (value === undefined || value === null) return undefined
      throw new ShapeError(path, 'nothing')
    case 'boolean':
      if (typeof value === 'boolean') return value
      throw new ShapeError(path, 'true or false')
    case 'opaque':
      return value
    case 'url':
      if (value instanceof URL) return value
      if (typeof value === 'string' && URL.canParse(value)) return new URL(value)
      throw new ShapeError(path, 'a URL')
    case 'number':
      return readNumber(of, value, path)
    case 'string':
      return readString(of, value, path)
    case 'oneOf':
      if ((of.values as readonly unknown[]).includes(value)) return value
      if (of.otherwise !== undefined && typeof value === 'string') return of.otherwise
      throw new ShapeError(path, `one of ${of.values.map(literal => JSON.stringify(literal)).join(', ')}`)
    case 'bytes':
      if (value instanceof Uint8Array && value.byteLength <= of.max) return value
      throw new ShapeError(path, `at most ${of.max} bytes`)
    case 'buffer':
      if (value instanceof ArrayBuffer && value.byteLength <= of.max) return value
      throw new ShapeError(path, `a buffer of at most ${of.max} bytes`)
    case 'blob':
      if (value instanceof Blob) return value
      throw new ShapeError(path, 'a Blob')
    case 'nullable':
      return value === null ? null : read(bodyOf(of.of), value, path, reference)
    case 'optional':
      return value === undefined ? undefined : read(bodyOf(of.of), value, path, reference)
    case 'list':
      return readList(of, value, path, reference)
    case 'dictionary':
      return readDictionary(of, value, path, reference)
    case 'object':
      return readObject(of, value, path, reference)
    case 'either':
      return readEither(of, value, path, reference)
    default:
      return reference(of, value, path)
  }
}

function readNumber(of: ShapeBody & { kind: 'number' }, value: unknown, path: string): number {
  if (typeof value === 'number') {
    if (of.nan && Number.isNaN(value)) return value
    if (value >= of.min && value <= of.max && (!of.integer || Number.isInteger(value))) return value
  }
  throw new ShapeError(path, `a ${of.integer ? 'whole ' : ''}number from ${of.min} to ${of.max}`)
}

function readString(of: ShapeBody & { kind: 'string' }, value: unknown, path: string): string {
  if (typeof value !== 'string') throw new ShapeError(path, 'text')
  if (value.length < of.min || value.length > of.max) throw new ShapeError(path, `text of ${of.min} to ${of.max} characters`)
  if (of.pattern !== undefined && !of.pattern.test(value)) throw new ShapeError(path, `text matching ${of.pattern.source}`)
  return value
}

function readList(of: ShapeBody & { kind: 'list' }, value: unknown, path: string, reference: ReadReference): unknown {
  if (!Array.isArray(value)) throw new ShapeError(path, 'a list')
  const length = value.length
  if (length < of.min || length > of.max) throw new ShapeError(path, of.min === of.max ? `a list of ${of.max}` : `a list of ${of.min} to ${of.max}`)
  // By index, because the list's own iterator may be the sender's.
  return Array.from({ length }, (_, index) => {
    const at = `${path}[${index}]`
    return read(bodyOf(of.of), own(value, index, at), at, reference)
  })
}

function readDictionary(of: ShapeBody & { kind: 'dictionary' }, value: unknown, path: string, reference: ReadReference): unknown {
  if (!isObject(value)) throw new ShapeError(path, 'an object')
  const keys = Object.keys(value).filter(key => key !== '__proto__')
  if (keys.length > of.max) throw new ShapeError(path, `an object of at most ${of.max} keys`)
  return Object.fromEntries(keys.map(key => [key, read(bodyOf(of.of), own(value, key, join(path, key)), join(path, key), reference)]))
}

function readObject(of: ShapeBody & { kind: 'object' }, value: unknown, path: string, reference: ReadReference): unknown {
  if (!isObject(value)) throw new ShapeError(path, 'an object')
  const out: Record<string, unknown> = {}
  for (const key of Object.keys(of.members)) {
    const at = join(path, key)
    const taken = read(bodyOf(of.members[key] as Shape), own(value, key, at), at, reference)
    if (taken !== undefined) out[key] = taken
  }
  return out
}

function readEither(of: ShapeBody & { kind: 'either' }, value: unknown, path: string, reference: ReadReference): unknown {
  const expected: string[] = []
  for (const branch of of.branches) {
    try {
      return read(bodyOf(branch), value, path, reference)
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error
      expected.push(error.message)
    }
  }
  throw new ShapeError(path, `one of these: ${expected.join('; ')}`)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
/** The path of a member; a key the sender made up is shown by its first characters only. */
const join = (path: string, key: string): string => {
  const name = key.length > 64 ? `${key.slice(0, 64)}…` : key
  return path === '' ? name : `${path}.${name}`
}
/** The value's own member, read once; a getter that throws leaves nothing readable there. */
function own(value: object, key: string | number, path: string): unknown {
  try {
    return Object.hasOwn(value, key) ? (value as Record<string | number, unknown>)[key] : undefined
  } catch {
    throw new ShapeError(path, 'a readable value')
  }
}
