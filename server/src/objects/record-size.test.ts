import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutOf, recordBytes, recordsOf, recordsPerPart, sealedSize, sizeOfPart, sizesOf } from './record-size.ts'

const R = recordBytes

test('OBJ-8: 28 bytes for each record of 1 MiB, and one record for an empty object', () => {
  const records = (size: number): number => (sealedSize(size) - size) / 28
  assert.deepEqual([0, 1, R - 1, R, R + 1, 2 * R, 2 * R + 1, 5 * R - 3].map(records), [1, 1, 1, 1, 2, 2, 3, 5])
  assert.equal(recordsOf(5 * 2 ** 30), 5120)
})

test('the parts of an object add up to it, at every border', () => {
  for (const size of [0, 1, R - 1, R, R + 1, 8 * R - 1, 8 * R, 8 * R + 1, 16 * R, 17 * R + 5]) {
    const cut = cutOf(size, recordsPerPart(size, 8 * R))
    const sizes = sizesOf(cut)
    assert.equal(
      sizes.reduce((sum, part) => sum + part, 0),
      sealedSize(size),
      `size ${size}`,
    )
    assert.ok(
      sizes.every(part => part > 0 && part <= cut.partBytes),
      `size ${size}`,
    )
    assert.ok(
      sizes.slice(0, -1).every(part => part === 8 * (R + 28)),
      `size ${size}`,
    )
    assert.equal(sizeOfPart(cut, cut.parts), 0)
  }
})

test('huge objects get more records in a part instead of more than 9,000 parts', () => {
  const size = 100 * 2 ** 30
  const cut = cutOf(size, recordsPerPart(size, 8 * R))
  assert.equal(cut.recordsPerPart, 12)
  assert.ok(cut.parts <= 9000)
})

test('a part is never smaller than a record', () => {
  assert.equal(recordsPerPart(5, 1), 1)
})
