import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appKeysOf, enrolKeys } from '@deputy/seal'
import { memoryStore } from '../store/memory.ts'
import type { KeyedActor } from './acting.ts'
import type { FileRow } from './entries.ts'
import { refusal } from './refused.ts'
import { resealingWith, type ResealingNeeds } from './resealing.ts'

const id = 'web:https://app.example'
const passkey = { kind: 'passkey', credential: 'one', prf: new Uint8Array(32) } as const
const keysAt = async (account: string, epoch: number) =>
  appKeysOf(await (await enrolKeys({ account, unlockers: [{ secret: passkey, name: '' }], now: 1, epoch })).keys.held(), id)
const rowOf = (name: string, epoch: number, size = 100): FileRow => ({ name, epoch, size, meta: 'm', version: 1, updatedAt: 1, changed: 1 })

/** A walk over these rows by account `ada` with keys of epoch 2, on a clock that only pauses move. */
async function scene(rows: readonly FileRow[], over: Partial<ResealingNeeds> = {}) {
  const did: string[] = []
  let clock = 1_000_000
  let token: string | null = 'token'
  let actor: KeyedActor = { account: 'ada', api: '', over: 'needsAccount', token: async () => token, call: () => assert.fail(), keys: await keysAt('ada', 2) }
  const resealing = resealingWith({
    app: { id } as ResealingNeeds['app'],
    store: memoryStore(),
    keyed: async () => actor,
    newestEpoch: async () => 2,
    rows: async () => {
      did.push('list')
      return rows
    },
    reseal: async (_actor, { name }) => did.push(name),
    pause: async ms => {
      clock += ms
    },
    now: () => clock,
    ...over,
  })
  return {
    did,
    resealing,
    at: () => clock,
    signOut: () => {
      token = null
    },
    become: (change: Partial<KeyedActor>) => {
      actor = { ...actor, ...change }
    },
  }
}

test('what is of an older epoch is sealed again, once, the largest last, after the app was quiet', async () => {
  const { did, resealing, at } = await scene([rowOf('vast', 1, 2 ** 30), rowOf('old', 1), rowOf('new', 2), rowOf('older', 1)])
  const before = at()
  resealing.called()
  await resealing.idle()
  assert.deepEqual(did, ['list', 'old', 'older', 'vast'])
  assert.ok(at() - before >= 1500 + 3 * 250, 'no faster than a few in a second')
  resealing.called()
  resealing.turned()
  await resealing.idle()
  assert.deepEqual(did, ['list', 'old', 'older', 'vast'], 'what is done stays done')
})

test('keys of the first epoch, and keys that are not the newest, seal nothing and ask for no list', async () => {
  const first = await scene([rowOf('old', 1)])
  first.become({ keys: await keysAt('ada', 1) })
  const stale = await scene([rowOf('old', 1)], { newestEpoch: async () => 3 })
  const locked = await scene([rowOf('old', 1)], { keyed: () => Promise.reject(refusal('locked')) })
  for (const { did, resealing } of [first, stale, locked]) {
    resealing.called()
    await resealing.idle()
    assert.deepEqual(did, [])
  }
})

test('a file that changed, went or is broken is passed over; a full account ends the walk', async () => {
  const tried: string[] = []
  const refusals = { changed: 'changed', gone: 'notFound', broken: 'integrity', full: 'quota' } as const
  const { resealing } = await scene(
    ['changed', 'gone', 'broken', 'full', 'after'].map(name => rowOf(name, 1)),
    {
      reseal: (_actor, { name }) => {
        tried.push(name)
        return Object.hasOwn(refusals, name) ? Promise.reject(refusal(refusals[name as keyof typeof refusals])) : Promise.resolve()
      },
    },
  )
  resealing.called()
  await resealing.idle()
  assert.deepEqual(tried, ['changed', 'gone', 'broken', 'full'])
  resealing.called()
  await resealing.idle()
  assert.equal(tried.length, 4, 'and does not begin again at once')
})

test('another account, a sign-out or newer keys end the walk before the next file', async () => {
  const newer = await keysAt('ada', 3)
  for (const change of [{ account: 'grace' }, null, { keys: newer }]) {
    const tried: string[] = []
    const made = await scene([rowOf('one', 1), rowOf('two', 1)], {
      reseal: async (_actor, { name }) => {
        tried.push(name)
        if (change === null) made.signOut()
        else made.become(change)
      },
    })
    made.resealing.called()
    await made.resealing.idle()
    assert.deepEqual(tried, ['one'])
  }
})
