import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { limitRoom, listClaimedRooms } from '@deputy/contract/api-rooms'
import type { RoomClaimOptions, RoomEvent } from '@deputy/client/rooms'
import type { Page } from 'playwright-core'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { openRoomPage } from '../support/room-page.ts'
import { ok, signUp, type TestPerson } from '../support/test-accounts.ts'
import { hour, minute, testClock } from '../support/test-clock.ts'

const clock = testClock(Date.now())
const newKey = (): string => randomBytes(32).toString('base64url')
let deputy: TestDeputy
let ada: TestPerson
let ben: TestPerson
let eve: TestPerson
before(async () => {
  // The clock is moved on while nobody renews: what a process holds must outlast that.
  deputy = await startDeputy({ config: { accounts: { premium: 'everyone' }, rooms: { claims: 2, hold: '1s', lease: '1d' } }, seams: { clock } })
  ;[ada, ben, eve] = await Promise.all([signUp(deputy.server, 'Ada'), signUp(deputy.server, 'Ben'), signUp(deputy.server, 'Eve')])
})
after(() => deputy?.[Symbol.asyncDispose]())

/** Takes a seat on the page; answers the invite. */
const enter = (page: Page, name: string, key: string): Promise<string> =>
  page.evaluate(async ([name, key]) => roomRealm.rooms[await roomRealm.open(name, { key })]!.room.invite, [name, key] as const)
const join = (page: Page, invite: string): Promise<string> => page.evaluate(async invite => roomRealm.rooms[await roomRealm.join(invite)]!.room.self.id, invite)
const claim = (page: Page, options: RoomClaimOptions = {}, at = 0): Promise<string> =>
  page.evaluate(([options, at]) => roomRealm.outcome(roomRealm.rooms[at]!.room.claim(options)), [options, at] as const)
/** Waits for the newest claim event of a page to be this one. */
const hearsClaim = (page: Page, told: Partial<Extract<RoomEvent, { type: 'claim' }>>, at = 0) =>
  page.waitForFunction(
    ([told, at]) => {
      const last = roomRealm.rooms[at]!.events.findLast(event => event.type === 'claim')
      return last !== undefined && Object.entries(told).every(([name, value]) => last[name as keyof typeof last] === value)
    },
    [told, at] as const,
  )
/** The account's own list of its claimed room. */
const claimed = async ({ token }: TestPerson, name: string) =>
  ok(await deputy.server.call(listClaimedRooms, {}, token)).rooms.find(({ room }) => room.endsWith(`/${name}`))
const isClaimed = (page: Page, at = 0): Promise<boolean> => page.evaluate(at => roomRealm.rooms[at]!.room.claimed, at)
/** How every change of the room ends on this page. */
const changes = (page: Page, member: string, own: number): Promise<string[]> =>
  page.evaluate(
    async ([member, own]) => {
      const { room } = roomRealm.rooms[0]!
      const { outcome } = roomRealm
      const ends = []
      for (const change of [
        () => room.setDefault('send', true),
        () => room.limit(900, member),
        () => room.grant(member, 'block'),
        () => room.revoke(member, 'block'),
        () => room.setMailbox(true),
        () => room.unblock(member),
        () => room.edit(own, 'edited'),
        () => room.delete(own),
      ])
        ends.push(await outcome(change()))
      return ends
    },
    [member, own] as const,
  )
/** How they end where they are allowed; nobody was blocked. */
const granted = ['ok', 'ok', 'ok', 'ok', 'ok', 'RoomsError not-found: rooms: no such member', 'ok', 'ok']
const say = (page: Page, text: string): Promise<number> =>
  page.evaluate(async text => {
    const heard = roomRealm.rooms[0]!
    await heard.room.send(text)
    const event = await heard.until(event => event.type === 'message' && event.message.text === text)
    return event.type === 'message' ? event.message.seq : 0
  }, text)

