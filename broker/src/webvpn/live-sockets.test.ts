import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveSockets } from './live-sockets.ts'

test('what passes is counted whether it is a socket’s or not, and told at most once a second', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const live = liveSockets({ askSpent: async () => false })
  let told = 0
  live.onChange(() => (told += 1))
  live.tally.sent(10)
  live.tally.received(20)
  live.tally.received(5)
  t.mock.timers.tick(1000)
  assert.equal(told, 1)
  assert.deepEqual(live.traffic(), { open: 0, sent: 10, received: 25, spentUntil: null })
})

test('a limit that is reached holds until midnight UTC, or until somebody finds room again', t => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 5, 1, 22) })
  const live = liveSockets({ askSpent: async () => true })
  let told = 0
  live.onChange(() => (told += 1))
  live.noteSpent(true)
  t.mock.timers.tick(1000)
  assert.deepEqual([live.traffic().spentUntil, told], [Date.UTC(2026, 5, 2), 1])
  live.noteSpent(true)
  t.mock.timers.tick(1000)
  assert.equal(told, 1, 'it is told once')
  live.noteSpent(false)
  assert.equal(live.traffic().spentUntil, null)
  live.noteSpent(true)
  t.mock.timers.tick(1000)
  told = 0
  t.mock.timers.tick(2 * 3_600_000)
  assert.equal(live.traffic().spentUntil, null)
  // The page is told that the day is over, on which it may look anew.
  t.mock.timers.tick(2000)
  assert.ok(told > 0)
})
