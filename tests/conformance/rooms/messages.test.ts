import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { newId, sealedText } from '../../support/room-client.ts'
import { roomHarness, type RoomHarness } from '../../support/room-harness.ts'
import { refusal, scene } from '../../support/room-scene.ts'

describe('messages of a room', () => {
  let harness: RoomHarness
  before(async () => {
    harness = await roomHarness()
  })
  after(() => harness.close())

  test('ROOM-8: everyone hears a message with one seq, the sender before its answer', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    const order: string[] = []
    const take = ada.client.take
    ada.client.take = text => {
      order.push((JSON.parse(text) as { type: string }).type)
      take(text)
    }
    const text = sealedText('hello')
    const sent = await ada.may('send', { text })
    const message = { at: harness.clock.now(), from: ada.member, seq: 1, text, by: ada.member, revision: 0 }
    assert.deepEqual(sent, { seq: 1, at: harness.clock.now() })
    assert.deepEqual(ben.events(), [{ type: 'message', message }])
    assert.deepEqual(ada.events().at(-1), { type: 'message', message })
    assert.deepEqual(order, ['event', 'ok'])
  })

  test('messages of many senders arrive in one order, without a gap, for all', async () => {
    const place = scene(harness)
    const guests = [await place.claimer(), await place.enter(), await place.enter(), await place.enter()]
    const asked = Array.from({ length: 30 }, (_, index) =>
      guests.map(guest => guest.client.ask('send', { room: place.room, text: sealedText(`${index} of ${guest.member}`) })),
    ).flat()
    const answers = await harness.done(Promise.all(asked))
    assert.deepEqual(
      answers.map(({ value }) => value?.seq).toSorted((a, b) => (a ?? 0) - (b ?? 0)),
      Array.from({ length: 120 }, (_, index) => index + 1),
    )
    const views = guests.map(guest => guest.events().filter(event => event.type === 'message'))
    for (const view of views) assert.deepEqual(view, views[0])
    assert.deepEqual(
      views[0]?.map(event => event.message.seq),
      Array.from({ length: 120 }, (_, index) => index + 1),
    )
  })

  test('a send repeated under its id is sent once and answered the same', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    const id = newId()
    const ask = () => ada.client.ask('send', { room: place.room, text: sealedText('once') }, id)
    const first = await harness.done(ask())
    assert.deepEqual(await harness.done(ask()), first)
    assert.equal(ben.events().length, 1)
  })

  test('ROOM-E3: past its budget a sender is answered rate-limited at once, and later may send again', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.enter(), await place.enter()]
    const asked = Array.from({ length: 45 }, () => ada.client.ask('send', { room: place.room, text: sealedText('x') }))
    const answers = await harness.done(Promise.all(asked))
    assert.deepEqual(
      answers.map(({ error }) => error ?? 'sent'),
      [...Array.from({ length: 40 }, () => 'sent'), ...Array.from({ length: 5 }, () => 'rate-limited')],
    )
    assert.equal(await ben.say('others may'), 41)
    await harness.pass(100)
    assert.equal((await ada.ask('send', { text: sealedText('x') })).error, undefined)
    assert.equal((await ada.ask('send', { text: sealedText('x') })).error, undefined)
    assert.deepEqual(await ada.mayNot('send', { text: sealedText('x') }), refusal(roomsRefusals.rateLimited))
  })

  test('ROOM-9: the backlog answers stored messages page by page, with the credentials of their senders', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.claimer(), await place.enter()]
    for (let index = 0; index < 205; index += 1) {
      if (index % 20 === 0) await harness.pass(1000)
      await (index % 2 === 0 ? ada : ben).say(`text ${index}`)
    }
    await ben.may('leave', {})
    const cid = await place.enter()
    const page = await cid.may('backlog', { after: 0 })
    assert.deepEqual([page.messages.length, page.last, page.more], [200, 200, true])
    assert.deepEqual(new Set(page.senders.map(({ id }) => id)), new Set([ada.member, ben.member]))
    assert.equal(page.senders.find(({ id }) => id === ben.member)?.credential, Buffer.from(`credential of ${ben.member}`).toString('base64url'))
    const rest = await cid.may('backlog', { after: page.last })
    assert.deepEqual([rest.messages.map(({ seq }) => seq), rest.last, rest.more], [[201, 202, 203, 204, 205], 205, false])
    const few = await cid.may('backlog', { after: 10, limit: 3 })
    assert.deepEqual([few.messages.map(({ seq }) => seq), few.more], [[11, 12, 13], true])
    assert.deepEqual(await cid.may('backlog', { after: 205 }), { messages: [], senders: [], last: 205, more: false })
    for (const wrong of [{ after: -1 }, { after: 1.5 }, { after: 0, limit: 0 }, { after: 0, limit: 1.5 }])
      assert.deepEqual(await cid.mayNot('backlog', wrong), refusal(roomsRefusals.malformed))
    const { senders } = await cid.may('credentials', { ids: [ben.member, ada.member] })
    assert.equal(senders.length, 2)
  })

  test('ROOM-10: a sender edits its own message, the owner any; others none', async () => {
    const place = scene(harness)
    const [ada, ben, cid] = [await place.claimer(), await place.enter(), await place.enter()]
    const at = harness.clock.now()
    const seq = await ben.say('first')
    await harness.pass(500)
    const text = sealedText('second')
    await ben.may('edit', { seq, text, revision: 1 })
    const edited = { type: 'edited', message: { at, from: ben.member, seq, text, by: ben.member, revision: 1 } }
    assert.deepEqual(
      [ada, ben, cid].map(guest => guest.events().at(-1)),
      [edited, edited, edited],
    )
    assert.deepEqual(await cid.mayNot('edit', { seq, text, revision: 2 }), refusal(roomsRefusals.notOwner))
    assert.deepEqual(await ben.mayNot('edit', { seq, text: sealedText('again'), revision: 1 }), refusal(roomsRefusals.malformed))
    await ben.may('edit', { seq, text, revision: 1 })
    const third = sealedText('third')
    await ada.may('edit', { seq, text: third, revision: 2 })
    assert.deepEqual((await cid.may('find', { seq })).message, { at, from: ben.member, seq, text: third, by: ada.member, revision: 2 })
    assert.deepEqual((await cid.may('backlog', { after: 0 })).messages, [{ at, from: ben.member, seq, text: third, by: ada.member, revision: 2 }])
    assert.equal(cid.events().filter(({ type }) => type === 'edited').length, 2)
    assert.deepEqual(await ben.mayNot('edit', { seq: 99, text, revision: 1 }), refusal(roomsRefusals.noSuchMessage))
    assert.deepEqual(await ben.mayNot('edit', { seq, text: 'A'.repeat(65_537), revision: 3 }), refusal(roomsRefusals.tooLarge))
    assert.deepEqual(await ben.mayNot('edit', { seq: 0.5, text, revision: 1 }), refusal(roomsRefusals.malformed))
    await ada.may('revoke', { member: ben.member, permission: 'send' })
    assert.deepEqual(await ben.mayNot('edit', { seq, text, revision: 3 }), refusal(roomsRefusals.permissionDenied))
  })

  test('ROOM-10: what an account sent from an earlier seat is still its own', async () => {
    const place = scene(harness)
    await place.claimer()
    const person = harness.person(false)
    const before = await place.enter({ person })
    const seq = await before.say('from the phone')
    await before.may('leave', {})
    const now = await place.enter({ person })
    await now.may('edit', { seq, text: sealedText('from the desk'), revision: 1 })
    assert.deepEqual((await now.may('find', { seq })).message.by, now.member)
    await now.may('delete', { from: seq })
  })

  test('ROOM-11: a sender deletes one of its own, the owner any range; others none', async () => {
    const place = scene(harness)
    const [ada, ben, cid] = [await place.claimer(), await place.enter(), await place.enter()]
    for (const [index, guest] of [ben, cid, ben, cid, ben].entries()) assert.equal(await guest.say('text'), index + 1)
    assert.deepEqual(await ben.mayNot('delete', { from: 2 }), refusal(roomsRefusals.notOwner))
    assert.deepEqual(await ben.mayNot('delete', { from: 1, to: 3 }), refusal(roomsRefusals.notOwner))
    await ben.may('delete', { from: 3 })
    assert.deepEqual(cid.events().at(-1), { type: 'deleted', from: 3, to: 3 })
    assert.deepEqual(await ben.mayNot('delete', { from: 3 }), refusal(roomsRefusals.noSuchMessage))
    await ada.may('delete', { from: 4, to: 100 })
    assert.deepEqual(cid.events().at(-1), { type: 'deleted', from: 4, to: 5 })
    assert.deepEqual(
      (await cid.may('backlog', { after: 0 })).messages.map(({ seq }) => seq),
      [1, 2],
    )
    assert.equal(await cid.say('the next number'), 6)
    for (const wrong of [{ from: 0 }, { from: 2, to: 1 }, { from: 1.5 }]) assert.deepEqual(await ada.mayNot('delete', wrong), refusal(roomsRefusals.malformed))
  })

  test('ROOM-19: usage counts what is stored, and is null where nothing is', async () => {
    const place = scene(harness)
    const guest = await place.enter()
    assert.deepEqual([guest.seat.usage, (await guest.may('usage', {})).usage], [null, null])
    const ada = await place.claimer()
    const [one, two] = [sealedText('one'), sealedText('another, longer').repeat(3)]
    await ada.may('send', { text: one })
    const { seq } = await ada.may('send', { text: two })
    const cap = 500_000_000
    assert.deepEqual((await ada.may('usage', {})).usage, { archived: false, bytes: one.length + two.length, cap, messages: 2 })
    await ada.may('edit', { seq, text: one, revision: 1 })
    assert.deepEqual((await ada.may('usage', {})).usage, { archived: false, bytes: 2 * one.length, cap, messages: 2 })
    await ada.may('delete', { from: seq })
    assert.deepEqual((await guest.may('usage', {})).usage, { archived: false, bytes: one.length, cap, messages: 1 })
    assert.deepEqual((await place.enter()).seat.usage, { archived: false, bytes: one.length, cap, messages: 1 })
  })

  test('ROOM-E3: an unclaimed room keeps nothing: its backlog is empty, and there is nothing to edit or delete', async () => {
    const place = scene(harness)
    const ada = await place.enter()
    const seq = await ada.say('gone with the wind')
    assert.deepEqual(await ada.may('backlog', { after: 0 }), { messages: [], senders: [], last: 0, more: false })
    assert.deepEqual(await ada.mayNot('edit', { seq, text: sealedText('x'), revision: 1 }), refusal(roomsRefusals.keepsNoMessages))
    assert.deepEqual(await ada.mayNot('delete', { from: seq }), refusal(roomsRefusals.keepsNoMessages))
  })

  test('ROOM-E3: a full mailbox refuses quota, and takes messages again when there is room', async () => {
    const place = scene(harness)
    const ada = await place.claimer()
    const text = sealedText('x')
    assert.equal(await harness.done(harness.service.account.limit(ada.person.account, place.room, text.length * 2)), 'ok')
    await ada.may('send', { text })
    const { seq } = await ada.may('send', { text })
    assert.deepEqual(await ada.mayNot('send', { text }), refusal(roomsRefusals.mailboxFull))
    assert.deepEqual(await ada.mayNot('edit', { seq, text: text.repeat(2), revision: 1 }), refusal(roomsRefusals.mailboxFull))
    assert.deepEqual((await ada.may('usage', {})).usage, { archived: false, bytes: text.length * 2, cap: text.length * 2, messages: 2 })
    await ada.may('delete', { from: seq })
    assert.equal((await ada.may('send', { text })).seq, seq + 1)
  })

  test('ROOM-E3: a message that could not be stored is refused storage and heard by nobody; the room goes on without a gap', async () => {
    const place = scene(harness)
    const [ada, ben] = [await place.claimer(), await place.enter()]
    await ada.say('before')
    const heard = ben.events().length
    harness.failing = true
    assert.deepEqual(await ada.mayNot('send', { text: sealedText('lost') }), refusal(roomsRefusals.storage))
    harness.failing = false
    assert.equal(ben.events().length, heard)
    assert.deepEqual(ben.client.notes.at(-1), { type: 'lost', room: place.room })
    const back = async (guest: typeof ben, n: number, seq: number) => {
      const answer = await guest.client.ask('resume', { room: place.room, token: guest.seat.token, epoch: guest.seat.epoch, n, seq })
      return answer
    }
    for (const guest of [ada, ben]) {
      const { n } = guest.client.heard.get(place.room)?.at(-1) ?? { n: 0 }
      const answer = await harness.done(back(guest, n, 1))
      assert.deepEqual([answer.error, answer.value?.replay, answer.value?.seq], [undefined, 'mailbox', 1])
    }
    assert.equal(await ada.say('after'), 2)
    assert.deepEqual(
      (await ben.may('backlog', { after: 0 })).messages.map(({ seq }) => seq),
      [1, 2],
    )
  })

  test('what waits for its answer is bounded for each seat', async () => {
    const place = scene(harness)
    const ada = await place.enter()
    const asked = Array.from({ length: 70 }, () => ada.client.ask('members', { room: place.room }))
    const answers = await harness.done(Promise.all(asked))
    assert.deepEqual(answers.filter(({ error }) => error === 'rate-limited').length, 6)
  })
})