test(
  'CLAIM-3, CLAIM-9, CLAIM-11: another app of the account cannot describe, end or change an app’s room, unless the two are one; other accounts are answered as ever',
  { timeout: 60_000 },
  async () => {
    const origins = ['rules', 'silent', 'same'].map(name => deputy.web.origin(name))
    for (const name of ['rules', 'same']) deputy.web.serve(name, '/.well-known/deputy.json', JSON.stringify({ app: 'team', origins }))
    deputy.web.serve('silent', '/.well-known/deputy.json', (_request, response) => void response.destroy())
    const own = await openRoomPage(deputy, 'rules', ada)
    const invite = await enter(own, 'ruled', newKey())
    assert.equal(await claim(own, { description: 'first', temporary: hour }), 'ok')
    const until = (await claimed(ada, 'ruled'))?.expiresAt
    const [other, silent, same, guest] = await Promise.all([
      openRoomPage(deputy, 'another', ada),
      openRoomPage(deputy, 'silent', ada),
      openRoomPage(deputy, 'same', ada),
      openRoomPage(deputy, 'another-guest', ben),
    ])
    for (const page of [other, silent, same]) await join(page, invite)
    const member = await join(guest, invite)

    const words = await say(other, 'speaking is no change')
    assert.equal(await claim(other, { description: 'theirs' }), 'RoomsError denied: rooms: only the app that claimed the room can describe it')
    assert.equal(await claim(other, { temporary: minute }), 'RoomsError denied: rooms: only the app that claimed the room can set when it expires')
    assert.equal(await claim(other), 'ok')
    assert.deepEqual(await changes(other, member, words), Array(8).fill('RoomsError denied: rooms: only the app that claimed the room can change it'))
    for (const type of ['remove', 'block'] as const)
      assert.equal(
        await other.evaluate(([type, member]) => roomRealm.outcome(roomRealm.rooms[0]!.room[type](member)), [type, member] as const),
        'RoomsError denied: rooms: only the app that claimed the room can change it',
      )
    const unsure = await say(silent, 'nobody can tell')
    const cannotTell = 'RoomsError unavailable: rooms: cannot tell whether two apps are one'
    assert.deepEqual(await changes(silent, member, unsure), Array(8).fill(cannotTell))
    assert.equal(await claim(silent, { description: 'theirs' }), cannotTell)
    assert.equal(await claim(silent, { temporary: minute }), cannotTell)
    const { description, expiresAt } = (await claimed(ada, 'ruled'))!
    assert.deepEqual([description, expiresAt], ['first', until], 'the room is as it was')

    const theirs = await say(guest, 'of another account')
    assert.deepEqual(
      (await changes(guest, member, theirs)).map(end => end.replace(/^.*: /, '')),
      [...Array.from({ length: 5 }, () => 'not the room owner'), 'permission denied', 'ok', 'ok'],
    )

    assert.equal(await claim(same, { description: 'ours', temporary: 2 * hour }), 'ok')
    assert.deepEqual(await changes(same, member, await say(same, 'one app')), granted)
    assert.equal(await claim(own), 'ok')
    const after = (await claimed(ada, 'ruled'))!
    assert.deepEqual([after.description, after.expiresAt], ['ours', null], 'kept without a description, permanent without a time')
    await own.evaluate(() => roomRealm.rooms[0]!.room.release())
  },
)

test('CLAIM-12: any app of the account changes, describes, ends and releases a claimed global room', { timeout: 60_000 }, async () => {
  const [own, other, guest] = await Promise.all([
    openRoomPage(deputy, 'wide', ada),
    openRoomPage(deputy, 'wider', ada),
    openRoomPage(deputy, 'wider-guest', ben),
  ])
  const invite = await enter(own, 'global/wide', newKey())
  assert.equal(await claim(own, { description: 'first' }), 'ok')
  await join(other, invite)
  const member = await join(guest, invite)
  assert.deepEqual(await changes(other, member, await say(other, 'here')), granted)
  assert.equal(await claim(other, { description: 'second', temporary: hour }), 'ok')
  const listed = (await claimed(ada, 'wide'))!
  assert.deepEqual([listed.description, listed.expiresAt], ['second', clock.now() + hour])
  assert.match(await guest.evaluate(() => roomRealm.outcome(roomRealm.rooms[0]!.room.release())), /not the room owner/)
  assert.equal(await other.evaluate(() => roomRealm.outcome(roomRealm.rooms[0]!.room.release())), 'ok')
  await hearsClaim(guest, { claimed: false })
  assert.equal(await claimed(ada, 'wide'), undefined)
})

