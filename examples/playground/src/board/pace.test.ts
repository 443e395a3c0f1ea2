import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paced } from './pace-code.ts'

/** A pace whose time and answers are in the test's hand. */
function byHand() {
  const sent: object[] = []
  const waits: { readonly ms: number; readonly done: () => void }[] = []
  const answers: ((wasTaken: boolean) => void)[] = []
  const pace = paced(
    words => {
      sent.push(structuredClone(words))
      return new Promise(resolve => answers.push(resolve))
    },
    ms => new Promise(done => waits.push({ ms, done })),
  )
  const turn = () => new Promise(setImmediate)
  return {
    pace,
    sent,
    waits,
    answer: (wasTaken: boolean) => {
      answers.shift()?.(wasTaken)
      return turn()
    },
    pass: () => {
      waits.shift()?.done()
      return turn()
    },
  }
}

test('moves gather while a message is on its way, and the newest place goes with every point drawn', async () => {
  const { pace, sent, answer, pass } = byHand()
  pace.move([1, 1])
  pace.move([2, 2])
  pace.draw('a', 3, 3)
  pace.draw('a', 4, 4)
  pace.draw('b', 5, 5)
  assert.deepEqual(sent, [{ at: [1, 1] }])
  await pass()
  assert.equal(sent.length, 1, 'the answer is waited for')
  await answer(true)
  assert.deepEqual(sent[1], { at: [5, 5], pens: { a: [3, 3, 4, 4], b: [5, 5] } })
  await answer(true)
  pace.move(null)
  assert.equal(sent.length, 2, 'and so is the time')
  await pass()
  assert.deepEqual(sent[2], { at: null })
})

test('a refused message goes again after a while, before what gathered since; other words come behind moves', async () => {
  const { pace, sent, waits, answer, pass } = byHand()
  pace.draw('a', 1, 1)
  pace.say({ clear: 'mine' })
  pace.draw('a', 2, 2)
  await pass()
  await answer(false)
  assert.equal(sent.length, 1)
  assert.deepEqual(
    waits.map(({ ms }) => ms),
    [500],
  )
  await pass()
  assert.deepEqual(sent[1], sent[0])
  for (let count = 0; count < 3; count++) {
    await pass()
    await answer(true)
  }
  assert.deepEqual(sent.slice(2), [{ at: [2, 2], pens: { a: [2, 2] } }, { clear: 'mine' }])
})
