import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { limitRoom, listClaimedRooms, unclaimRoom } from '@deputy/contract/api-rooms'
import type { Page } from 'playwright-core'
import { claimedEntry, openAccountWindow, unclaimIn } from '../support/account-window.ts'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { openRoomPage } from '../support/room-page.ts'
import { ok, signUp, type TestPerson } from '../support/test-accounts.ts'

let deputy: TestDeputy
/** The only account with premium. */
let ada: TestPerson
before(async () => {
  deputy = await startDeputy()
  ada = await signUp(deputy.server, 'Ada')
})
after(() => deputy?.[Symbol.asyncDispose]())

const section = (window: Page) => window.getByRole('region', { name: 'Claimed rooms' })
/** Presses a button of the room's entry, and again to be sure. */
async function surely(window: Page, title: string, action: 'Clear' | 'Unclaim'): Promise<void> {
  const entry = claimedEntry(window, title)
  await entry.getByRole('button', { name: `${action} ${title}` }).click()
  await entry.getByRole('button', { name: action, exact: true }).click()
}
const usageOf = (page: Page) => page.evaluate(() => roomRealm.rooms[0]!.room.usage())

test('the account page tells what is known of each claimed room, and that there is none', async () => {
  const window = await openAccountWindow(deputy, ada)
  await section(window).getByText('You have claimed no rooms.').waitFor()
  await section(window).getByText('0 of 100 rooms claimed').waitFor()
  const page = await openRoomPage(deputy, 'lists', ada)
  await page.evaluate(async () => {
    const [kept, passing, silent] = [await roomRealm.open('kept'), await roomRealm.open('global/passing'), await roomRealm.open('silent')].map(
      index => roomRealm.rooms[index]!.room,
    )
    await kept!.claim({ description: 'All of <b>us</b>' })
    for (const text of ['one', 'two']) await kept!.send(text)
    await passing!.claim({ temporary: 5.5 * 24 * 3_600_000 })
    await silent!.claim({ mailbox: false })
    await passing!.leave()
  })
  const bytes = (await page.evaluate(() => roomRealm.rooms[0]!.room.usage()))?.bytes ?? 0
  await window.bringToFront()
  await window.reload()
  const host = new URL(page.url()).host
  const kept = claimedEntry(window, 'All of <b>us</b>')
  for (const words of [`kept · ${host}`, `2 messages, ${bytes} bytes of 500 MB`, '1 member is there', 'permanent']) await kept.getByText(words).waitFor()
  const passing = claimedEntry(window, 'passing')
  for (const words of ['for all apps', '0 messages', 'nobody is there', /Temporary, ends in [56] days, \w{3} \d+, \d{4}/])
    await passing.getByText(words).waitFor()
  const silent = claimedEntry(window, 'silent')
  await silent.getByText('keeps no messages').waitFor()
  assert.equal(await silent.getByRole('button').count(), 1)
  await section(window).getByText('3 of 100 rooms claimed').waitFor()

  // Another premium account, or none, is shown nothing of them.
  const other = await signUp(deputy.server, 'Ben')
  assert.deepEqual(ok(await deputy.server.call(listClaimedRooms, {}, other.token)).rooms, [])
  for (const title of ['All of <b>us</b>', 'passing', 'silent']) await unclaimIn(window, title)
  await section(window).getByText('You have claimed no rooms.').waitFor()
  await window.close()
  await page.close()
})

test('CLAIM-16: clearing a room on the account page deletes its messages for all, and its size limit is the mailbox’s cap', async () => {
  const owner = await openRoomPage(deputy, 'clears', ada)
  const invite = await owner.evaluate(async () => {
    const { room } = roomRealm.rooms[await roomRealm.open('club')]!
    await room.claim({ description: 'The club' })
    return room.invite
  })
  const guest = await openRoomPage(deputy, 'clears-guest')
  await guest.evaluate(async key => {
    const { room } = roomRealm.rooms[await roomRealm.join(key)]!
    for (const text of ['one', 'two', 'three']) await room.send(text)
  }, invite)
  const window = await openAccountWindow(deputy, ada)
  await claimedEntry(window, 'The club').getByText('3 messages').waitFor()
  await claimedEntry(window, 'The club').getByText('2 members are there').waitFor()

  const limit = async (size: string, unit: string): Promise<void> => {
    const entry = claimedEntry(window, 'The club')
    await entry.getByRole('button', { name: 'Size limit of The club' }).click()
    await entry.getByLabel('The most it keeps').fill(size)
    await entry.getByLabel('Unit').selectOption(unit)
    await entry.getByRole('button', { name: 'Save' }).click()
    await entry.getByRole('button', { name: 'Size limit of The club' }).waitFor()
  }
  await limit('1.5', 'kB')
  await claimedEntry(window, 'The club').getByText('of 1.5 kB').waitFor()
  assert.equal((await usageOf(owner))?.cap, 1500)
  const large = (page: Page): Promise<string> => page.evaluate(() => roomRealm.outcome(roomRealm.rooms[0]!.room.send('x'.repeat(1400))))
  assert.equal(await large(guest), 'RoomsError quota: rooms: the mailbox is full')

  await surely(window, 'The club', 'Clear')
  await window.getByText('Its messages were deleted for everyone.').waitFor()
  for (const page of [owner, guest])
    assert.deepEqual(await page.evaluate(() => roomRealm.rooms[0]!.until(event => event.type === 'deleted')), { type: 'deleted', from: 1, to: 3 })
  assert.deepEqual(await usageOf(guest), { archived: false, bytes: 0, cap: 1500, messages: 0 })
  assert.deepEqual(await guest.evaluate(() => roomRealm.rooms[0]!.room.backlog(0)), { last: 0, more: false })
  await claimedEntry(window, 'The club').getByText('0 messages, 0 bytes of 1.5 kB').waitFor()

  await limit('2', 'GB')
  await claimedEntry(window, 'The club').getByText('of 2 GB').waitFor()
  assert.equal((await usageOf(owner))?.cap, 2_000_000_000)
  await claimedEntry(window, 'The club').getByRole('button', { name: 'Size limit of The club' }).click()
  assert.equal(await window.getByLabel('The most it keeps').inputValue(), '2')
  await claimedEntry(window, 'The club').getByRole('button', { name: 'Usual limit' }).click()
  await claimedEntry(window, 'The club').getByText('of 500 MB').waitFor()
  assert.equal((await usageOf(owner))?.cap, 500_000_000)
  assert.equal(await large(guest), 'ok')
  await unclaimIn(window, 'The club')
  for (const page of [owner, window, guest]) await page.close()
})