test(
  'CLAIM-5, CLAIM-7, CLAIM-8: the clock starts on every claim, the latest decides; at its end the name, the messages and the place are given back and everyone stays',
  { timeout: 60_000 },
  async () => {
    const [page, guest] = await Promise.all([openRoomPage(deputy, 'timed', eve), openRoomPage(deputy, 'timed-guest', ben)])
    const key = newKey()
    const invites = [await enter(page, 'first', key), await enter(page, 'second', key)]
    for (const invite of invites) await join(guest, invite)
    assert.equal(await claim(page, { temporary: minute, mailbox: false }), 'ok')
    assert.equal(await claim(page, { temporary: minute }, 1), 'ok')
    clock.advance(50_000)
    assert.equal(await claim(page, { temporary: minute, mailbox: true }), 'ok')
    assert.equal((await claimed(eve, 'first'))?.mailbox, false, 'mailbox is not read on a held room')
    await page.evaluate(() => roomRealm.rooms[1]!.room.send('deleted with the claim'))
    clock.advance(10_000)
    for (const listener of [page, guest]) await hearsClaim(listener, { claimed: false, mailbox: false }, 1)
    assert.equal(await isClaimed(page), true, 'the first began anew')
    const stays = await guest.evaluate(async () => {
      const { room, events } = roomRealm.rooms[1]!
      await room.send('still here')
      return {
        end: roomRealm.rooms[1]!.end,
        claimed: room.claimed,
        backlog: await room.backlog(0),
        usage: await room.usage(),
        deleted: events.some(({ type }) => type === 'deleted'),
      }
    })
    assert.deepEqual(stays, { end: undefined, claimed: false, backlog: { last: 0, more: false }, usage: null, deleted: false })
    clock.advance(50_000)
    await hearsClaim(guest, { claimed: false })
    assert.equal(await claim(page, { mailbox: true, temporary: minute }), 'ok')
    assert.equal((await claimed(eve, 'first'))?.mailbox, true, 'mailbox is read again')
    assert.equal(await claim(page, { temporary: minute }, 1), 'ok', 'both places of the account were free')
    assert.equal(await claim(page), 'ok')
    clock.advance(10 * minute)
    await hearsClaim(page, { claimed: false }, 1)
    assert.equal(await isClaimed(page), true, 'permanent by the latest claim')
    for (const listener of [page, guest]) await listener.evaluate(() => roomRealm.rooms[1]!.room.leave())
    await enter(page, 'second', newKey())
    assert.equal(await page.evaluate(() => roomRealm.rooms[2]!.room.claimed), false, 'the name is free for another key')
    await page.evaluate(() => roomRealm.rooms[0]!.room.release())
  },
)

test('CLAIM-7: while the service cannot be reached a claim answers unavailable, and the room keeps its old end', { timeout: 60_000 }, async () => {
  const [page, guest] = await Promise.all([openRoomPage(deputy, 'cut', eve), openRoomPage(deputy, 'cut-guest', ben)])
  let isCut = false
  let cut = async (): Promise<void> => {}
  await page.routeWebSocket(/\/v1\/rooms$/, route => {
    if (isCut) return void route.close({ code: 1001 })
    route.connectToServer()
    cut = () => route.close({ code: 1001 })
  })
  await join(guest, await enter(page, 'cut', newKey()))
  assert.equal(await claim(page, { temporary: minute }), 'ok')
  const until = (await claimed(eve, 'cut'))?.expiresAt
  isCut = true
  await cut()
  assert.equal(await claim(page, { temporary: hour }), 'RoomsError unavailable: rooms: rooms are unavailable')
  assert.equal((await claimed(eve, 'cut'))?.expiresAt, until)
  clock.advance(minute)
  await hearsClaim(guest, { claimed: false })
})

