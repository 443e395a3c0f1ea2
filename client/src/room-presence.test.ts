import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crowd } from './room-crowd.test-support.ts'
import { presence } from './room-presence.ts'

test('presence starts with who is there, follows who comes, changes and goes, and is empty once the room has ended', async () => {
  const place = crowd()
  const ada = place.enter('ada')
  const opening = presence(ada)
  // Told before the first list is there, and in it as well.
  place.enter('ben')
  const here = await opening
  const told: string[] = []
  const off = here.subscribe(members => told.push(members.map(({ id }) => id).join(' ')))
  assert.deepEqual(
    here.members.map(({ id }) => id),
    ['ada', 'ben'],
  )
  const eve = place.enter('eve')
  const permissions = { send: false, receive: true, remove: false, block: false }
  place.tell({ type: 'permissions', id: 'ben', maxMessageBytes: 7, permissions })
  assert.deepEqual(here.members[1], { id: 'ben', maxMessageBytes: 7, permissions })
  const before = here.members
  place.tell({ type: 'deleted', from: 1, to: 1 })
  assert.equal(here.members, before, 'the same array while nothing changes')
  eve.leave()
  assert.deepEqual(told, ['ada ben eve', 'ada ben eve', 'ada ben'])
  off()
  ada.leave()
  await ada.closed
  await Promise.resolve()
  assert.deepEqual(here.members, [])
  assert.equal(ada.standing, 0)
  assert.equal(told.length, 3)
})

test('presence reads anew what new defaults change, and stops', async () => {
  const place = crowd()
  const ada = place.enter('ada')
  const changed = { ...ada.self, maxMessageBytes: 5 }
  const here = await presence(ada)
  const next = new Promise(resolve => here.subscribe(resolve))
  ada.members = async () => [changed]
  place.tell({ type: 'defaults', defaults: { maxMessageBytes: 5, send: true, receive: true } })
  assert.deepEqual(await next, [changed])
  const controller = new AbortController()
  const other = await presence(ada, { signal: controller.signal })
  controller.abort()
  here.stop()
  assert.equal(ada.standing, 0)
  place.enter('late')
  assert.deepEqual([here.members, other.members], [[changed], [changed]])
  await assert.rejects(presence(ada, { signal: AbortSignal.abort('no') }), reason => reason === 'no')
})
