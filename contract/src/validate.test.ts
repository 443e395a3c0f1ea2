import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  blob,
  boolean,
  buffer,
  bodyOf,
  byteSource,
  bytes,
  callback,
  dictionary,
  either,
  handle,
  integer,
  list,
  nothing,
  nullable,
  number,
  object,
  oneOf,
  opaque,
  optional,
  promise,
  string,
  tuple,
  unchecked,
  url,
  type Shape,
} from './shape.ts'
import { fits, isData, parse, ShapeError } from './validate.ts'

const refusedAt = (of: Shape, value: unknown, path: string): void => {
  assert.throws(
    () => parse(of, value),
    (error: unknown) => error instanceof ShapeError && error.path === path && error.message.startsWith(path === '' ? 'value: ' : `${path}: `),
  )
}

const profile = object({
  name: string({ max: 8 }),
  tags: optional(list(string({ max: 4 }), { max: 3 })),
  deep: nullable(object({ level: integer({ max: 9 }) })),
})

test('a fitting value comes back rebuilt, with the members of the shape only', () => {
  const given = { name: 'ada', tags: ['a', 'b'], deep: { level: 3, extra: 1 }, more: true }
  const taken = parse(profile, given)
  assert.deepEqual(taken, { name: 'ada', tags: ['a', 'b'], deep: { level: 3 } })
  assert.notEqual(taken.tags, given.tags)
  assert.deepEqual(parse(profile, { name: 'ada', deep: null, tags: undefined }), { name: 'ada', deep: null })
})

test('the error names the place', () => {
  refusedAt(profile, null, '')
  refusedAt(profile, [], '')
  refusedAt(profile, {}, 'name')
  refusedAt(profile, { name: 'longer than eight', deep: null }, 'name')
  refusedAt(profile, { name: 'ada', deep: { level: 10 } }, 'deep.level')
  refusedAt(profile, { name: 'ada', tags: ['a', 5], deep: null }, 'tags[1]')
  refusedAt(dictionary(integer()), { a: 1, b: 'x' }, 'b')
})

test('a key the sender made up cannot blow the error up', () => {
  const key = 'k'.repeat(1_000_000)
  assert.throws(
    () => parse(dictionary(integer()), { [key]: 'x' }),
    (error: unknown) => error instanceof ShapeError && error.message.length < 200,
  )
})

test('inherited members do not count, and nothing reaches a prototype', () => {
  const inherited = Object.create({ name: 'ada', deep: null }) as object
  refusedAt(profile, inherited, 'name')
  const hostile = JSON.parse('{"name":"ada","deep":null,"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}') as unknown
  const taken = parse(profile, hostile)
  assert.deepEqual(Object.keys(taken), ['name', 'deep'])
  assert.equal(Object.getPrototypeOf(taken), Object.prototype)
  const named = parse(dictionary(opaque), JSON.parse('{"__proto__":{"admin":true},"a":1}'))
  assert.deepEqual(Object.keys(named), ['a'])
  assert.equal((named as { admin?: unknown }).admin, undefined)
  assert.equal(({} as { admin?: unknown }).admin, undefined)
})

test('a dictionary keeps awkward names as own members', () => {
  const taken = parse(dictionary(integer()), { constructor: 1, toString: 2, hasOwnProperty: 3 })
  assert.deepEqual(Object.entries(taken), [
    ['constructor', 1],
    ['toString', 2],
    ['hasOwnProperty', 3],
  ])
})

test('numbers are finite and whole where the shape says so', () => {
  for (const value of [NaN, Infinity, -Infinity, '1', 1n, null]) assert.equal(fits(number(), value), false, String(value))
  for (const value of [-1, 0.5, 2 ** 53, NaN]) assert.equal(fits(integer(), value), false, String(value))
  assert.equal(parse(number({ max: Infinity }), Infinity), Infinity)
  assert.ok(Number.isNaN(parse(number({ nan: true }), NaN)))
  assert.equal(fits(number({ nan: true }), Infinity), false)
  assert.equal(parse(integer({ min: -2 }), -2), -2)
})

test('text is bounded and matched', () => {
  assert.equal(fits(string(), 'x'.repeat(8192)), true)
  assert.equal(fits(string(), 'x'.repeat(8193)), false)
  assert.equal(fits(string({ pattern: /^a+$/ }), 'aab'), false)
  assert.equal(fits(string(), new String('boxed')), false)
})

test('lists are bounded before they are read, and read by index', () => {
  refusedAt(list(opaque, { max: 3 }), [1, 2, 3, 4], '')
  refusedAt(list(opaque), { length: 1, 0: 'x' }, '')
  const huge: unknown[] = []
  huge.length = 2 ** 32 - 1
  refusedAt(list(nothing), huge, '')
  const endless: unknown[] = [1, 2]
  endless[Symbol.iterator] = function* () {
    for (;;) yield 0
  }
  assert.deepEqual(parse(list(integer()), endless), [1, 2])
  refusedAt(tuple(number(), 2), [1], '')
  refusedAt(tuple(number(), 2), [1, 2, 3], '')
  assert.deepEqual(parse(tuple(number(), 2), [1, 2]), [1, 2])
})

test('a member is read once, and one that throws is refused where it stands', () => {
  let reads = 0
  const counted = {
    get name() {
      reads += 1
      return reads === 1 ? 'ada' : 5
    },
    deep: null,
  }
  assert.deepEqual(parse(profile, counted), { name: 'ada', deep: null })
  assert.equal(reads, 1)
  const throwing = {
    name: 'ada',
    get deep(): never {
      throw new Error('secret')
    },
  }
  refusedAt(profile, throwing, 'deep')
})