test(
  'CLAIM-14, ROOM-20: a mailbox turned off deletes without a deleted event and turned on starts empty; who owns a claimed room',
  { timeout: 60_000 },
  async () => {
    const [page, guest] = await Promise.all([openRoomPage(deputy, 'boxes', ada), openRoomPage(deputy, 'boxes-guest', ben)])
    const invite = await enter(page, 'boxes', newKey())
    assert.equal(await claim(page), 'ok')
    const owner = await page.evaluate(() => roomRealm.rooms[0]!.room.self.id)
    await page.evaluate(() => roomRealm.rooms[0]!.room.send('stored'))
    await join(guest, invite)
    assert.equal(await guest.evaluate(() => roomRealm.outcome(roomRealm.rooms[0]!.room.setMailbox(false))), 'RoomsError denied: rooms: not the room owner')
    await page.evaluate(() => roomRealm.rooms[0]!.room.setMailbox(false))
    await hearsClaim(guest, { claimed: true, mailbox: false, owner })
    const off = await guest.evaluate(async () => {
      const { room, events } = roomRealm.rooms[0]!
      return { backlog: await room.backlog(0), mailbox: room.mailbox, deleted: events.some(({ type }) => type === 'deleted') }
    })
    assert.deepEqual(off, { backlog: { last: 0, more: false }, mailbox: null, deleted: false })
    await page.evaluate(() => roomRealm.rooms[0]!.room.setMailbox(true))
    await hearsClaim(guest, { claimed: true, mailbox: true, owner })
    assert.deepEqual(await guest.evaluate(() => roomRealm.rooms[0]!.room.usage()), { archived: false, bytes: 0, cap: 500_000_000, messages: 0 })
    await page.evaluate(() => roomRealm.rooms[0]!.room.leave())
    await guest.evaluate(() => roomRealm.rooms[0]!.room.leave())
    await join(guest, invite)
    assert.deepEqual(await guest.evaluate(() => [roomRealm.rooms[1]!.room.owner, roomRealm.rooms[1]!.room.claimed]), ['', true])
    const again = await join(page, invite)
    await hearsClaim(guest, { claimed: true, mailbox: true, owner: again }, 1)
    assert.notEqual(again, owner)
    await page.evaluate(() => roomRealm.rooms[1]!.room.release())
    await hearsClaim(guest, { claimed: false, mailbox: false, owner: again }, 1)
  },
)

test('ROOM-5: what a room says of itself, as it is and as events change it', { timeout: 60_000 }, async () => {
  const [page, guest] = await Promise.all([openRoomPage(deputy, 'members', ada), openRoomPage(deputy, 'members-guest', ben)])
  const key = newKey()
  const invite = await enter(page, 'said', key)
  await join(guest, invite)
  const said = (target: Page) =>
    target.evaluate(() => {
      const { id, name, invite, key, owner, self, claimed, mailbox, mailboxSwitch, temporaryClaims } = roomRealm.rooms[0]!.room
      return { id, name, invite, key, owner, self, claimed, mailbox, mailboxSwitch, temporaryClaims }
    })
  const [own, theirs] = [await said(page), await said(guest)]
  const { host } = new URL(deputy.web.origin('members'))
  const permissions = { send: true, receive: true, remove: true, block: true }
  const self = { id: own.self.id, maxMessageBytes: 65_536, permissions }
  const rest = { claimed: false, mailbox: null, mailboxSwitch: true, temporaryClaims: true }
  assert.match(self.id, /^[A-Za-z0-9_-]{22}$/)
  assert.deepEqual(own, { id: `${host}/said`, name: 'said', invite: `${key}.${host}/said`, key, owner: self.id, self, ...rest })
  assert.deepEqual(theirs, { ...own, self: { id: theirs.self.id, maxMessageBytes: 65_536, permissions: { ...permissions, remove: false, block: false } } })
  await page.evaluate(async guest => {
    const { room } = roomRealm.rooms[0]!
    await room.claim()
    await room.grant(guest, 'remove')
    await room.setDefault('send', false)
  }, theirs.self.id)
  await guest.waitForFunction(() => !roomRealm.rooms[0]!.room.self.permissions.send)
  const now = await said(guest)
  assert.deepEqual([now.claimed, now.self.permissions], [true, { send: false, receive: true, remove: true, block: false }])
  assert.equal(await guest.evaluate(async () => roomRealm.rooms[0]!.room.closed instanceof Promise), true)
  await page.evaluate(() => roomRealm.rooms[0]!.room.release())
})

