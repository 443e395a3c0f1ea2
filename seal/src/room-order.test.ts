import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seenFrames } from './index.ts'

const replayed = { name: 'SealError', code: 'replayed' }
const [ada, eve] = ['A'.repeat(22), 'E'.repeat(22)]
const place = (seq: number, counter: number, revision = 0, from = ada) => ({ seq, from, counter, revision })

test('messages in the order they were sent are taken, and what never arrived is counted', () => {
  const seen = seenFrames()
  seen.begin(ada)
  assert.deepEqual(
    [place(1, 1), place(2, 1, 0, eve), place(3, 2), place(5, 6), place(6, 2, 0, eve)].map(at => seen.live(at)),
    [0, 0, 0, 3, 0],
  )
})

test('a repeated message is refused, at its place and at any other', () => {
  const seen = seenFrames()
  seen.live(place(1, 1))
  seen.live(place(2, 2))
  for (const again of [place(2, 2), place(3, 2), place(3, 1), place(1, 1), place(2, 3)]) assert.throws(() => seen.live(again), replayed)
  seen.begin(ada)
  assert.throws(() => seen.live(place(3, 1)), replayed, 'also when the member is told of again')
  assert.equal(seen.live(place(3, 3)), 0)
})

test('messages whose order was changed are refused', () => {
  const seen = seenFrames()
  seen.live(place(1, 2))
  assert.throws(() => seen.live(place(2, 1)), replayed)
  seen.stored(place(0, 1))
  const pages = seenFrames()
  pages.stored(place(1, 2))
  assert.throws(() => pages.stored(place(2, 1)), replayed)
  assert.throws(() => pages.live(place(3, 1)), replayed)
})

test('the mailbox may be read again, but says the same', () => {
  const seen = seenFrames()
  for (const at of [place(1, 1), place(2, 2), place(4, 3)]) seen.live(at)
  for (const at of [place(1, 1), place(2, 2, 1), place(4, 3)]) seen.stored(at)
  assert.throws(() => seen.stored(place(2, 2)), replayed, 'an older revision')
  assert.throws(() => seen.stored(place(2, 3)), replayed, 'another message')
  assert.throws(() => seen.stored(place(2, 2, 1, eve)), replayed, 'another sender')
  assert.throws(() => seen.stored(place(3, 3)), replayed, 'a message elsewhere')
})

test('an edit is taken once, at its message, and missing ones are counted', () => {
  const seen = seenFrames()
  seen.live(place(1, 1))
  seen.live(place(2, 2))
  assert.equal(seen.edited(place(1, 1, 1)), 0)
  assert.throws(() => seen.edited(place(1, 1, 1)), replayed)
  assert.throws(() => seen.edited(place(2, 1, 2)), replayed, 'moved')
  assert.equal(seen.edited(place(1, 1, 4)), 2)
  assert.throws(() => seen.edited(place(1, 1, 3)), replayed)
  assert.deepEqual(seen.at(1), place(1, 1, 4))
})

test('whatever a server makes of an honest history, nothing is taken twice and each sender’s order stands', () => {
  const event = fc.record({ seq: fc.integer({ min: 0, max: 12 }), counter: fc.integer({ min: 1, max: 12 }), from: fc.constantFrom(ada, eve) })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), events => {
      const seen = seenFrames()
      const taken = events.filter(at => {
        try {
          seen.live({ ...at, revision: 0 })
          return true
        } catch {
          return false
        }
      })
      for (const from of [ada, eve]) {
        const own = taken.filter(at => at.from === from)
        assert.deepEqual(
          own,
          own.toSorted((a, b) => a.seq - b.seq || a.counter - b.counter),
        )
        assert.equal(new Set(own.map(at => at.counter)).size, own.length)
      }
      assert.equal(new Set(taken.map(at => at.seq)).size, taken.length)
    }),
  )
})