test('CLAIM-12: the account page changes the rooms every app of the account claimed, and global ones', async () => {
  const names = ['one-app', 'another-app']
  const pages: Page[] = []
  for (const name of names) {
    const page = await openRoomPage(deputy, name, ada)
    pages.push(page)
    await page.evaluate(async own => {
      for (const room of ['own', `global/${own}`]) await roomRealm.rooms[await roomRealm.open(room)]!.room.claim({ description: `${room} of ${own}` })
      for (const { room } of roomRealm.rooms) await room.send('kept')
    }, name)
  }
  const window = await openAccountWindow(deputy, ada)
  for (const [index, name] of names.entries())
    for (const [at, room] of ['own', `global/${name}`].entries()) {
      const title = `${room} of ${name}`
      await claimedEntry(window, title).getByText(new URL(pages[index]!.url()).host).waitFor()
      await surely(window, title, 'Clear')
      await claimedEntry(window, title).getByText('0 messages').waitFor()
      await unclaimIn(window, title)
      const seen = await pages[index]!.evaluate(async place => {
        const heard = roomRealm.rooms[place]!
        await heard.until(event => event.type === 'deleted')
        await heard.until(event => event.type === 'claim' && !event.claimed)
        return [heard.room.claimed, heard.end]
      }, at)
      assert.deepEqual(seen, [false, undefined])
    }
  assert.deepEqual(ok(await deputy.server.call(listClaimedRooms, {}, ada.token)).rooms, [])
  for (const page of [...pages, window]) await page.close()
})

test('keyboard: a room is unclaimed on the account page, and the focus goes on to the list', async () => {
  const page = await openRoomPage(deputy, 'keys', ada)
  await page.evaluate(async () => roomRealm.rooms[await roomRealm.open('by-keys')]!.room.claim())
  const window = await openAccountWindow(deputy, ada)
  const entry = claimedEntry(window, 'by-keys')
  const focused = (name: string): Promise<unknown> => window.waitForFunction(words => document.activeElement?.textContent === words, name)
  await entry.getByRole('button', { name: 'Size limit of by-keys' }).press('Enter')
  await window.waitForFunction(() => document.activeElement?.getAttribute('type') === 'number')
  await window.keyboard.press('Control+a')
  await window.keyboard.type('7')
  await window.keyboard.press('Enter')
  await entry.getByText('of 7 MB').waitFor()
  await focused('Size limit')
  await window.keyboard.press('Tab')
  await focused('Clear')
  await window.keyboard.press('Tab')
  await focused('Unclaim')
  await window.keyboard.press('Enter')
  await focused('Cancel')
  await window.keyboard.press('Enter')
  await focused('Unclaim')
  await window.keyboard.press('Enter')
  await focused('Cancel')
  await window.keyboard.press('Tab')
  await window.keyboard.press('Enter')
  await entry.waitFor({ state: 'detached' })
  await focused('Claimed rooms')
  await window.close()
  await page.close()
})

test('the account page says so when rooms cannot be read, or a room was unclaimed meanwhile', async () => {
  const page = await openRoomPage(deputy, 'gone', ada)
  const room = await page.evaluate(async () => {
    const own = roomRealm.rooms[await roomRealm.open('vanishing')]!.room
    await own.claim()
    return own.id
  })
  const window = await openAccountWindow(deputy, ada)
  await claimedEntry(window, 'vanishing').waitFor()
  ok(await deputy.server.call(limitRoom, { room, cap: 3_000_000 }, ada.token))
  await window.evaluate(() => dispatchEvent(new Event('focus')))
  await claimedEntry(window, 'vanishing').getByText('of 3 MB').waitFor()
  await claimedEntry(window, 'vanishing').getByRole('button', { name: 'Clear vanishing' }).click()
  ok(await deputy.server.call(unclaimRoom, { room }, ada.token))
  await claimedEntry(window, 'vanishing').getByRole('button', { name: 'Clear', exact: true }).click()
  await window.getByText('This room was not claimed any more.').waitFor()
  await section(window).getByText('You have claimed no rooms.').waitFor()

  const path = `${deputy.server.origins.api}/v1/rooms/claimed`
  await window.route(path, route => route.abort())
  await window.reload()
  await section(window).getByText('Your rooms could not be read.').waitFor()
  await window.unroute(path)
  await section(window).getByRole('button', { name: 'Try again' }).click()
  await section(window).getByText('You have claimed no rooms.').waitFor()
  await window.close()
  await page.close()
})
