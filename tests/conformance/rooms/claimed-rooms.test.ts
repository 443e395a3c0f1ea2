import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { sealedText } from '../../support/room-client.ts'
import { roomHarness, type RoomHarness } from '../../support/room-harness.ts'
import { refusal, scene } from '../../support/room-scene.ts'
import { day, minute } from '../../support/test-clock.ts'

describe('claimed rooms in the settings of their account', () => {
  let harness: RoomHarness
  before(async () => {
    harness = await roomHarness()
  })
  after(() => harness.close())
  const claimed = async (account: string, room: string) => (await harness.service.account.list(account)).find(row => row.room === room)

  test('CLAIM-16: the account limits and clears its rooms in its settings; all hear what was deleted', async () => {
    const place = scene(harness)
    const ada = await place.claimer({ description: 'mine' })
    const ben = await place.enter()
    const text = sealedText('x')
    for (let index = 0; index < 3; index += 1) await ben.say('x')
    assert.equal((await claimed(ada.person.account, place.room))?.cap, 500_000_000)
    const account = harness.service.account
    assert.equal(await harness.done(account.limit(ada.person.account, place.room, 1000)), 'ok')
    assert.deepEqual((await ben.may('usage', {})).usage, { archived: false, bytes: 3 * text.length, cap: 1000, messages: 3 })
    assert.deepEqual(await claimed(ada.person.account, place.room), {
      ...{ room: place.room, app: 'web:https://chat.example', description: 'mine', claimedAt: harness.clock.now(), expiresAt: null, mailbox: true },
      ...{ bytes: 3 * text.length, messages: 3, cap: 1000, archived: false, members: 2 },
    })
    assert.equal(await harness.done(account.clear(ada.person.account, place.room)), 'ok')
    for (const guest of [ada, ben]) assert.deepEqual(guest.events().at(-1), { type: 'deleted', from: 1, to: 3 })
    assert.deepEqual((await ben.may('usage', {})).usage, { archived: false, bytes: 0, cap: 1000, messages: 0 })
    assert.equal(await ben.say('x'), 4)
    assert.equal(await harness.done(account.limit(ada.person.account, place.room, null)), 'ok')
    assert.equal((await ben.may('usage', {})).usage?.cap, 500_000_000)
    const stranger = harness.person()
    for (const change of [
      account.clear(stranger.account, place.room),
      account.unclaim(stranger.account, place.room),
      account.limit(stranger.account, place.room, 5),
    ])
      assert.equal(await harness.done(change), 'not-found')
  })

  test('CLAIM-16: a room where nobody is can be cleared and unclaimed', async () => {
    const place = scene(harness)
    const ada = await place.claimer()
    await ada.say('x')
    await ada.may('leave', {})
    await harness.flush()
    assert.equal(await harness.done(harness.service.account.clear(ada.person.account, place.room)), 'ok')
    assert.equal((await claimed(ada.person.account, place.room))?.messages, 0)
    assert.equal(await harness.done(harness.service.account.unclaim(ada.person.account, place.room)), 'ok')
    await harness.flush()
    assert.deepEqual(await place.refused({ create: null }), refusal(roomsRefusals.notFound))
  })

  test('ROOM-19: when premium lapses the mailbox is archived, read-only, and given up after 30 days', async () => {
    const place = scene(harness)
    const ada = await place.claimer()
    const ben = await place.enter()
    const seq = await ada.say('kept')
    ada.person.premium = false
    await harness.pass(2 * minute)
    assert.equal((await ben.may('usage', {})).usage?.archived, true)
    assert.equal((await claimed(ada.person.account, place.room))?.archived, true)
    assert.equal((await ben.may('backlog', { after: 0 })).messages.length, 1)
    const readOnly = refusal(roomsRefusals.storage)
    assert.deepEqual(await ben.mayNot('send', { text: sealedText('x') }), readOnly)
    assert.deepEqual(await ada.mayNot('edit', { seq, text: sealedText('x'), revision: 1 }), readOnly)
    assert.deepEqual(await ada.mayNot('delete', { from: seq }), readOnly)
    ada.person.premium = true
    await harness.pass(2 * minute)
    assert.equal((await ben.may('usage', {})).usage?.archived, false)
    await ben.say('writable again')
    ada.person.premium = false
    await harness.pass(2 * minute)
    await harness.pass(30 * day + minute)
    assert.deepEqual(ben.events().at(-1), { type: 'claim', claimed: false, mailbox: false, owner: ada.member })
    assert.equal(await claimed(ada.person.account, place.room), undefined)
  })

  test('the rooms of an account that leaves are given up', async () => {
    const place = scene(harness)
    const ada = await place.claimer()
    const ben = await place.enter()
    await harness.done(harness.service.account.drop(ada.person.account))
    assert.deepEqual(ben.events().at(-1), { type: 'claim', claimed: false, mailbox: false, owner: ada.member })
  })
})
