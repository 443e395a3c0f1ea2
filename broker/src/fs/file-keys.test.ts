import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountChange } from '@deputy/contract/account'
import type { AppKeys } from '@deputy/seal'
import type { AppIdentity } from '../app-identity.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { memoryStore } from '../store/memory.ts'
import type { Store } from '../store/store.ts'
import { keptKeys } from './file-keys.ts'

const app = { id: 'web:https://app.example' } as AppIdentity
const keysOf = (account: string) => ({ account, app: app.id, epoch: 1 }) as AppKeys

/** The keys of one tab over a store and a session that all tabs share. */
function tab(store: Store, acting: { account: string | null }) {
  const listeners = new Set<(change: AccountChange) => void>()
  const sessions = {
    current: () => Promise.resolve(acting.account === null ? null : { account: { id: acting.account } }),
    onChange: (listener: (change: AccountChange) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  } as unknown as Sessions
  const keys = keptKeys({ app, sessions, store, news: { tell: () => {}, listen: () => () => {} } })
  return { keys, switched: () => listeners.forEach(listener => listener({ switched: true })) }
}
const settled = () => new Promise<void>(resolve => void setImmediate(resolve))

test('keys go with their account', async () => {
  const store = memoryStore()
  const acting: { account: string | null } = { account: 'mary' }
  const { keys, switched } = tab(store, acting)
  assert.equal(await keys.keep(keysOf('mary')), true)
  assert.equal((await keys.current())?.account, 'mary')
  acting.account = null
  switched()
  await settled()
  assert.deepEqual(await store.entries('file-keys:'), [])
})

test('a tab that is slow to hear of a switch leaves the keys alone that came with it', async () => {
  const store = memoryStore()
  const acting: { account: string | null } = { account: 'mary' }
  const open = Promise.withResolvers<void>()
  let first = true
  // The slow tab reads before the keys are there, and hears what it read after they are.
  const slow: Store = {
    ...store,
    get: async key => {
      const value = await store.get(key)
      if (first) {
        first = false
        await open.promise
      }
      return value
    },
  }
  const here = tab(store, acting)
  const there = tab(slow, acting)
  acting.account = 'emmy'
  there.switched()
  assert.equal(await here.keys.keep(keysOf('emmy')), true)
  open.resolve()
  await settled()
  assert.equal((await here.keys.current())?.account, 'emmy')
})