test('a cycle ends where the shape does', () => {
  const cyclic: Record<string, unknown> = { name: 'ada', deep: null }
  cyclic.self = cyclic
  assert.deepEqual(parse(profile, cyclic), { name: 'ada', deep: null })
  cyclic.deep = cyclic
  refusedAt(profile, cyclic, 'deep.level')
})

test('a value nested deeper than any stack is judged by the shape alone', () => {
  let nested: unknown = 1
  for (let depth = 0; depth < 100_000; depth += 1) nested = { deep: nested }
  refusedAt(profile, { name: 'ada', deep: nested }, 'deep.level')
  assert.equal(parse(opaque, nested), nested)
})

test('alternatives are tried in order, and the error tells of each', () => {
  const row = either(object({ kind: oneOf('a'), x: integer() }), object({ kind: oneOf('b'), y: string() }))
  assert.deepEqual(parse(row, { kind: 'b', y: 'z', x: 1 }), { kind: 'b', y: 'z' })
  assert.throws(() => parse(row, { kind: 'c' }), /value: expected one of these: kind: .*; kind: /)
  assert.equal(fits(either(), 1), false)
})

test('nothing is undefined, or the null of JSON', () => {
  assert.equal(parse(nothing, undefined), undefined)
  assert.equal(parse(nothing, null), undefined)
  refusedAt(nothing, 0, '')
})

test('bytes, buffers, blobs and urls are taken as what they are', () => {
  const part = new Uint8Array(4)
  assert.equal(parse(bytes({ max: 4 }), part), part)
  assert.equal(fits(bytes({ max: 3 }), part), false)
  assert.equal(fits(bytes(), Buffer.from('x').buffer), false)
  assert.equal(parse(buffer(), part.buffer), part.buffer)
  assert.equal(fits(blob, new Blob(['x'])), true)
  assert.equal(fits(blob, { size: 1, type: '' }), false)
  assert.equal(parse(url, 'https://example.org/a').href, 'https://example.org/a')
  refusedAt(url, 'no url', '')
})

test('what the receiver checks itself passes as it is', () => {
  const strange = { toString: 5 }
  assert.equal(parse(unchecked(number()), strange), strange)
  assert.equal(bodyOf(unchecked(number())).kind, 'opaque')
})

test('references are refused unless somebody reads them', () => {
  const run = () => {}
  refusedAt(object({ run: callback([]) }), { run }, 'run')
  refusedAt(list(byteSource), [new ReadableStream()], '[0]')
  const seen: string[] = []
  const taken = parse(object({ run: callback([]), end: optional(promise(nothing)) }), { run }, 'args[0]', (of, value, path) => {
    seen.push(`${of.kind} ${path}`)
    return value
  })
  assert.equal(taken.run, run)
  assert.deepEqual(seen, ['callback args[0].run'])
})

test('a shape knows whether it is data through and through', () => {
  assert.equal(isData(profile), true)
  assert.equal(isData(object({ a: optional(list(either(nullable(blob), dictionary(tuple(number(), 2))))) })), true)
  for (const reference of [callback([]), byteSource, handle({}), promise(nothing)]) {
    assert.equal(isData(reference), false)
    assert.equal(isData(object({ a: list(either(string(), reference)) })), false)
  }
})

/** A shape together with values that fit it. */
interface Sample {
  readonly of: Shape
  readonly value: fc.Arbitrary<unknown>
}
const sample = (depth: number): fc.Arbitrary<Sample> => {
  const leaf: fc.Arbitrary<Sample> = fc.constantFrom<Sample>(
    { of: boolean, value: fc.boolean() },
    { of: number(), value: fc.double({ noNaN: true, noDefaultInfinity: true }) },
    { of: integer({ max: 1000 }), value: fc.nat(1000) },
    { of: string(), value: fc.string() },
    { of: oneOf('a', 1, false), value: fc.constantFrom('a', 1, false) },
    { of: bytes(), value: fc.uint8Array() },
    { of: opaque, value: fc.anything().filter(value => value !== undefined) },
  )
  if (depth === 0) return leaf
  const inner = sample(depth - 1)
  return fc.oneof(
    leaf,
    inner.map(({ of, value }) => ({ of: nullable(of), value: fc.oneof(fc.constant(null), value) })),
    inner.map(({ of, value }) => ({ of: list(of), value: fc.array(value, { maxLength: 4 }) })),
    inner.map(({ of, value }) => ({
      of: dictionary(of),
      value: fc.dictionary(
        fc.string().filter(key => key !== '__proto__'),
        value,
        { maxKeys: 4, noNullPrototype: true },
      ),
    })),
    fc
      .dictionary(
        fc.string().filter(key => key !== '__proto__'),
        inner,
        { maxKeys: 4, noNullPrototype: true },
      )
      .map(members => ({
        of: object(Object.fromEntries(Object.entries(members).map(([key, { of }]) => [key, optional(of)]))),
        value: fc.record(Object.fromEntries(Object.entries(members).map(([key, { value }]) => [key, value])), { requiredKeys: [], noNullPrototype: true }),
      })),
  )
}

test('any value of any shape is taken as it is', () => {
  const pair = sample(3).chain(({ of, value }) => fc.tuple(fc.constant(of), value))
  fc.assert(
    fc.property(pair, ([of, value]) => assert.deepEqual(parse(of, value), value)),
    { numRuns: 500 },
  )
})

test('no value makes a parser do anything but answer or refuse', () => {
  const junk = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  })
  fc.assert(
    fc.property(sample(3), junk, ({ of }, value) => {
      try {
        const taken: unknown = parse(of, value)
        assert.deepEqual(parse(of, taken), taken)
      } catch (error) {
        if (!(error instanceof ShapeError)) throw error
      }
    }),
    { numRuns: 1000 },
  )
})
