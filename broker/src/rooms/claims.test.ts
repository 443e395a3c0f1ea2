import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RoomEnd } from '@deputy/contract/room-types'
import { identify } from '../app-identity.ts'
import type { ClaimsCard } from '../prompts.ts'
import { claimsOf, type ClaimAnswer } from './claims.ts'
import { refused } from './refused.ts'

const app = identify('https://chat.example')
const full = refused('tooManyClaims')
const granted: ClaimAnswer = { ok: true }

/** Claims whose cards and answers are in the test's hands. */
function stage(patience?: number) {
  const cards: { readonly ask: ClaimsCard; close(): void }[] = []
  const claims = claimsOf({
    app,
    openSettings: () => null,
    prompts: {
      claimsFull: ask =>
        new Promise(resolve => {
          cards.push({ ask, close: resolve })
          ask.signal.addEventListener('abort', () => resolve())
        }),
    },
    ...(patience === undefined ? {} : { patience }),
  })
  const claim = () => {
    const listeners = new Set<() => void>()
    const end = Promise.withResolvers<RoomEnd>()
    const asked: ((answer: ClaimAnswer) => void)[] = []
    const outcome = claims.claim(
      {
        closed: end.promise,
        whenFreed: listener => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
      () => new Promise(resolve => asked.push(resolve)),
    )
    /** Answers what is being asked, and lets what follows happen. */
    const answer = async (value: ClaimAnswer): Promise<void> => {
      asked.at(-1)?.(value)
      await settle()
    }
    const freed = (): void => listeners.forEach(listener => listener())
    return { outcome, asked, listeners, answer, freed, end: end.resolve }
  }
  return { cards, claim }
}
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('CLAIM-10: claims that wait share one card, which stays until none waits', async () => {
  const { cards, claim } = stage()
  const [first, second] = [claim(), claim()]
  await first.answer(full)
  await second.answer(full)
  assert.equal(cards.length, 1)
  for (const one of [first, second]) one.freed()
  await first.answer(granted)
  await second.answer(full)
  assert.deepEqual(await first.outcome, granted)
  assert.equal(cards[0]?.ask.signal.aborted, false)
  second.freed()
  await second.answer(granted)
  assert.deepEqual(await second.outcome, granted)
  assert.equal(cards[0]?.ask.signal.aborted, true)
  assert.deepEqual([first.listeners.size, second.listeners.size], [0, 0])
})

test('CLAIM-10: closing the card refuses all that wait; the next claim gets a card of its own', async () => {
  const { cards, claim } = stage()
  const waiting = [claim(), claim()]
  for (const one of waiting) await one.answer(full)
  cards[0]?.close()
  for (const one of waiting) assert.deepEqual(await one.outcome, full)
  const next = claim()
  await next.answer(full)
  assert.equal(cards.length, 2)
  next.end({ reason: 'unavailable' })
  assert.deepEqual(await next.outcome, refused('unavailable'))
  assert.equal(cards[1]?.ask.signal.aborted, true)
})

test('a claim that is being asked when the card is closed is answered as the service does', async () => {
  const { cards, claim } = stage()
  const waiting = claim()
  await waiting.answer(full)
  waiting.freed()
  cards[0]?.close()
  await settle()
  await waiting.answer(granted)
  assert.deepEqual(await waiting.outcome, granted)
})

test('what is freed while the claim is being asked makes it be asked once more', async () => {
  const { claim } = stage()
  const waiting = claim()
  for (let count = 0; count < 3; count += 1) waiting.freed()
  await waiting.answer(full)
  assert.equal(waiting.asked.length, 2)
  await waiting.answer(full)
  assert.equal(waiting.asked.length, 2)
  waiting.end({ reason: 'left' })
  assert.deepEqual(await waiting.outcome, refused('closed'))
})

test('a claim is asked again unasked after a while, and ends with any other refusal', async () => {
  const { cards, claim } = stage(1)
  const waiting = claim()
  await waiting.answer(full)
  while (waiting.asked.length < 2) await settle()
  await waiting.answer(refused('needsPremium'))
  assert.deepEqual(await waiting.outcome, refused('needsPremium'))
  assert.equal(cards[0]?.ask.signal.aborted, true)
})
