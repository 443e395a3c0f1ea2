import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRange } from './media-worker.ts'

test('a range header is read as media elements send it', () => {
  assert.deepEqual(parseRange('bytes=0-', 100), { start: 0, end: 100 })
  assert.deepEqual(parseRange('bytes=10-19', 100), { start: 10, end: 20 })
  assert.deepEqual(parseRange('bytes=90-500', 100), { start: 90, end: 100 })
  assert.deepEqual(parseRange('bytes=-30', 100), { start: 70, end: 100 })
})

test('no range, or one of another form, asks for everything', () => {
  for (const header of [null, '', 'bytes=-', 'lines=1-2', 'bytes=1-2,4-5']) assert.equal(parseRange(header, 100), undefined)
})

test('a range beyond the end cannot be satisfied', () => {
  for (const header of ['bytes=100-', 'bytes=5-4', 'bytes=-0']) assert.equal(parseRange(header, 100), null)
})
