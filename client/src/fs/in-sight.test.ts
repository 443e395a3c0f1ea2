import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CloudCalls } from './cloud-calls.ts'
import { inSight, type Asking } from './in-sight.ts'
import type { Broadcast } from './news.ts'

const request = { path: 'a', local: { size: 1, updatedAt: null }, cloud: { size: 2, updatedAt: null } }

/** Tabs that hear one another. */
function browser() {
  const heard = new Set<(told: Asking) => void>()
  const channel: Broadcast<Asking> = {
    tell: told => {
      for (const listener of [...heard]) listener(told)
    },
    listen: listener => {
      heard.add(listener)
      return () => void heard.delete(listener)
    },
  }
  return (isSeen: boolean) => {
    const cards: PromiseWithResolvers<'local' | 'cloud' | null>[] = []
    let show = (): void => {}
    let now = isSeen
    const promptConflict: CloudCalls['promptConflict'] = () => {
      const card = Promise.withResolvers<'local' | 'cloud' | null>()
      cards.push(card)
      return card.promise
    }
    const sight = {
      seen: () => now,
      onSeen: (listener: () => void) => {
        show = listener
      },
    }
    const see = (): void => {
      now = true
      show()
    }
    return { cards, see, calls: inSight({ promptConflict } as unknown as CloudCalls, channel, sight) }
  }
}
/** Until what locks and answers set off has run. */
const settled = async () => {
  await navigator.locks.request('behind those before', () => undefined)
  await new Promise(setImmediate)
}

test('a tab in sight asks by itself, once', async () => {
  const open = browser()
  const [leader, other] = [open(true), open(true)]
  const answer = leader.calls.promptConflict(request)
  await settled()
  assert.deepEqual([leader.cards.length, other.cards.length], [1, 0])
  leader.cards[0]?.resolve('local')
  assert.equal(await answer, 'local')
})

test('a tab out of sight has one in sight ask, and no second one while that card is open', async () => {
  const open = browser()
  const [leader, other, third] = [open(false), open(true), open(false)]
  const answer = leader.calls.promptConflict(request)
  await settled()
  third.see()
  leader.see()
  await settled()
  assert.deepEqual([leader.cards.length, other.cards.length, third.cards.length], [0, 1, 0])
  other.cards[0]?.resolve(null)
  assert.equal(await answer, null)
})

test('where no tab is in sight the question waits for one', async () => {
  const open = browser()
  const [leader, other] = [open(false), open(false)]
  const answer = leader.calls.promptConflict(request)
  await settled()
  assert.deepEqual([leader.cards.length, other.cards.length], [0, 0])
  other.see()
  await settled()
  other.cards[0]?.resolve('cloud')
  assert.equal(await answer, 'cloud')
})

test('what could not be asked is an error, met again later', async () => {
  const open = browser()
  const [leader, other] = [open(false), open(true)]
  const answer = leader.calls.promptConflict(request)
  await settled()
  other.cards[0]?.reject(new Error('no frame'))
  await assert.rejects(answer, { code: 'UNAVAILABLE' })
})
