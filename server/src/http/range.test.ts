import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rangeCounts, weigh } from './conditions.ts'
import { readRange } from './range.ts'
import { turnstile } from './turnstile.ts'

test('OBJ-7: a single range is read as the standard says', () => {
  const cases: [string, ReturnType<typeof readRange>][] = [
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=0-99', { start: 0, end: 100 }],
    ['bytes=0-100', { start: 0, end: 100 }],
    ['bytes=10-', { start: 10, end: 100 }],
    ['bytes=99-999999999999999', { start: 99, end: 100 }],
    ['bytes=-1', { start: 99, end: 100 }],
    ['bytes=-500', { start: 0, end: 100 }],
    ['BYTES=3-4', { start: 3, end: 5 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
  ]
  for (const [header, span] of cases) assert.deepEqual(readRange(header, 100), span, header)
})

test('a range that is malformed, of another unit, or several, means the whole', () => {
  for (const header of [
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=5-4',
    'bytes=0-1,5-6',
    'items=0-1',
    'bytes=a-b',
    'bytes=0x1-2',
    'bytes=-1-2',
    'bytes=1e3-',
    'bytes=9999999999999999-',
  ])
    assert.equal(readRange(header, 100), null, header)
})

test('conditions are weighed against a strong tag', () => {
  const tag = '"a"'
  assert.equal(weigh({}, tag), 'send')
  assert.equal(weigh({ 'if-none-match': '"b", "a"' }, tag), 'unchanged')
  assert.equal(weigh({ 'if-none-match': 'W/"a"' }, tag), 'unchanged')
  assert.equal(weigh({ 'if-none-match': '*' }, tag), 'unchanged')
  assert.equal(weigh({ 'if-none-match': '"b"' }, tag), 'send')
  assert.equal(weigh({ 'if-match': '"a"' }, tag), 'send')
  assert.equal(weigh({ 'if-match': '*' }, tag), 'send')
  assert.equal(weigh({ 'if-match': 'W/"a"' }, tag), 'failed')
  assert.equal(weigh({ 'if-match': '"b"', 'if-none-match': '"a"' }, tag), 'failed')
  assert.equal(rangeCounts({}, tag), true)
  assert.equal(rangeCounts({ 'if-range': '"a"' }, tag), true)
  for (const ifRange of ['"b"', 'W/"a"', 'Sat, 21 Nov 2026 00:00:00 GMT', '*']) assert.equal(rangeCounts({ 'if-range': ifRange }, tag), false, ifRange)
})

test('a turnstile bounds everybody together and each alone, and whoever leaves twice leaves once', () => {
  const gate = turnstile({ all: 3, each: 2 })
  const first = gate.enter('a')
  assert.notEqual(gate.enter('a'), null)
  assert.equal(gate.enter('a'), null)
  assert.notEqual(gate.enter('b'), null)
  assert.equal(gate.enter('c'), null)
  first?.()
  first?.()
  assert.notEqual(gate.enter('c'), null)
  assert.equal(gate.enter('d'), null)
})
