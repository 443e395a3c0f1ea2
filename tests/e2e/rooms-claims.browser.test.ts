import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { openRoomPage, roomsReady } from '../support/room-page.ts'
import { signUp, type TestPerson } from '../support/test-accounts.ts'
import { bundle, pageOf } from '../support/web-origins.ts'

let deputy: TestDeputy
/** The only account with premium. */
let ada: TestPerson
before(async () => {
  deputy = await startDeputy({ config: { rooms: { claims: 2 } } })
  ada = await signUp(deputy.server, 'Ada')
})
after(() => deputy?.[Symbol.asyncDispose]())

test('CLAIM-1, CLAIM-2, CLAIM-4, CLAIM-6, CLAIM-13: claims and their refusals reach the app', async () => {
  const guest = await openRoomPage(deputy, 'claims')
  await guest.evaluate(() => roomRealm.open('unclaimed'))
  assert.equal(await guest.evaluate(() => roomRealm.outcome(roomRealm.rooms[0]!.room.claim())), 'RoomsError denied: rooms: a claim needs a premium account')
  const page = await openRoomPage(deputy, 'claimer', ada)
  const seen = await page.evaluate(async () => {
    const heard = roomRealm.rooms[await roomRealm.open('claimed')]!
    const { room } = heard
    const { outcome } = roomRealm
    const refused = []
    for (const bad of [{ description: '' }, { description: 'a\nb' }, { description: 'x'.repeat(201) }, { temporary: 59_999 }, { temporary: 1.5 + 60_000 }])
      refused.push(await outcome(room.claim(bad)))
    await room.claim({ mailbox: false, temporary: true, description: '  a line  ' })
    const edit = await outcome(room.edit(1, 'x'))
    const backlog = await room.backlog(0)
    const { claimed } = room
    await room.release()
    await heard.until(event => event.type === 'claim' && !event.claimed)
    return { refused: [...new Set(refused)], edit, backlog, claimed, released: room.claimed }
  })
  assert.deepEqual(seen, {
    refused: ['RoomsError invalid: rooms: malformed frame'],
    edit: 'RoomsError invalid: rooms: the room keeps no messages',
    backlog: { last: 0, more: false },
    claimed: true,
    released: false,
  })
})

test('past the account’s room limit a claim is refused full where no card can be shown, until another room is released', async () => {
  const page = await openRoomPage(deputy, 'limited', ada)
  const seen = await page.evaluate(async () => {
    const outcomes: string[] = []
    for (const name of ['one', 'two', 'three']) {
      const { room } = roomRealm.rooms[await roomRealm.open(name)]!
      outcomes.push(await roomRealm.outcome(room.claim()))
    }
    const { room } = roomRealm.rooms[0]!
    await room.release()
    outcomes.push(await roomRealm.outcome(roomRealm.rooms[2]!.room.claim()))
    await roomRealm.rooms[1]!.room.release()
    await roomRealm.rooms[2]!.room.release()
    return outcomes
  })
  assert.deepEqual(seen, ['ok', 'ok', 'RoomsError full: rooms: too many claims', 'ok'])
})

test('CLAIM-15: of an older broker’s room the library refuses what it would drop, and passes the rest on', async () => {
  deputy.web.serve('old-rooms', '/frame', pageOf(await bundle(join(import.meta.dirname, '../support/old-broker-script.ts'))))
  const page = await openRoomPage(deputy, 'modern-rooms')
  await page.goto(`${deputy.web.origin('modern-rooms')}/?broker=${encodeURIComponent(deputy.web.origin('old-rooms'))}`)
  await roomsReady(page)
  const seen = await page.evaluate(async () => {
    const { room } = roomRealm.rooms[await roomRealm.open('room')]!
    const { outcome } = roomRealm
    return {
      marks: [room.mailboxSwitch, room.temporaryClaims],
      refused: [
        await outcome(room.claim({ mailbox: false })),
        await outcome(room.setMailbox(true)),
        await outcome(room.claim({ temporary: true })),
        await outcome(room.claim({ temporary: 60_000 })),
      ],
      passed: await outcome(room.claim({ mailbox: true, temporary: false })),
    }
  })
  const mailbox = 'RoomsError unavailable: rooms: the mailbox switch is not available'
  const temporary = 'RoomsError unavailable: rooms: temporary claims are not available'
  assert.deepEqual(seen, {
    marks: [undefined, undefined],
    refused: [mailbox, mailbox, temporary, temporary],
    passed: 'RoomsError full: claimed with {"mailbox":true,"temporary":false}',
  })
})
