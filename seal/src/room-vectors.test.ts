import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import vectors from '../vectors/room-frames.json' with { type: 'json' }
import { formatRoomInvite, openSealedRoom, parseRoomInvite, sealedTextLength } from './index.ts'
import { sealFrame, type FrameKind } from './room-frame.ts'
import { deriveRoom } from './room-key.ts'
import { sealCredential, seatKey } from './room-member.ts'
import * as second from './room-second-implementation.test-support.ts'

const hex = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'hex'))
const raw = (text: string): Buffer => Buffer.from(text, 'base64url')

for (const { room, key, seed, member, frames, ...vector } of vectors.rooms) {
  test(`the vectors of ${room}: what is derived, sealed and opened`, async () => {
    const keys = await deriveRoom(key, room)
    const seat = await seatKey(keys.room, raw(seed))
    assert.deepEqual([keys.verifier, seat.id, Buffer.from(seat.publicKey).toString('base64url')], [vector.verifier, member, vector.publicKey])
    const { since, nonce, sealed: credential } = vector.credential
    assert.equal(await sealCredential(keys, seat, since, hex(nonce)), credential)
    const opened = await openSealedRoom(key, room)
    const author = await opened.openCredential(member, credential)
    assert.deepEqual([author.id, author.since], [member, since])
    for (const { edit, ...frame } of frames) {
      const kind: FrameKind = edit === undefined ? { kind: 'send' } : { kind: 'edit', ...edit }
      assert.equal(await sealFrame(keys, seat, kind, frame, hex(frame.nonce)), frame.sealed, frame.name)
      const { text, counter, sentAt } = frame
      assert.deepEqual(await opened.open(author, kind, frame.sealed), { counter, sentAt, text }, frame.name)
      assert.equal(sealedTextLength(text), frame.sealed.length, frame.name)
    }
    assert.equal(formatRoomInvite({ key, id: room }), vector.invite)
  })

  test(`the vectors of ${room}: the second implementation agrees at every step`, () => {
    const { publicKey } = second.pairOf(raw(seed))
    assert.equal(publicKey.toString('base64url'), vector.publicKey)
    assert.equal(second.verifier(key, room).toString('base64url'), vector.verifier)
    assert.equal(second.memberId(room, publicKey), member)
    assert.equal(second.messageKey(key, room, member).toString('hex'), vector.messageKey)
    const { since, nonce, sealed } = vector.credential
    assert.equal(second.credential(key, room, raw(seed), since, Buffer.from(nonce, 'hex')), sealed)
    for (const frame of frames) {
      const kind = { room, author: member, edit: frame.edit }
      assert.equal(second.additionalData(kind).toString('hex'), frame.additionalData, frame.name)
      assert.equal(second.seal(key, kind, raw(seed), frame, Buffer.from(frame.nonce, 'hex')), frame.sealed, frame.name)
      assert.equal(second.open(key, kind, publicKey, frame.sealed).text, frame.text, frame.name)
    }
  })
}

test('what one implementation seals under fresh keys the other opens', async () => {
  const [key, room] = [randomBytes(32).toString('base64url'), 'app.example/fresh']
  const opened = await openSealedRoom(key, room)
  const seat = await opened.takeSeat()
  const content = { text: 'ours', counter: 5 }
  const read = second.open(key, { room, author: seat.id }, raw(seat.publicKey), await seat.seal(content.text, content.counter))
  assert.deepEqual([read.text, read.counter], ['ours', 5])
  const edit = { from: 'A'.repeat(22), revision: 2 }
  assert.equal(second.open(key, { room, author: seat.id, edit }, raw(seat.publicKey), await seat.sealEdit('new', { ...edit, counter: 3 })).counter, 3)
  const seed = randomBytes(32)
  const id = second.memberId(room, second.pairOf(seed).publicKey)
  const author = await opened.openCredential(id, second.credential(key, room, seed, 1, randomBytes(12)))
  const theirs = second.seal(key, { room, author: id }, seed, { counter: 1, sentAt: 2, text: 'theirs' }, randomBytes(12))
  assert.deepEqual(await opened.open(author, { kind: 'send' }, theirs), { counter: 1, sentAt: 2, text: 'theirs' })
})

test('ROOM-3: the vectors’ invites are taken and refused', () => {
  for (const invite of vectors.invites.valid) assert.equal(formatRoomInvite(parseRoomInvite(invite)), invite)
  for (const invite of vectors.invites.invalid) assert.throws(() => parseRoomInvite(invite), { code: 'invalid-invite' }, invite)
})
