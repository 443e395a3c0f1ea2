import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newSecret, sealedText } from '../../support/room-client.ts'
import { roomHarness, type RoomHarness } from '../../support/room-harness.ts'

describe('messages of a room', () => {
  let harness: RoomHarness
  before(async () => {
    harness = await roomHarness()
  })
  after(() => harness.close())

  test('a message', async () => {
    const [ada, ben] = [await harness.connect(), await harness.connect()]
    const [room, key] = ['chat.example/first', newSecret()]
    const a = await harness.done(ada.join(room, key))
    assert.equal(a.error, undefined, JSON.stringify(a))
    const b = await harness.done(ben.join(room, key, { create: null }))
    assert.equal(b.error, undefined, JSON.stringify(b))
    const sent = await harness.done(ada.ask('send', { room, text: sealedText('hello') }))
    assert.deepEqual(sent.value?.seq, 1)
    assert.equal(ben.events(room).length, 1)
    const person = harness.person()
    const cid = await harness.connect({ token: harness.signIn(person) })
    await harness.done(cid.join(room, key))
    const cl = await harness.done(cid.ask('claim', { room }))
    assert.deepEqual(cl, { value: {} })
    await harness.done(ada.ask('send', { room, text: sealedText('stored') }))
    assert.equal((await harness.done(ben.ask('backlog', { room, after: 0 }))).value?.messages.length, 1)
  })
})
