import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watch } from './heartbeat.ts'

function watched() {
  let now = 0
  let due: (() => void) | undefined
  const clock = {
    now: () => now,
    after: (_milliseconds: number, task: () => void) => {
      due = task
      return () => {
        due = undefined
      }
    },
  }
  const state = { busy: true, gone: false, heard: false, pings: 0, ended: '' }
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const end = (reason: string) => {
    state.ended = reason
    resolve()
  }
  const heart = { closed, busy: () => state.busy, gone: () => state.gone, heard: () => state.heard, ping: () => void state.pings++, end }
  watch(heart, { every: 1000, patience: 3000, clock })
  const pass = (looks: number) => {
    for (let look = 0; look < looks; look++) {
      now += 1000
      due?.()
    }
  }
  const freeze = (milliseconds: number) => {
    now += milliseconds
  }
  return { state, closed, pass, freeze, waits: () => due !== undefined }
}

test('an idle peer is never asked', () => {
  const { state, pass } = watched()
  state.busy = false
  pass(100)
  assert.deepEqual([state.pings, state.ended], [0, ''])
})

test('a silent peer is asked while something is open, and dead after the patience', () => {
  const { state, pass } = watched()
  pass(3)
  assert.deepEqual([state.pings, state.ended], [3, ''])
  pass(1)
  assert.equal(state.ended, 'timeout')
})

test('any message is a sign of life', () => {
  const { state, pass } = watched()
  pass(3)
  state.heard = true
  pass(1)
  state.heard = false
  pass(3)
  assert.equal(state.ended, '')
})

test('silence over a pause of the page does not count', () => {
  const { state, pass, freeze } = watched()
  pass(3)
  freeze(3_600_000)
  pass(1)
  assert.equal(state.ended, '')
  pass(3)
  assert.equal(state.ended, '')
})

test('a peer known to be gone needs no patience', async () => {
  const { state, closed, pass, waits } = watched()
  state.gone = true
  pass(1)
  assert.equal(state.ended, 'gone')
  await closed
  assert.equal(waits(), false)
})
