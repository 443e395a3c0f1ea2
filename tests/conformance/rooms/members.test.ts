import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { memberKeys, newSecret, sealedText } from '../../support/room-client.ts'
import { roomHarness, type RoomHarness } from '../../support/room-harness.ts'
import { refusal, scene } from '../../support/room-scene.ts'

describe('members of a room', () => {
  let harness: RoomHarness
  before(async () => {
    harness = await roomHarness()
  })
  after(() => harness.close())
  const everything = { send: true, receive: true, remove: true, block: true }
  const usual = { send: true, receive: true, remove: false, block: false }

  test('ROOM-2: a room comes into being with the join that may create it; without that there is nothing to join', async () => {
    const place = scene(harness)
    assert.deepEqual(await place.refused({ create: null }), refusal(roomsRefusals.notFound))
    const ada = await place.enter()
    assert.equal(ada.seat.owner, ada.member)
    const ben = await place.enter({ create: null })
    assert.equal(ben.seat.owner, ada.member)
  })

  test('ROOM-2: rooms come into being under the own scope and the global one only', async () => {
    const client = await harness.connect()
    for (const room of ['other.example/room', 'chat.example/Upper', 'chat.example/', 'room', `chat.example/${'a'.repeat(65)}`])
      assert.equal((await harness.done(client.join(room, newSecret()))).error, 'invalid', room)
    for (const room of ['global/anywhere', 'chat.example/own', `chat.example/${'A'.repeat(22)}`])
      assert.equal((await harness.done(client.join(room, newSecret()))).error, undefined, room)
    const other = await harness.connect({ app: 'web:https://other.example' })
    assert.equal((await harness.done(other.join('chat.example/own', newSecret(), { create: null }))).error, 'bad-key')
  })

  test('ROOM-E3: another key is bad-key, and the room does not change', async () => {
    const place = scene(harness)
    const ada = await place.enter()
    assert.deepEqual(await place.refused({ key: newSecret() }), refusal(roomsRefusals.badKey))
    assert.deepEqual(ada.events(), [])
  })

  test('ROOM-4: defaults and members count in the join that brings the room into being', async () => {
    const place = scene(harness)
    const ada = await place.enter({ create: { defaults: { maxMessageBytes: 1000, send: false }, members: 2 } })
    assert.deepEqual(ada.seat.defaults, { maxMessageBytes: 1000, receive: true, send: false })
    const ben = await place.enter({ create: { defaults: { maxMessageBytes: 9, send: true }, members: 9 } })
    assert.deepEqual(ben.seat.defaults, ada.seat.defaults)
    assert.deepEqual(ben.seat.self, { id: ben.member, maxMessageBytes: 1000, permissions: { ...usual, send: false } })
    assert.deepEqual(await place.refused(), refusal(roomsRefusals.full))
    for (const create of [
      { members: 0 },
      { members: 1.5 },
      { members: 1025 },
      { defaults: { maxMessageBytes: 0 } },
      { defaults: { maxMessageBytes: 262_145 } },
    ])
      assert.deepEqual(await scene(harness).refused({ create }), refusal(roomsRefusals.malformed))
  })

  test('ROOM-6, ROOM-12: members are told of each other, with ids fresh in every room', async () => {
    const place = scene(harness)
    const ada = await place.enter()
    const ben = await place.enter()
    const self = { id: ben.member, maxMessageBytes: 65_536, permissions: usual }
    const credential = Buffer.from(`credential of ${ben.member}`).toString('base64url')
    assert.deepEqual(ada.events(), [{ type: 'joined', member: self, credential }])
    assert.deepEqual(ben.seat.self, self)
    const { members, n } = await ben.may('members', {})
    assert.deepEqual([members.map(({ id }) => id), n], [[ada.member, ben.member], 2])
    assert.deepEqual(members[0]?.permissions, everything)
    const elsewhere = await harness.done(ben.client.join(scene(harness).room, newSecret()))
    assert.notEqual(elsewhere.value?.self.id, ben.member)
  })

  test('ROOM-12, ROOM-17: who leaves is gone for all, and its socket has no seat any more', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    await ben.may('leave', {})
    assert.deepEqual(ada.events().at(-1), { type: 'left', id: ben.member, reason: 'left' })
    assert.deepEqual(await ben.mayNot('send', { text: sealedText('late') }), refusal(roomsRefusals.closed))
    assert.deepEqual(
      (await ada.may('members', {})).members.map(({ id }) => id),
      [ada.member],
    )
  })

  test('ROOM-13, ROOM-E2: remove and block need their permission, and never reach the owner', async () => {
    const place = scene(harness)
    const [ada, ben, cid] = [await place.enter(), await place.enter(), await place.enter()]
    for (const type of ['remove', 'block', 'unblock'] as const)
      assert.deepEqual(await ben.mayNot(type, { member: cid.member }), refusal(roomsRefusals.permissionDenied))
    await ada.may('grant', { member: ben.member, permission: 'remove' })
    assert.deepEqual(await ben.mayNot('remove', { member: ada.member }), refusal(roomsRefusals.permissionDenied))
    assert.deepEqual(await ben.mayNot('block', { member: cid.member }), refusal(roomsRefusals.permissionDenied))
    await ben.may('remove', { member: cid.member })
    assert.deepEqual(ada.events().at(-1), { type: 'left', id: cid.member, reason: 'removed' })
    assert.deepEqual(cid.client.notes.at(-1), { type: 'end', room: place.room, reason: 'removed' })
    assert.deepEqual(await ben.mayNot('remove', { member: cid.member }), refusal(roomsRefusals.noSuchMember))
    const again = await place.enter()
    assert.equal(again.seat.owner, ada.member)
  })

  test('ROOM-13: a blocked account stays out on every device until it is unblocked', async () => {
    const place = scene(harness)
    const person = harness.person(false)
    const [ada, ben, tablet] = [await place.enter(), await place.enter({ person }), await place.enter({ person })]
    await ada.may('block', { member: ben.member })
    assert.deepEqual(ben.client.notes.at(-1), { type: 'end', room: place.room, reason: 'blocked' })
    assert.deepEqual(tablet.client.notes.at(-1), { type: 'end', room: place.room, reason: 'blocked' })
    assert.deepEqual(
      ada.events().filter(event => event.type === 'left'),
      [ben, tablet].map(({ member }) => ({ type: 'left', id: member, reason: 'blocked' })),
    )
    assert.deepEqual(await place.refused({ person }), refusal(roomsRefusals.blocked))
    assert.deepEqual(await ada.mayNot('unblock', { member: tablet.member }), refusal(roomsRefusals.noSuchMember))
    await ada.may('unblock', { member: ben.member })
    await place.enter({ person })
  })

  test('ROOM-13: a blocked guest stays out by its device', async () => {
    const place = scene(harness)
    const device = newSecret()
    const [ada, ben] = [await place.enter(), await place.enter({ device })]
    await ada.may('block', { member: ben.member })
    assert.deepEqual(await place.refused({ device }), refusal(roomsRefusals.blocked))
    assert.deepEqual(await place.refused({ device, person: harness.person() }), refusal(roomsRefusals.blocked))
    await place.enter({ device: newSecret() })
  })

  test('ROOM-14: the owner sets what a member may do, and all hear it', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    await ada.may('grant', { member: ben.member, permission: 'block' })
    await ada.may('revoke', { member: ben.member, permission: 'send' })
    const permissions = { ...usual, block: true, send: false }
    for (const guest of [ada, ben]) assert.deepEqual(guest.events().at(-1), { type: 'permissions', id: ben.member, maxMessageBytes: 65_536, permissions })
    assert.deepEqual(await ben.mayNot('send', { text: sealedText('x') }), refusal(roomsRefusals.permissionDenied))
    assert.deepEqual(await ada.mayNot('grant', { member: memberKeys('x').member, permission: 'send' }), refusal(roomsRefusals.noSuchMember))
  })

  test('ROOM-14: a member that may not receive hears no message and reads none, and misses no event number', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.claimer(), await place.enter()]
    await ada.may('revoke', { member: ben.member, permission: 'receive' })
    await ada.say('secret')
    assert.deepEqual(ben.events().at(-1), { type: 'skip' })
    assert.deepEqual(await ben.mayNot('backlog', { after: 0 }), refusal(roomsRefusals.permissionDenied))
    assert.deepEqual(await ben.mayNot('find', { seq: 1 }), refusal(roomsRefusals.permissionDenied))
    await ada.may('grant', { member: ben.member, permission: 'receive' })
    await ada.say('open')
    assert.equal(ben.events().at(-1)?.type, 'message')
    const ns = ben.client.heard.get(place.room)?.map(({ n }) => n) ?? []
    assert.deepEqual(
      ns,
      Array.from({ length: ns.length }, (_, index) => ben.seat.n + 1 + index),
    )
  })

  test('ROOM-15: defaults', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    await ada.may('setDefault', { permission: 'send', value: false })
    const defaults = { maxMessageBytes: 65_536, receive: true, send: false }
    assert.deepEqual(ben.events().at(-1), { type: 'defaults', defaults })
    assert.deepEqual((await ben.may('defaults', {})).defaults, defaults)
    assert.deepEqual(await ben.mayNot('send', { text: sealedText('x') }), refusal(roomsRefusals.permissionDenied))
    await ada.say('the owner keeps every permission')
    await ada.may('setDefault', { permission: 'receive', value: false })
    await ada.say('to nobody')
    assert.deepEqual(ben.events().at(-1), { type: 'skip' })
  })

  test('ROOM-16, ROOM-7: limits on the size of messages, for all or for one; too-large, never cut', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    const text = (length: number) => 'A'.repeat(length)
    assert.deepEqual(await ben.mayNot('send', { text: text(65_537) }), refusal(roomsRefusals.tooLarge))
    await ben.may('send', { text: text(65_536) })
    await ada.may('limit', { maxMessageBytes: 500 })
    assert.deepEqual(ben.events().at(-1), { type: 'defaults', defaults: { maxMessageBytes: 500, receive: true, send: true } })
    assert.deepEqual(await ben.mayNot('send', { text: text(501) }), refusal(roomsRefusals.tooLarge))
    await ada.may('limit', { maxMessageBytes: 900, member: ben.member })
    assert.deepEqual(ben.events().at(-1), { type: 'permissions', id: ben.member, maxMessageBytes: 900, permissions: usual })
    await ben.may('send', { text: text(900) })
    await ada.may('limit', { maxMessageBytes: null, member: ben.member })
    assert.deepEqual(await ben.mayNot('send', { text: text(501) }), refusal(roomsRefusals.tooLarge))
    await ada.may('limit', { maxMessageBytes: null })
    await ben.may('send', { text: text(65_536) })
    for (const maxMessageBytes of [0, 1.5, 262_145, -1]) assert.deepEqual(await ada.mayNot('limit', { maxMessageBytes }), refusal(roomsRefusals.malformed))
    assert.deepEqual(await ada.mayNot('limit', { maxMessageBytes: 5, member: memberKeys('x').member }), refusal(roomsRefusals.noSuchMember))
  })

  test('ROOM-E1: what only the owner may do is denied to others', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    const denied = refusal(roomsRefusals.notOwner)
    assert.deepEqual(await ben.mayNot('grant', { member: ben.member, permission: 'block' }), denied)
    assert.deepEqual(await ben.mayNot('revoke', { member: ada.member, permission: 'send' }), denied)
    assert.deepEqual(await ben.mayNot('setDefault', { permission: 'send', value: false }), denied)
    assert.deepEqual(await ben.mayNot('limit', { maxMessageBytes: 5 }), denied)
    assert.deepEqual(await ben.mayNot('release', {}), denied)
    assert.deepEqual(await ben.mayNot('setMailbox', { on: true }), denied)
    assert.deepEqual(
      ada.events().map(({ type }) => type),
      ['joined'],
    )
  })

  test('an unclaimed room ends with its last seat, and its name is free', async () => {
    const place = scene(harness)
    const ada = await place.enter()
    await ada.may('limit', { maxMessageBytes: 7 })
    await ada.may('leave', {})
    await harness.flush()
    assert.deepEqual(await place.refused({ create: null }), refusal(roomsRefusals.notFound))
    const client = await harness.connect()
    const fresh = await harness.done(client.join(place.room, newSecret()))
    assert.deepEqual([fresh.value?.defaults.maxMessageBytes, fresh.value?.n], [65_536, 1])
  })

  test('a join by who does not hold the key of its member id is refused', async () => {
    const place = scene(harness)
    const [mine, theirs] = [memberKeys(place.room), memberKeys(place.room)]
    const client = await harness.connect()
    const forged = { ...mine, member: theirs.member }
    const otherKey = { ...mine, privateKey: theirs.privateKey }
    const otherRoom = memberKeys('chat.example/elsewhere')
    for (const keys of [forged, otherKey, otherRoom])
      assert.deepEqual(await harness.done(client.join(place.room, place.key, { keys })), refusal(roomsRefusals.malformed))
    const { challenge } = client
    client.challenge = newSecret()
    assert.deepEqual(await harness.done(client.join(place.room, place.key)), refusal(roomsRefusals.malformed))
    client.challenge = challenge
    assert.equal((await harness.done(client.join(place.room, place.key))).error, undefined)
  })
})
