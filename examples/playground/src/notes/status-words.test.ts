import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Status } from '@deputy/client/fs'
import { lineOf } from './status-words.ts'

const idle: Status = { account: 'connected', state: 'idle', pending: 0, waiting: 0, conflicts: 0, adopting: null, error: null }
const words = (change: Partial<Status>): string => lineOf({ ...idle, ...change }).words

test('what goes on by itself is quiet, what needs somebody says so and how', () => {
  assert.deepEqual(lineOf(idle), { tone: 'calm', words: 'In your account.' })
  assert.deepEqual(lineOf({ ...idle, state: 'syncing' }), { tone: 'calm', words: 'In your account.' })
  assert.deepEqual(lineOf({ ...idle, state: 'locked', pending: 2 }), {
    tone: 'care',
    words: 'Your account is locked in this browser. 2 changes wait here.',
    deed: 'unlock',
  })
  assert.equal(lineOf({ ...idle, account: 'disconnected' }).deed, 'sign-in')
  assert.equal(lineOf({ ...idle, state: 'full' }).deed, 'account')
})

test('what waits is counted', () => {
  assert.equal(words({ state: 'offline' }), 'Offline. Go on writing.')
  assert.equal(words({ state: 'offline', pending: 1 }), 'Offline. 1 change waits here.')
  assert.deepEqual(lineOf({ ...idle, account: 'unknown', pending: 1 }, false), { tone: 'wait', words: 'Offline. 1 change waits here.' })
  assert.equal(lineOf({ ...idle, account: 'disconnected' }, false).words, 'Kept in this browser alone.')
  assert.equal(words({ state: 'syncing', pending: 3 }), 'Saving 3 changes to your account…')
  assert.equal(words({ adopting: { done: 2, total: 5 } }), 'Taking notes into your account: 2 of 5')
})

test('a conflict comes before everything but signing in', () => {
  assert.match(words({ conflicts: 1, state: 'locked', pending: 1 }), /^A note differs/)
  assert.match(words({ conflicts: 2 }), /^2 notes differ/)
  assert.match(words({ conflicts: 1, account: 'disconnected' }), /^Kept in this browser/)
})
