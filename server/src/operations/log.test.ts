import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeLog, placeOf } from './log.ts'

test('a line is JSON with time, level and event; what is less grave than the level is left out', () => {
  const lines: string[] = []
  const log = makeLog(
    'warn',
    line => lines.push(line),
    () => 0,
  )
  log.info('left-out')
  log.warn('slow', { ms: 300 })
  log.error('failed', { place: 'a\nb' })
  assert.deepEqual(
    lines.map(line => JSON.parse(line) as unknown),
    [
      { time: '1970-01-01T00:00:00.000Z', level: 'warn', event: 'slow', ms: 300 },
      { time: '1970-01-01T00:00:00.000Z', level: 'error', event: 'failed', place: 'a\nb' },
    ],
  )
  assert.ok(lines.every(line => line.indexOf('\n') === line.length - 1))
})

test('of an error its class and place are told, never its message', () => {
  const { error, place } = placeOf(new TypeError('the secret is hunter2\n    at hunter2'))
  assert.equal(error, 'TypeError')
  assert.match(place ?? '', /log\.test/)
  assert.ok(!(place ?? '').includes('hunter2'))
})
