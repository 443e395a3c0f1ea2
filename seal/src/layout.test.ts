import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OVERHEAD, plainLength, RECORD_BYTES, recordCount, recordRange, recordsPerPart, sealedLength } from './index.ts'

const SEALED = RECORD_BYTES + OVERHEAD
const anySize = fc.oneof(
  fc.integer({ min: 0, max: 3 * RECORD_BYTES }),
  fc.maxSafeInteger().map(value => Math.abs(value) % (2 ** 52 + 1)),
  fc.tuple(fc.integer({ min: 0, max: 2 ** 32 - 2 }), fc.integer({ min: -40, max: 40 })).map(([records, off]) => Math.max(0, records * RECORD_BYTES + off)),
)

test('OBJ-8: records hold 1 MiB and cost 28 bytes each; an empty object is one record', () => {
  assert.equal(RECORD_BYTES, 1024 * 1024)
  assert.equal(OVERHEAD, 28)
  assert.deepEqual([0, 1, RECORD_BYTES - 1, RECORD_BYTES, RECORD_BYTES + 1, 5 * RECORD_BYTES - 3].map(recordCount), [1, 1, 1, 1, 2, 5])
  assert.equal(sealedLength(0), 28)
  assert.equal(sealedLength(RECORD_BYTES), RECORD_BYTES + 28)
  assert.equal(sealedLength(RECORD_BYTES + 1), RECORD_BYTES + 1 + 56)
})

test('OBJ-8: the sealed length tells the size', () => {
  fc.assert(fc.property(anySize, size => assert.equal(plainLength(sealedLength(size)), size)))
})

test('a length no object has is refused', () => {
  const impossible = [0, 1, 27, SEALED + 1, SEALED + 28, 2 * SEALED + 1, 2 * SEALED + 28, -28, 28.5, NaN, Infinity, 2 ** 53, sealedLength(2 ** 52) + 29]
  for (const length of impossible) assert.throws(() => plainLength(length), { code: 'integrity' }, String(length))
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 2 }), fc.integer({ min: 1, max: 28 }), (records, extra) => {
      assert.throws(() => plainLength(records * SEALED + extra - (records === 0 ? 1 : 0)), { code: 'integrity' })
    }),
  )
})

test('a size that is no whole number of bytes, or past 2^32 records, is refused', () => {
  assert.equal(recordCount(2 ** 52), 2 ** 32)
  for (const size of [-1, 0.5, NaN, Infinity, 2 ** 52 + 1, '5' as unknown as number])
    assert.throws(() => sealedLength(size), { code: 'invalid-size' }, String(size))
})

test('OBJ-10: a range needs the whole records it lies in and no other', () => {
  const size = 3 * RECORD_BYTES + 5
  assert.deepEqual(recordRange(size, 0, 1), { first: 0, end: 1, sealedStart: 0, sealedEnd: SEALED })
  assert.deepEqual(recordRange(size, RECORD_BYTES - 1, RECORD_BYTES + 1), { first: 0, end: 2, sealedStart: 0, sealedEnd: 2 * SEALED })
  assert.deepEqual(recordRange(size, RECORD_BYTES, 2 * RECORD_BYTES), { first: 1, end: 2, sealedStart: SEALED, sealedEnd: 2 * SEALED })
  assert.deepEqual(recordRange(size, size - 1, size), { first: 3, end: 4, sealedStart: 3 * SEALED, sealedEnd: sealedLength(size) })
  assert.deepEqual(recordRange(size, 7, 7), { first: 0, end: 0, sealedStart: 0, sealedEnd: 0 })
  assert.deepEqual(recordRange(0, 0, 0), { first: 0, end: 0, sealedStart: 0, sealedEnd: 0 })
})

test('the records of any range cover it, and no fewer would', () => {
  const range = anySize.chain(size => fc.tuple(fc.constant(size), fc.maxSafeInteger(), fc.maxSafeInteger()))
  fc.assert(
    fc.property(range, ([size, one, other]) => {
      const [start, end] = [Math.abs(one) % (size + 1), Math.abs(other) % (size + 1)].toSorted((a, b) => a - b) as [number, number]
      const records = recordRange(size, start, end)
      if (start === end) return assert.equal(records.end, records.first)
      assert.ok(records.first * RECORD_BYTES <= start && (records.first + 1) * RECORD_BYTES > start)
      assert.ok(records.end * RECORD_BYTES >= end && (records.end - 1) * RECORD_BYTES < end)
      assert.equal(records.sealedStart, records.first * SEALED)
      assert.equal(records.sealedEnd, Math.min(records.end * SEALED, sealedLength(size)))
    }),
  )
})

test('a range outside the object is refused', () => {
  for (const [start, end] of [
    [-1, 1],
    [2, 1],
    [0, 11],
    [11, 11],
    [0.5, 1],
    [0, NaN],
    [0, Infinity],
    ['0', 1],
  ] as [number, number][]) {
    assert.throws(() => recordRange(10, start, end), { code: 'invalid-range' }, `${start} to ${end}`)
  }
})

test('a part is 8 records until an object would need more than 9,000 parts', () => {
  assert.equal(recordsPerPart(0), 8)
  assert.equal(recordsPerPart(72_000 * RECORD_BYTES), 8)
  assert.equal(recordsPerPart(72_000 * RECORD_BYTES + 1), 9)
  assert.ok(recordCount(2 ** 52) / recordsPerPart(2 ** 52) <= 9_000)
})
