import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startDeputy } from '../support/deputy.ts'
import { openRoomPage } from '../support/room-page.ts'
import { signUp } from '../support/test-accounts.ts'

/** The forms in which bytes may stand in others: as they are, in hex, and in base64 and base64url at each of the three places they may begin. */
function formsOf(secret: Buffer): { readonly form: string; readonly needle: Buffer }[] {
  const encoded = [0, 1, 2].flatMap(before => {
    // Characters that bytes beside the secret have a part in are cut off.
    const whole = Buffer.concat([Buffer.alloc(before), secret])
      .toString('base64')
      .replaceAll('=', '')
    const text = whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + secret.length) * 8) / 6))
    return [
      { form: `base64 after ${before}`, needle: Buffer.from(text) },
      { form: `base64url after ${before}`, needle: Buffer.from(text.replaceAll('+', '-').replaceAll('/', '_')) },
    ]
  })
  const hex = secret.toString('hex')
  return [
    { form: 'raw', needle: secret },
    { form: 'UTF-16', needle: Buffer.from(secret.toString('latin1'), 'utf16le') },
    { form: 'hex', needle: Buffer.from(hex) },
    { form: 'upper hex', needle: Buffer.from(hex.toUpperCase()) },
    ...encoded,
  ]
}

/** The forms of a secret that stand in the bytes. */
const found = (secret: Buffer, haystack: Buffer): string[] => formsOf(secret).flatMap(({ form, needle }) => (haystack.includes(needle) ? [form] : []))

/** Everything the page and its frames send and receive, from now on. */
function captured(page: Page): Buffer[] {
  const bytes: Buffer[] = []
  const keep = (data: string | Buffer | null): void => {
    if (data !== null) bytes.push(Buffer.from(data))
  }
  page.on('websocket', socket => {
    keep(socket.url())
    socket.on('framesent', ({ payload }) => keep(payload))
    socket.on('framereceived', ({ payload }) => keep(payload))
  })
  page.on('request', request => {
    keep(request.url())
    keep(JSON.stringify(request.headers()))
    keep(request.postDataBuffer())
  })
  return bytes
}

test('the search finds bytes in every form and at every place', () => {
  const secret = Buffer.from('planted bytes \u00ff of some length')
  for (const before of [0, 1, 2, 3, 7]) {
    const around = Buffer.concat([Buffer.alloc(before, 7), secret, Buffer.from('after')])
    for (const encoding of ['base64', 'base64url', 'hex'] as const)
      assert.ok(
        found(secret, Buffer.from(around.toString(encoding))).some(form => form.startsWith(encoding)),
        `${encoding} after ${before}`,
      )
    assert.ok(found(secret, around).includes('raw'))
    assert.ok(found(secret, Buffer.from(around.toString('hex').toUpperCase())).includes('upper hex'))
  }
  assert.deepEqual(found(secret, Buffer.from('nothing of the kind')), [])
})

test('ROOM-3, ROOM-22: after a session of two members neither a text, nor a room key, nor an invite is in the database, its journal, the log or on the wire', async () => {
  await using deputy = await startDeputy({ config: { operations: { log: 'info', sample: 1, slow: '0s' } } })
  const person = await signUp(deputy.server, 'Ada')
  const [page, guest] = await Promise.all([openRoomPage(deputy, 'planted', person), openRoomPage(deputy, 'planted-guest')])
  const wires = [captured(page), captured(guest)]
  const texts = ['message', 'edited', 'deleted', 'passing', 'of the guest', 'request', 'answer', 'payload'].map(name => `planted plaintext: ${name}`)
  const [message, edited, deleted, passing, ofGuest, request, answer, payload] = texts as [string, string, string, string, string, string, string, string]
  const planted = await page.evaluate(
    async ([message, edited, deleted]) => {
      const { room } = roomRealm.rooms[await roomRealm.open('planted')]!
      await room.claim({ description: 'known to be there' })
      for (const text of [message!, deleted!]) await room.send(text)
      await room.edit(1, edited!)
      await room.delete(2)
      return { invite: room.invite, key: room.key, self: room.self.id }
    },
    [message, edited, deleted],
  )
  await guest.evaluate(
    async ({ invite, ofGuest, answer }) => {
      const { room } = roomRealm.rooms[await roomRealm.join(invite)]!
      await room.backlog(0)
      await room.send(ofGuest)
      await roomRealm.parts.serve(room, 'ask', () => answer)
    },
    { invite: planted.invite, ofGuest, answer },
  )
  const back = await page.evaluate(
    async ({ request, payload, passing }) => {
      const { room } = roomRealm.rooms[0]!
      const guest = (await room.members()).find(({ id }) => id !== room.self.id)!.id
      const told = await roomRealm.parts.request(room, guest, 'ask', request)
      await roomRealm.parts.sendPayload(room, new TextEncoder().encode(payload))
      const unkept = roomRealm.rooms[await roomRealm.create()]!.room
      await unkept.send(passing)
      return { told, key: unkept.key, invite: unkept.invite }
    },
    { request, payload, passing },
  )
  assert.equal(back.told, answer)
  // The invite's key in the text it is written in, and the bytes it stands for.
  const secrets = new Map([
    ...texts.map(text => [text, Buffer.from(text)] as const),
    ...[planted, back].flatMap(({ key, invite }, at) => [
      [`key ${at}`, Buffer.from(key, 'base64url')] as const,
      [`key ${at} as text`, Buffer.from(key)] as const,
      [`invite ${at}`, Buffer.from(invite)] as const,
    ]),
  ])
  const entries = (await readdir(deputy.server.folder, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  const files = await Promise.all(entries.map(async ({ parentPath, name }) => ({ name, bytes: await readFile(join(parentPath, name)) })))
  const places = [
    ...files,
    { name: 'log', bytes: Buffer.from(deputy.server.log.join('\n')) },
    ...wires.map((wire, at) => ({ name: `wire ${at}`, bytes: Buffer.concat(wire) })),
  ]
  for (const [name, secret] of secrets) for (const place of places) assert.deepEqual(found(secret, place.bytes), [], `${name} in ${place.name}`)

  // What the server is meant to know is found where it is meant to be.
  const holds = (text: string): string[] => places.filter(({ bytes }) => found(Buffer.from(text), bytes).length > 0).map(({ name }) => name)
  const inRows = (names: string[]): boolean => names.some(name => name.startsWith('rows.sqlite'))
  for (const known of [`${new URL(deputy.web.origin('planted')).host}/planted`, 'known to be there']) {
    assert.ok(inRows(holds(known)), `${known} is in the database`)
    assert.ok(holds(known).includes('wire 0'), `${known} went over the wire`)
  }
  assert.ok(holds(planted.self).includes('wire 1'))
  assert.ok(holds('apps/redeem').includes('log'))
})
