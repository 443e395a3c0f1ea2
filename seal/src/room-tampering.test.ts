import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encode } from './base64url.ts'
import { FRAME_OVERHEAD, mintRoomKey, openSealedRoom, sealedTextLength } from './index.ts'

const integrity = { name: 'SealError', code: 'integrity' }
const key = mintRoomKey()
const room = 'app.example/lobby'
const sealed = await openSealedRoom(key, room)
const [ada, eve] = [await sealed.takeSeat(), await sealed.takeSeat()]
const [adaKey, eveKey] = [await sealed.openCredential(ada.id, ada.credential), await sealed.openCredential(eve.id, eve.credential)]
const send = { kind: 'send' } as const
const honest = await ada.seal('as it was said', 1)

test('ROOM-22: what was sealed opens; a wire text is 108 bytes and 144 characters longer than nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), async (text, counter) => {
      const wire = await ada.seal(text, counter)
      assert.equal(wire.length, sealedTextLength(text))
      const frame = await sealed.open(adaKey, send, wire)
      assert.deepEqual([frame.text, frame.counter], [text, counter])
    }),
    { numRuns: 100 },
  )
  assert.deepEqual([FRAME_OVERHEAD, sealedTextLength(''), (await ada.seal('', 1)).length], [108, 144, 144])
})

test('a flipped bit anywhere is refused', async () => {
  const bytes = Buffer.from(honest, 'base64url')
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), async bit => {
      const flipped = Uint8Array.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      await assert.rejects(sealed.open(adaKey, send, encode(flipped)), integrity)
    }),
    { numRuns: 300 },
  )
})

test('a frame cut short, made longer, spelled another way or of a hostile length is refused', async () => {
  for (let length = 0; length < honest.length; length += 7) await assert.rejects(sealed.open(adaKey, send, honest.slice(0, length)), integrity)
  const others = [`${honest}A`, `${honest}AAAA`, `${honest}=`, ` ${honest}`, honest.replace(/.$/, '+'), 'A'.repeat(143), 'A'.repeat(144), 'A'.repeat(2 ** 22)]
  for (const wire of [...others, undefined, null, 7, {}]) await assert.rejects(sealed.open(adaKey, send, wire as string), integrity)
})

test('a message told as another member’s is refused, both ways', async () => {
  await assert.rejects(sealed.open(eveKey, send, honest), integrity)
  await assert.rejects(sealed.open(adaKey, send, await eve.seal('in her name', 1)), integrity)
  await assert.rejects(sealed.open({ ...eveKey, id: ada.id }, send, honest), integrity)
})

test('a message of another room of the same key is refused, and so is its credential', async () => {
  const other = await openSealedRoom(key, 'app.example/other')
  await assert.rejects(other.open(adaKey, send, honest), integrity)
  await assert.rejects(other.openCredential(ada.id, ada.credential), integrity)
  assert.notEqual((await other.takeSeat(ada.seed)).id, ada.id)
  assert.notEqual(other.verifier, sealed.verifier)
})

test('the wrong key opens nothing', async () => {
  const wrong = await openSealedRoom(mintRoomKey(), room)
  await assert.rejects(wrong.open(adaKey, send, honest), integrity)
  await assert.rejects(wrong.openCredential(ada.id, ada.credential), integrity)
})

test('an edit opens only as this revision of this sender’s message, and never as a message', async () => {
  const edit = await eve.sealEdit('replaced', { from: ada.id, counter: 4, revision: 2 })
  assert.equal((await sealed.open(eveKey, { kind: 'edit', from: ada.id, revision: 2 }, edit)).counter, 4)
  await assert.rejects(sealed.open(eveKey, { kind: 'edit', from: ada.id, revision: 1 }, edit), integrity)
  await assert.rejects(sealed.open(eveKey, { kind: 'edit', from: ada.id, revision: 3 }, edit), integrity)
  await assert.rejects(sealed.open(eveKey, { kind: 'edit', from: eve.id, revision: 2 }, edit), integrity)
  await assert.rejects(sealed.open(adaKey, { kind: 'edit', from: ada.id, revision: 2 }, edit), integrity)
  await assert.rejects(sealed.open(eveKey, send, edit), integrity)
  await assert.rejects(sealed.open(adaKey, { kind: 'edit', from: ada.id, revision: 1 }, honest), integrity)
})

test('ROOM-6: a member nobody with the room key made is refused', async () => {
  await assert.rejects(sealed.openCredential(eve.id, ada.credential), integrity)
  await assert.rejects(sealed.openCredential('A'.repeat(22), ada.credential), integrity)
  for (const credential of ['', 'A'.repeat(91), ada.credential.slice(0, -4), `${ada.credential}AAAA`]) {
    await assert.rejects(sealed.openCredential(ada.id, credential), integrity)
  }
  const bytes = Buffer.from(ada.credential, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const flipped = Uint8Array.from(bytes)
    flipped[at] = (flipped[at] ?? 0) ^ 1
    await assert.rejects(sealed.openCredential(ada.id, encode(flipped)), integrity)
  }
})

test('ROOM-6: seats are fresh, and a seed makes the same seat again', async () => {
  assert.notEqual(ada.id, eve.id)
  assert.match(ada.id, /^[A-Za-z0-9_-]{22}$/)
  assert.equal((await sealed.takeSeat(ada.seed)).id, ada.id)
  for (const seed of ['', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}B`]) await assert.rejects(sealed.takeSeat(seed), { code: 'invalid-key' })
})

test('a key or room id that is none is refused by name', async () => {
  for (const bad of ['', 'A'.repeat(42), `${'A'.repeat(42)}B`, `${'A'.repeat(42)}=`]) await assert.rejects(openSealedRoom(bad, room), { code: 'invalid-key' })
  for (const bad of ['', 'ab', 'a b/c', 'ä/b', `a/${'b'.repeat(400)}`]) await assert.rejects(openSealedRoom(key, bad), { code: 'invalid-room' })
})
