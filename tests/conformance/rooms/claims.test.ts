import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ROOM_TEMPORARY_MS } from '@deputy/contract/limits'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { sealedText } from '../../support/room-client.ts'
import { roomHarness, type RoomHarness } from '../../support/room-harness.ts'
import { type Guest, refusal, scene } from '../../support/room-scene.ts'
import { day, hour, minute } from '../../support/test-clock.ts'

const otherApp = 'web:https://other.example'
const none = { description: undefined, mailbox: undefined, temporary: undefined }

describe('claims of a room', () => {
  let harness: RoomHarness
  before(async () => {
    harness = await roomHarness({ claims: 3 })
  })
  after(() => harness.close())
  const claimed = async (account: string, room: string) => (await harness.service.account.list(account)).find(row => row.room === room)

  test('CLAIM-1: a claim needs a signed-in premium account, and nothing else in rooms does', async () => {
    const place = scene(harness)
    const guest = await place.enter()
    assert.deepEqual(await guest.mayNot('claim', none), refusal(roomsRefusals.needsPremium))
    const poor = await place.enter({ person: harness.person(false) })
    assert.deepEqual(await poor.mayNot('claim', none), refusal(roomsRefusals.needsPremium))
    assert.equal(await poor.say('free'), 1)
    const ada = await place.claimer()
    for (const who of [guest, poor, ada]) assert.deepEqual(who.events().at(-1), { type: 'claim', claimed: true, mailbox: true, owner: ada.member })
    assert.deepEqual(await guest.mayNot('claim', none), refusal(roomsRefusals.needsPremium))
    const rich = await place.enter({ person: harness.person() })
    assert.deepEqual(await rich.mayNot('claim', none), refusal(roomsRefusals.notOwner))
  })

  test('CLAIM-1: a claim keeps name, key, owner, blocks and overrides when everyone leaves', async () => {
    const place = scene(harness)
    const [ada, member, person] = [await place.claimer(), harness.person(false), harness.person(false)]
    const [ben, cid] = [await place.enter({ person: member }), await place.enter({ person })]
    await ada.may('grant', { member: ben.member, permission: 'remove' })
    await ada.may('limit', { maxMessageBytes: 800, member: ben.member })
    await ada.may('block', { member: cid.member })
    await ada.may('setDefault', { permission: 'send', value: false })
    await ada.say('kept')
    for (const guest of [ben, ada]) await guest.may('leave', {})
    await harness.flush()
    assert.deepEqual(await place.refused({ key: 'another key', create: null }), refusal(roomsRefusals.badKey))
    assert.deepEqual(await place.refused({ person }), refusal(roomsRefusals.blocked))
    const again = await place.enter({ person: member, create: null })
    assert.deepEqual(again.seat.self, { id: again.member, maxMessageBytes: 800, permissions: { send: false, receive: true, remove: true, block: false } })
    assert.equal((await again.may('backlog', { after: 0 })).messages.length, 1)
    assert.deepEqual([again.seat.claimed, again.seat.mailbox, again.seat.owner], [true, true, ''])
    const owner = await place.enter({ person: ada.person })
    assert.equal(owner.seat.owner, owner.member)
    assert.deepEqual(owner.seat.self.permissions, { send: true, receive: true, remove: true, block: true })
    assert.deepEqual(again.events().at(-1), { type: 'claim', claimed: true, mailbox: true, owner: owner.member })
  })

  test('ROOM-20: the owner of a claimed room is empty text until a seat of the account has joined', async () => {
    const place = scene(harness)
    const ada = await place.claimer()
    await ada.may('leave', {})
    const ben = await place.enter()
    assert.equal(ben.seat.owner, '')
    const owner = await place.enter({ person: ada.person })
    assert.deepEqual(ben.events().at(-1), { type: 'claim', claimed: true, mailbox: true, owner: owner.member })
  })

  test('CLAIM-2: a description is one line of 1 to 200 characters, or invalid, never cut', async () => {
    const place = scene(harness)
    const ada = await place.claimer({ description: '  Team room  ' })
    assert.equal((await claimed(ada.person.account, place.room))?.description, 'Team room')
    for (const description of [
      ...['', '   ', 'a\nb', 'a\rb', 'a\tb', 'a\u0000b', 'a\u007fb', 'a\u0085b', 'a\u2028b', 'a\u2029b', 'a\u202eb', 'a\u2066b', 'a\u200fb', 'a\u061cb'],
      ...['x'.repeat(201), 7, null, {}, ['x'], true],
    ])
      assert.deepEqual(await ada.mayNot('claim', { ...none, description }), refusal(roomsRefusals.malformed), JSON.stringify(description))
    assert.equal((await claimed(ada.person.account, place.room))?.description, 'Team room')
    for (const description of ['x'.repeat(200), 'Räume für alle 🎈', `\n${'y'.repeat(200)}\t`]) {
      await ada.may('claim', { ...none, description })
      assert.equal((await claimed(ada.person.account, place.room))?.description, description.trim())
    }
  })

  test('CLAIM-3: claiming again replaces a description or keeps it; another app may describe a global room only', async () => {
    const place = scene(harness)
    const ada = await place.claimer({ description: 'first' })
    await ada.may('claim', none)
    assert.equal((await claimed(ada.person.account, place.room))?.description, 'first')
    const other = await place.enter({ person: ada.person, app: otherApp, create: null })
    harness.sameness = 'different'
    assert.deepEqual(await other.mayNot('claim', { ...none, description: 'theirs' }), refusal(roomsRefusals.cannotDescribe))
    harness.sameness = 'unknown'
    assert.deepEqual(await other.mayNot('claim', { ...none, description: 'theirs' }), refusal(roomsRefusals.cannotTell))
    assert.equal((await claimed(ada.person.account, place.room))?.description, 'first')
    harness.sameness = 'same'
    await other.may('claim', { ...none, description: 'ours' })
    assert.equal((await claimed(ada.person.account, place.room))?.description, 'ours')
    harness.sameness = 'different'
    const shared = scene(harness, { scope: 'global' })
    await shared.enter({ person: ada.person })
    const first = await shared.enter({ person: ada.person })
    await first.may('claim', { ...none, description: 'first' })
    const second = await shared.enter({ person: ada.person, app: otherApp })
    await second.may('claim', { ...none, description: 'second' })
    assert.equal((await claimed(ada.person.account, shared.room))?.description, 'second')
  })

  test('CLAIM-4: without a mailbox messages reach who is there and are kept nowhere', async () => {
    const place = scene(harness)
    const ada = await place.claimer({ mailbox: false })
    const ben = await place.enter()
    assert.deepEqual([ben.seat.claimed, ben.seat.mailbox, ben.seat.usage], [true, false, null])
    const seq = await ada.say('now or never')
    assert.equal(ben.events().at(-1)?.type, 'message')
    assert.deepEqual(await ben.may('backlog', { after: 0 }), { messages: [], senders: [], last: 0, more: false })
    assert.deepEqual(await ada.mayNot('edit', { seq, text: sealedText('x'), revision: 1 }), refusal(roomsRefusals.keepsNoMessages))
    assert.deepEqual(await ada.mayNot('delete', { from: seq }), refusal(roomsRefusals.keepsNoMessages))
    assert.equal((await harness.rows.read.selectFrom('room_messages').select('seq').where('text', '=', sealedText('now or never')).execute()).length, 0)
    for (const mailbox of [1, 'false', null, {}]) assert.deepEqual(await ada.mayNot('claim', { ...none, mailbox }), refusal(roomsRefusals.malformed))
  })

  test('CLAIM-5: mailbox is read only by the call that starts the claim', async () => {
    const place = scene(harness)
    const ada = await place.claimer({ mailbox: false, temporary: minute })
    await ada.may('claim', { ...none, mailbox: true, temporary: minute })
    assert.equal((await claimed(ada.person.account, place.room))?.mailbox, false)
    await harness.pass(minute)
    await ada.may('claim', { ...none, mailbox: true, temporary: minute })
    assert.equal((await claimed(ada.person.account, place.room))?.mailbox, true)
    await ada.may('claim', { ...none, mailbox: false })
    assert.equal((await claimed(ada.person.account, place.room))?.mailbox, true)
    await ada.say('kept')
    assert.equal((await ada.may('backlog', { after: 0 })).messages.length, 1)
  })

  test('CLAIM-6: how long a temporary claim may last', async () => {
    const place = scene(harness)
    const ada = await place.claimer({ temporary: ROOM_TEMPORARY_MS.default })
    const end = async () => (await claimed(ada.person.account, place.room))?.expiresAt
    assert.equal(await end(), harness.clock.now() + 604_800_000)
    for (const temporary of [59_999, 31_536_000_001, 60_000.5, -1, 0, true, '60000', null, {}])
      assert.deepEqual(await ada.mayNot('claim', { ...none, temporary }), refusal(roomsRefusals.malformed), JSON.stringify(temporary))
    assert.equal(await end(), harness.clock.now() + 604_800_000)
    for (const temporary of [ROOM_TEMPORARY_MS.min, ROOM_TEMPORARY_MS.max]) {
      await ada.may('claim', { ...none, temporary })
      assert.equal(await end(), harness.clock.now() + temporary)
    }
    await ada.may('claim', { ...none, temporary: false })
    assert.equal(await end(), null)
  })

  test('CLAIM-7: the clock starts again on every claim, and the latest decides', async () => {
    const place = scene(harness)
    const ada = await place.claimer({ temporary: hour })
    await harness.pass(50 * minute)
    await ada.may('claim', { ...none, temporary: hour })
    await harness.pass(59 * minute)
    assert.notEqual(await claimed(ada.person.account, place.room), undefined)
    await ada.may('claim', none)
    await harness.pass(30 * day)
    assert.equal((await claimed(ada.person.account, place.room))?.expiresAt, null)
    await ada.may('claim', { ...none, temporary: minute })
    await harness.pass(minute)
    assert.equal(await claimed(ada.person.account, place.room), undefined)
  })

  test('CLAIM-8: a temporary claim that runs out gives the name back, deletes, frees the slot, and everyone stays', async () => {
    const place = scene(harness)
    const ada = await place.claimer({ temporary: hour })
    const ben = await place.enter()
    await ada.say('will be deleted')
    await harness.pass(hour - 1)
    assert.equal(ben.events().at(-1)?.type, 'message')
    await harness.pass(1)
    for (const guest of [ada, ben]) assert.deepEqual(guest.events().at(-1), { type: 'claim', claimed: false, mailbox: false, owner: ada.member })
    assert.deepEqual(await harness.service.account.list(ada.person.account), [])
    assert.equal((await harness.rows.read.selectFrom('room_messages').select('seq').where('text', '=', sealedText('will be deleted')).execute()).length, 0)
    assert.ok((await ben.say('an ordinary room')) > 1)
    assert.deepEqual(await ben.may('backlog', { after: 0 }), { messages: [], senders: [], last: 0, more: false })
  })

  test('CLAIM-8: a claim runs out on time in a room where nobody is, and across a crash', async () => {
    const place = scene(harness)
    const ada = await place.claimer({ temporary: hour })
    await ada.may('leave', {})
    await harness.crash()
    await harness.pass(hour - 1)
    assert.notEqual(await claimed(ada.person.account, place.room), undefined)
    await harness.pass(1)
    await harness.flush()
    assert.equal((await harness.rows.read.selectFrom('rooms').select('id').where('id', '=', place.room).execute()).length, 0)
    const later = scene(harness)
    const ben = await later.claimer({ temporary: hour })
    await ben.may('leave', {})
    await harness.crash()
    harness.clock.advance(2 * hour)
    // The claim ran out while no process was there; the name is free for another key at once.
    await harness.done(harness.service.due())
    await harness.flush()
    assert.equal((await later.enter({ create: {} })).seat.claimed, false)
  })

  test('CLAIM-8: a claim that runs out in the moment the last held seat does ends the room', async () => {
    const place = scene(harness)
    const ada = await place.claimer({ temporary: minute })
    await harness.pass(minute - 30_000)
    ada.client.drop()
    await harness.pass(30_000)
    await harness.flush()
    assert.deepEqual(await place.refused({ create: null }), refusal(roomsRefusals.notFound))
  })

  test('CLAIM-9: another app of the account cannot set the end of an app’s room, and without it leaves the room as it was', async () => {
    const place = scene(harness)
    const ada = await place.claimer({ temporary: hour })
    const other = await place.enter({ person: ada.person, app: otherApp, create: null })
    const end = async () => (await claimed(ada.person.account, place.room))?.expiresAt
    const before = await end()
    harness.sameness = 'different'
    assert.deepEqual(await other.mayNot('claim', { ...none, temporary: day }), refusal(roomsRefusals.cannotExpire))
    await other.may('claim', none)
    await other.may('claim', { ...none, temporary: false })
    assert.equal(await end(), before)
    harness.sameness = 'unknown'
    assert.deepEqual(await other.mayNot('claim', { ...none, temporary: day }), refusal(roomsRefusals.cannotTell))
    assert.deepEqual(await other.mayNot('claim', none), refusal(roomsRefusals.cannotTell))
    assert.equal(await end(), before)
    harness.sameness = 'same'
    await other.may('claim', { ...none, temporary: day })
    assert.equal(await end(), harness.clock.now() + day)
    harness.sameness = 'different'
  })

  test('CLAIM-10: past the room limit a claim is full until a room is unclaimed, and then the socket is told', async () => {
    const places = Array.from({ length: 4 }, () => scene(harness))
    const person = harness.person()
    const guests: Guest[] = []
    for (const place of places) guests.push(await place.enter({ person }))
    for (const guest of guests.slice(0, 3)) await guest.may('claim', none)
    const last = guests[3]!
    const before = last.events().length
    assert.deepEqual(await last.mayNot('claim', { ...none, temporary: hour }), refusal(roomsRefusals.tooManyClaims))
    assert.equal(last.events().length, before)
    assert.equal(await last.say('still an ordinary room'), 1)
    await guests[0]!.may('claim', { ...none, description: 'what is held is held' })
    assert.equal(await harness.done(harness.service.account.unclaim(person.account, places[1]!.room)), 'ok')
    assert.deepEqual(last.client.notes.at(-1), { type: 'claimFreed' })
    assert.deepEqual(guests[1]!.events().at(-1), { type: 'claim', claimed: false, mailbox: false, owner: guests[1]!.member })
    await last.may('claim', { ...none, temporary: hour })
    await harness.pass(hour)
    await guests[1]!.may('claim', none)
  })

  test('CLAIM-11: another app of the account cannot change an app’s room, nor its own messages there', async () => {
    const place = scene(harness)
    const ada = await place.claimer()
    const [ben, other] = [await place.enter(), await place.enter({ person: ada.person, app: otherApp, create: null })]
    const own = await other.say('speaking is no change')
    const changes = [
      ['setDefault', { permission: 'send', value: false }],
      ['limit', { maxMessageBytes: 900 }],
      ['grant', { member: ben.member, permission: 'block' }],
      ['revoke', { member: ben.member, permission: 'send' }],
      ['remove', { member: ben.member }],
      ['block', { member: ben.member }],
      ['unblock', { member: ben.member }],
      ['setMailbox', { on: false }],
      ['edit', { seq: own, text: sealedText('x'), revision: 1 }],
      ['delete', { from: own }],
      ['release', {}],
    ] as const
    harness.sameness = 'different'
    for (const [type, fields] of changes) assert.deepEqual(await other.mayNot(type, fields as never), refusal(roomsRefusals.cannotChange), type)
    harness.sameness = 'unknown'
    for (const [type, fields] of changes) assert.deepEqual(await other.mayNot(type, fields as never), refusal(roomsRefusals.cannotTell), type)
    harness.sameness = 'same'
    await other.may('edit', { seq: own, text: sealedText('one app after all'), revision: 1 })
    harness.sameness = 'different'
    const stranger = await place.enter({ person: harness.person(), app: otherApp, create: null })
    const theirs = await stranger.say('members of other accounts are answered as in any room')
    await stranger.may('delete', { from: theirs })
    assert.deepEqual(await stranger.mayNot('setDefault', { permission: 'send', value: false }), refusal(roomsRefusals.notOwner))
  })

  test('CLAIM-12: any app of the account changes, describes, limits and releases a claimed global room', async () => {
    const place = scene(harness, { scope: 'global' })
    const ada = await place.claimer()
    const [ben, other] = [await place.enter(), await place.enter({ person: ada.person, app: otherApp })]
    await other.may('setDefault', { permission: 'send', value: false })
    await other.may('grant', { member: ben.member, permission: 'send' })
    await other.may('delete', { from: await ben.say('x') })
    await other.may('claim', { ...none, temporary: day })
    assert.equal((await claimed(ada.person.account, place.room))?.expiresAt, harness.clock.now() + day)
    await other.may('claim', none)
    assert.equal((await claimed(ada.person.account, place.room))?.expiresAt, harness.clock.now() + day)
    await other.may('setMailbox', { on: false })
    await other.may('release', {})
    assert.equal(await claimed(ada.person.account, place.room), undefined)
  })

  test('CLAIM-13: release answers ok and tells; what is not claimed cannot be released', async () => {
    const place = scene(harness)
    const ada = await place.claimer()
    const ben = await place.enter()
    await ada.say('deleted with the claim')
    await ada.may('release', {})
    for (const guest of [ada, ben]) assert.deepEqual(guest.events().at(-1), { type: 'claim', claimed: false, mailbox: false, owner: ada.member })
    assert.deepEqual(await ada.mayNot('release', {}), refusal(roomsRefusals.notClaimed))
    assert.deepEqual(await ada.mayNot('setMailbox', { on: true }), refusal(roomsRefusals.notClaimed))
    assert.equal(await claimed(ada.person.account, place.room), undefined)
  })

  test('CLAIM-14: a mailbox turned off deletes without a deleted event; turned on it starts empty', async () => {
    const place = scene(harness)
    const ada = await place.claimer()
    const ben = await place.enter()
    await ada.say('deleted')
    await ada.may('setMailbox', { on: false })
    assert.deepEqual(ben.events().at(-1), { type: 'claim', claimed: true, mailbox: false, owner: ada.member })
    assert.equal(
      ben.events().some(({ type }) => type === 'deleted'),
      false,
    )
    const before = ben.events().length
    await ada.may('setMailbox', { on: false })
    assert.equal(ben.events().length, before)
    await ada.say('unheard of')
    await ada.may('setMailbox', { on: true })
    assert.deepEqual(ben.events().at(-1), { type: 'claim', claimed: true, mailbox: true, owner: ada.member })
    assert.deepEqual((await ben.may('backlog', { after: 0 })).messages, [])
    assert.deepEqual((await ben.may('usage', {})).usage, { archived: false, bytes: 0, cap: 500_000_000, messages: 0 })
    const seq = await ben.say('kept')
    assert.deepEqual(
      (await ben.may('backlog', { after: 0 })).messages.map(message => message.seq),
      [seq],
    )
    assert.deepEqual(await ben.mayNot('setMailbox', { on: false }), refusal(roomsRefusals.notOwner))
  })
})