test('ROOM-21: refusals cross as data with a code and a message, and the library throws them with that code', { timeout: 60_000 }, async () => {
  const { page } = await deputy.openApp('data')
  const data = await page.evaluate(async () => [
    await app.broker.rooms.open('no such name!'),
    await app.broker.rooms.open('name', { key: 'short' }),
    await app.broker.rooms.join('nonsense'),
  ])
  assert.deepEqual(data, [
    { error: 'invalid', message: 'rooms: the name is malformed' },
    { error: 'invalid', message: 'rooms: malformed frame' },
    { error: 'invalid', message: 'rooms: the invite is malformed' },
  ])
  const thrown = await (
    await openRoomPage(deputy, 'data')
  ).evaluate(() =>
    roomRealm.client.rooms.join('nonsense').catch((error: unknown) => error instanceof roomRealm.client.RoomsError && [error.code, error.message]),
  )
  assert.deepEqual(thrown, ['invalid', 'rooms: the invite is malformed'])
})

test('ROOM-E3: bad-key, not-found, full, blocked, rate-limited, too-large, quota and closed reach the app by their codes', { timeout: 60_000 }, async () => {
  const [page, guest] = await Promise.all([openRoomPage(deputy, 'codes', ada), openRoomPage(deputy, 'codes-guest', ben)])
  const invite = await page.evaluate(async () => roomRealm.rooms[await roomRealm.open('codes', { members: 2 })]!.room.invite)
  assert.equal(await claim(page), 'ok')
  ok(await deputy.server.call(limitRoom, { room: invite.slice(44), cap: 299 }, ada.token))
  const member = await join(guest, invite)
  const codes = await guest.evaluate(async invite => {
    const { room } = roomRealm.rooms[0]!
    const { join } = roomRealm.client.rooms
    const code = (promise: Promise<unknown>) =>
      promise.then(
        () => 'ok',
        (error: { code: string }) => error.code,
      )
    const [first, second, large] = [await code(room.send('fits')), await code(room.send('does not fit')), await code(room.send('x'.repeat(60_000)))]
    const sent = await Promise.all(Array.from({ length: 80 }, () => code(room.send('much'))))
    return {
      first,
      second,
      large,
      sent: [...new Set(sent)].toSorted(),
      key: await code(join(`${'A'.repeat(43)}${invite.slice(43)}`)),
      none: await code(join(`${invite}-gone`)),
      full: await code(join(invite)),
    }
  }, invite)
  assert.deepEqual(codes, {
    first: 'ok',
    second: 'quota',
    large: 'too-large',
    sent: ['quota', 'rate-limited'],
    key: 'bad-key',
    none: 'not-found',
    full: 'full',
  })
  await page.evaluate(member => roomRealm.rooms[0]!.room.block(member), member)
  await guest.waitForFunction(() => roomRealm.rooms[0]!.end === 'blocked')
  const after = await guest.evaluate(async invite => {
    const code = (promise: Promise<unknown>) =>
      promise.then(
        () => 'ok',
        (error: { code: string }) => error.code,
      )
    return [await code(roomRealm.rooms[0]!.room.send('x')), await code(roomRealm.client.rooms.join(invite))]
  }, invite)
  assert.deepEqual(after, ['closed', 'blocked'])
})
