import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { newId, newSecret, sealedText } from '../../support/room-client.ts'
import { type HarnessClient, roomHarness, type RoomHarness } from '../../support/room-harness.ts'
import { type Guest, refusal, scene } from '../../support/room-scene.ts'

describe('seats of a room', () => {
  let harness: RoomHarness
  before(async () => {
    harness = await roomHarness()
  })
  after(() => harness.close())

  const resume = async (guest: Guest, room: string, { token = guest.seat.token, client }: { token?: string; client?: HarnessClient } = {}) => {
    const last = guest.client.heard.get(room)?.at(-1) ?? guest.seat
    const seqs = guest.events().map(event => (event.type === 'message' ? event.message.seq : 0))
    const next = client ?? (await harness.connect())
    const answer = await harness.done(next.ask('resume', { room, token, epoch: last.epoch, n: last.n, seq: Math.max(guest.seat.seq, ...seqs) }))
    return { next, answer }
  }
  const texts = (client: HarnessClient, room: string): string[] => client.events(room).flatMap(event => (event.type === 'message' ? [event.message.text] : []))

  test('a seat whose socket dropped is held: nobody is told, and what was missed follows in order', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    ben.client.drop()
    await harness.pass(29_000)
    await ada.say('one')
    await ada.may('limit', { maxMessageBytes: 700 })
    await ada.say('two')
    assert.equal(
      ada.events().some(({ type }) => type === 'left'),
      false,
    )
    assert.equal((await ada.may('members', {})).members.length, 2)
    const { next, answer } = await resume(ben, place.room)
    assert.deepEqual([answer.value?.replay, answer.value?.self.id], ['ring', ben.member])
    assert.deepEqual(next.events(place.room), ada.events().slice(-3))
    await ada.say('three')
    assert.deepEqual(next.events(place.room), ada.events().slice(-4))
    const ns = next.heard.get(place.room)?.map(({ n }) => n)
    assert.deepEqual(ns, [3, 4, 5, 6])
  })

  test('a seat that is not taken again within 30 s is left', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    ben.client.drop()
    await harness.pass(29_999)
    assert.deepEqual(ada.events().at(-1)?.type, 'joined')
    await harness.pass(1)
    assert.deepEqual(ada.events().at(-1), { type: 'left', id: ben.member, reason: 'left' })
    const { answer } = await resume(ben, place.room)
    assert.deepEqual(answer, refusal(roomsRefusals.closed))
  })

  test('a room whose last seat was held in vain ends', async () => {
    const place = scene(harness)
    const ada = await place.enter()
    ada.client.drop()
    await harness.pass(30_000)
    await harness.flush()
    assert.deepEqual(await place.refused({ create: null }), refusal(roomsRefusals.notFound))
  })

  test('the token changes with every return; an old one is of no use once the new one was', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    ben.client.drop()
    const first = await resume(ben, place.room)
    first.next.drop()
    // The answer may have been lost with the socket: the token before still works.
    const second = await resume(ben, place.room)
    assert.equal(second.answer.error, undefined)
    assert.equal((await harness.done(second.next.ask('send', { room: place.room, text: sealedText('here') }))).error, undefined)
    second.next.drop()
    assert.deepEqual((await resume(ben, place.room)).answer, refusal(roomsRefusals.closed))
    const third = await resume(ben, place.room, { token: second.answer.value?.token ?? '' })
    assert.equal(third.answer.error, undefined)
    assert.equal(
      ada.events().some(({ type }) => type === 'left'),
      false,
    )
    assert.deepEqual((await resume(ben, place.room, { token: newSecret() })).answer, refusal(roomsRefusals.closed))
  })

  test('a seat taken on another socket ends on the first', async () => {
    const place = scene(harness)
    const ben = await place.enter()
    const { next } = await resume(ben, place.room)
    assert.deepEqual(ben.client.notes.at(-1), { type: 'end', room: place.room, reason: 'unavailable' })
    assert.deepEqual(await ben.mayNot('send', { text: sealedText('x') }), refusal(roomsRefusals.closed))
    ben.client.drop()
    await harness.pass(31_000)
    assert.equal((await harness.done(next.ask('send', { room: place.room, text: sealedText('x') }))).error, undefined)
  })

  test('who was sent out while away is told why', async () => {
    const place = scene(harness)
    const [ada, ben, cid] = [await place.enter(), await place.enter(), await place.enter()]
    for (const [guest, type, reason] of [
      [ben, 'remove', 'removed'],
      [cid, 'block', 'blocked'],
    ] as const) {
      guest.client.drop()
      await ada.may(type, { member: guest.member })
      const { next, answer } = await resume(guest, place.room)
      assert.deepEqual([next.notes.at(-1), answer], [{ type: 'end', room: place.room, reason }, refusal(roomsRefusals.closed)])
    }
  })

  test('a send whose answer was lost with the socket is sent once', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    const id = newId()
    const text = sealedText('once')
    void ben.client.ask('send', { room: place.room, text }, id)
    ben.client.drop()
    await harness.flush()
    const { next } = await resume(ben, place.room)
    const again = await harness.done(next.ask('send', { room: place.room, text }, id))
    assert.equal(again.value?.seq, 1)
    assert.deepEqual(texts(ada.client, place.room), [text])
  })

  test('a crash keeps seats, order and what was answered; an answered send is not done twice', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.claimer(), await place.enter()]
    const id = newId()
    const text = sealedText('survives')
    const sent = await harness.done(ada.client.ask('send', { room: place.room, text }, id))
    await harness.crash()
    const back = await resume(ada, place.room, { client: await harness.connect({ token: harness.signIn(ada.person) }) })
    assert.deepEqual([back.answer.value?.replay, back.answer.value?.seq, back.answer.value?.owner], ['mailbox', 1, ada.member])
    assert.ok((back.answer.value?.epoch ?? 0) > ada.seat.epoch)
    assert.deepEqual(back.next.notes.at(-1)?.type, 'caughtUp')
    assert.deepEqual(await harness.done(back.next.ask('send', { room: place.room, text }, id)), sent)
    assert.equal((await harness.done(back.next.ask('send', { room: place.room, text: sealedText('next') }))).value?.seq, 2)
    const other = await resume(ben, place.room)
    assert.deepEqual([other.answer.value?.replay, texts(other.next, place.room)], ['mailbox', [sealedText('next')]])
    assert.equal((await harness.done(other.next.ask('members', { room: place.room }))).value?.members.length, 2)
  })

  test('what is beyond the ring comes from the mailbox: messages, edits and deletions, then live events', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.claimer(), await place.enter()]
    const early = await ada.say('edited while away')
    await ada.say('deleted while away')
    ben.client.drop()
    for (let index = 0; index < 60; index += 1) {
      if (index % 20 === 0) await harness.pass(1000)
      await ada.may('send', { text: 'A'.repeat(20_000) })
    }
    await ada.may('edit', { seq: early, text: sealedText('edited'), revision: 1 })
    await ada.may('delete', { from: 2 })
    await ada.may('edit', { seq: 10, text: sealedText('edited too'), revision: 1 })
    const { next, answer } = await resume(ben, place.room)
    await harness.flush()
    assert.equal(answer.value?.replay, 'mailbox')
    const events = next.events(place.room)
    const messages = events.flatMap(event => (event.type === 'message' ? [event.message] : []))
    assert.deepEqual(
      messages.map(({ seq }) => seq),
      Array.from({ length: 60 }, (_, index) => index + 3),
    )
    assert.equal(messages.find(({ seq }) => seq === 10)?.revision, 1)
    assert.deepEqual(events.slice(60), [
      { type: 'edited', message: { ...(await ada.may('find', { seq: early })).message } },
      { type: 'deleted', from: 2, to: 2 },
    ])
    assert.equal(next.notes.at(-1)?.type, 'caughtUp')
    await ada.say('live')
    assert.deepEqual(next.events(place.room).at(-1), ada.events().at(-1))
  })

  test('an unclaimed room that lost what was missed says so, and its seq still rises after a crash', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    const seq = await ada.say('unstored')
    await harness.crash()
    const { next, answer } = await resume(ben, place.room)
    assert.deepEqual([answer.value?.replay, answer.value?.owner], ['reset', ada.member])
    const sent = await harness.done(next.ask('send', { room: place.room, text: sealedText('on') }))
    assert.ok((sent.value?.seq ?? 0) > seq)
  })

  test('seats nobody came back to after a crash are swept, and their room with them', async () => {
    const place = scene(harness)
    await place.enter()
    await harness.crash()
    await harness.pass(120_000)
    assert.equal((await harness.rows.read.selectFrom('rooms').select('id').where('id', '=', place.room).execute()).length, 0)
  })

  test('a member that does not read is cut off at 1 MiB and may come back; the others hear all', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    ben.client.waiting = 2 ** 20 + 1
    const seq = await ada.say('too much for ben')
    assert.equal(ben.client.closedWith, 0)
    assert.equal(await ada.say('goes on'), seq + 1)
    const { next, answer } = await resume(ben, place.room)
    assert.equal(answer.value?.replay, 'ring')
    assert.equal(texts(next, place.room).at(-1), sealedText('goes on'))
  })

  test('a page that missed messages waits until the socket takes them', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.claimer(), await place.enter()]
    ben.client.drop()
    for (let index = 0; index < 120; index += 1) {
      if (index % 20 === 0) await harness.pass(1000)
      await ada.may('send', { text: 'A'.repeat(6000) })
    }
    const slow = await harness.connect()
    slow.waiting = 2 ** 19
    const { n, epoch } = ben.seat
    const answer = await harness.done(slow.ask('resume', { room: place.room, token: ben.seat.token, epoch, n, seq: 0 }))
    assert.equal(answer.value?.replay, 'mailbox')
    await harness.flush()
    assert.equal(texts(slow, place.room).length, 50)
    await ada.say('meanwhile')
    assert.equal(slow.notes.at(-1)?.type, 'welcome')
    slow.waiting = 0
    await harness.flush()
    assert.equal(slow.notes.at(-1)?.type, 'caughtUp')
    assert.deepEqual(
      slow.events(place.room).flatMap(event => (event.type === 'message' ? [event.message.seq] : [])),
      Array.from({ length: 121 }, (_, index) => index + 1),
    )
  })

  test('guests may join; a session of another app or none that is known may not speak', async () => {
    const person = harness.person()
    const token = harness.signIn(person)
    const wrong = await harness.connect({ app: 'web:https://other.example', token })
    assert.equal(wrong.closedWith, 4403)
    const unknown = await harness.connect({ token: newSecret() })
    assert.equal(unknown.closedWith, 4401)
    const client = await harness.connect({ token })
    assert.deepEqual(client.notes[0], { type: 'welcome', challenge: client.challenge, signedIn: true })
    const guest = await harness.connect()
    assert.deepEqual(guest.notes[0], { type: 'welcome', challenge: guest.challenge, signedIn: false })
    assert.notEqual(guest.challenge, client.challenge)
  })

  test('a session that ends makes its seats a guest’s at once', async () => {
    const place = scene(harness)
    const person = harness.person()
    const token = harness.signIn(person)
    const client = await harness.connect({ token })
    await harness.done(client.join(place.room, place.key))
    assert.deepEqual(await harness.done(client.ask('claim', { room: place.room })), { value: {} })
    await harness.endSession(token)
    assert.deepEqual(client.notes.at(-1), { type: 'signedOut' })
    assert.deepEqual(await harness.done(client.ask('release', { room: place.room })), refusal(roomsRefusals.notOwner))
    const again = harness.signIn(person)
    assert.equal((await harness.done(client.ask('session', { token: again }))).error, undefined)
    assert.deepEqual(await harness.done(client.ask('release', { room: place.room })), { value: {} })
  })
})
