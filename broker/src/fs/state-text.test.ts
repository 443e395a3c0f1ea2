import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sealedAgain, stateIn, stateText } from './state-text.ts'

const state = { version: 5, epoch: 1, sealedAt: 1_790_000_000_000 }

test('a state is read from its text; any other text is another state', () => {
  assert.deepEqual(stateIn(stateText(state)), state)
  for (const text of ['', '5', '0.1.1', '5.0.1', '5.1.', '5.1.1.1', '5.1.-1', '05.1.1', '1e3.1.1', '9'.repeat(30)])
    assert.throws(() => stateIn(text), { code: 'conflict' }, text)
})

test('only what has a later version and epoch and the same time was sealed again', () => {
  assert.ok(sealedAgain(state, { ...state, version: 9, epoch: 3 }))
  for (const now of [
    state,
    { ...state, version: 6 },
    { ...state, epoch: 2 },
    { version: 6, epoch: 2, sealedAt: state.sealedAt + 1 },
    { ...state, version: 4, epoch: 2 },
  ])
    assert.ok(!sealedAgain(state, now))
})
