import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { claimedEntry, openAccountWindow, unclaimIn } from '../support/account-window.ts'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { openRoomPage, roomsReady } from '../support/room-page.ts'
import { signUp, type TestPerson } from '../support/test-accounts.ts'
import { bundle, pageOf } from '../support/web-origins.ts'

declare global {
  /** How the claims of a page ended, by the room's number. */
  var outcomes: Map<number, string>
  /** Everything the ports of the page received. */
  var heardByPorts: string[]
}

let deputy: TestDeputy
/** The only account with premium. */
let ada: TestPerson
before(async () => {
  deputy = await startDeputy({ config: { rooms: { claims: 2 } } })
  ada = await signUp(deputy.server, 'Ada')
})
after(() => deputy?.[Symbol.asyncDispose]())

test('CLAIM-2, CLAIM-4, CLAIM-6, CLAIM-13: claims and their refusals reach the app', async () => {
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

/** Begins the claim of the page's room, so that its outcome can be read later. */
const beginClaim = (page: Page, index: number): Promise<void> =>
  page.evaluate(at => {
    globalThis.outcomes ??= new Map()
    const { room } = roomRealm.rooms[at]!
    void roomRealm.outcome(room.claim()).then(outcome => outcomes.set(at, outcome))
  }, index)
const outcomeOf = async (page: Page, index: number): Promise<string> => {
  await page.waitForFunction(at => outcomes.has(at), index)
  return page.evaluate(at => outcomes.get(at) ?? '', index)
}
const settled = (page: Page): Promise<number> => page.evaluate(() => outcomes.size)

/** A page of another app whose rooms are all the account may claim. */
async function claimAll(name: string, titles: readonly [string, string]): Promise<Page> {
  const page = await openRoomPage(deputy, name, ada)
  await page.evaluate(async descriptions => {
    for (const description of descriptions) {
      const { room } = roomRealm.rooms[await roomRealm.open(description)]!
      await room.claim({ description })
    }
  }, titles)
  return page
}
const cardOf = (page: Page): Locator => page.frameLocator('dialog[data-deputy] iframe').getByRole('dialog')
const releaseAll = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (const { room } of roomRealm.rooms) await room.release()
  })

test('CLAIM-10: past the room limit claims wait behind one card until rooms are unclaimed in its window, and the app hears nothing of those', async () => {
  await deputy.context.addInitScript(recordPorts)
  const other = await claimAll('full-of-claims', ['atlantis', 'bermuda'])
  const page = await openRoomPage(deputy, 'waiting', ada)
  // The account is signed in to the broker's own windows; the one the card opens is another.
  await (await openAccountWindow(deputy, ada)).close()
  await page.bringToFront()
  await page.evaluate(async () => {
    await roomRealm.open('third')
    await roomRealm.open('fourth')
  })
  for (const index of [0, 1]) await beginClaim(page, index)
  const card = cardOf(page)
  await card.getByText('You have claimed all the rooms you may').waitFor()
  const opened = deputy.context.waitForEvent('page')
  await card.getByRole('button', { name: 'Show my rooms' }).click()
  const settings = await opened
  settings.setDefaultTimeout(30_000)
  await claimedEntry(settings, 'atlantis').waitFor()
  await settings.waitForFunction(() => document.activeElement?.id === 'rooms')
  assert.equal(await settings.evaluate(() => window.top === window), true)
  const { top, bottom, view } = await settings.evaluate(() => {
    const place = document.getElementById('rooms')?.getBoundingClientRect()
    return { top: place?.top ?? -1, bottom: place?.bottom ?? Infinity, view: innerHeight }
  })
  assert.ok(top >= 0 && bottom <= view, `the rooms are in view: ${top} to ${bottom} of ${view}`)
  assert.equal(await settled(page), 0)
  await unclaimIn(settings, 'atlantis')
  await page.waitForFunction(() => outcomes.size === 1)
  assert.deepEqual(await page.evaluate(() => [...outcomes.values()]), ['ok'])
  assert.equal(await card.count(), 1)
  await unclaimIn(settings, 'bermuda')
  for (const index of [0, 1]) assert.equal(await outcomeOf(page, index), 'ok')
  await card.waitFor({ state: 'detached' })
  await settings.close()
  const heard = await page.evaluate(() => heardByPorts.join('\n'))
  assert.match(heard, /third/)
  assert.doesNotMatch(heard, /atlantis|bermuda|full-of-claims/)
  await releaseAll(page)
  await page.close()
  await other.close()
})

test('CLAIM-10: a waiting claim is refused full once the person closes the card, ends with its room, and goes on when another app releases', async () => {
  const other = await claimAll('full-again', ['oslo', 'rome'])
  const page = await openRoomPage(deputy, 'closing', ada)
  await page.evaluate(async () => {
    for (const name of ['closed-by-person', 'left', 'released']) await roomRealm.open(name)
  })
  const card = cardOf(page)
  await beginClaim(page, 0)
  await page.frameLocator('dialog[data-deputy] iframe').locator('.card[data-ready=true]').waitFor()
  await card.getByRole('button', { name: 'Not now' }).click()
  assert.equal(await outcomeOf(page, 0), 'RoomsError full: rooms: too many claims')
  await card.waitFor({ state: 'detached' })
  assert.deepEqual(await page.evaluate(() => [roomRealm.rooms[0]!.room.claimed, roomRealm.rooms[0]!.end]), [false, undefined])

  await beginClaim(page, 1)
  await card.waitFor()
  await page.evaluate(() => roomRealm.rooms[1]!.room.leave())
  assert.match(await outcomeOf(page, 1), /^RoomsError closed: /)
  await card.waitFor({ state: 'detached' })

  await beginClaim(page, 2)
  await card.waitFor()
  await other.evaluate(() => roomRealm.rooms[0]!.room.release())
  assert.equal(await outcomeOf(page, 2), 'ok')
  await card.waitFor({ state: 'detached' })
  await page.evaluate(() => roomRealm.rooms[2]!.room.release())
  await other.evaluate(() => roomRealm.rooms[1]!.room.release())
  await page.close()
  await other.close()
})

test('CLAIM-10: where no card can be shown a claim past the room limit is refused full', async () => {
  const other = await claimAll('full-unseen', ['lima', 'quito'])
  const bare = await deputy.openApp('no-overlay')
  await bare.page.goto(`${bare.page.url()}&overlay=none`)
  await bare.page.waitForFunction(() => 'app' in globalThis)
  await bare.signIn(ada)
  const refusal = await bare.page.evaluate(async () => {
    const room = await app.broker.rooms.open('unseen')
    return 'error' in room ? room : room.claim()
  })
  assert.deepEqual(refusal, { error: 'full', message: 'rooms: too many claims' })
  await releaseAll(other)
  await bare.page.close()
  await other.close()
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

/** Runs in every page before its scripts: keeps what its message ports receive. */
function recordPorts(): void {
  const heard: string[] = []
  globalThis.heardByPorts = heard
  const record = (event: Event): void => {
    const { data } = event as MessageEvent<unknown>
    heard.push(data instanceof ArrayBuffer || ArrayBuffer.isView(data) ? new TextDecoder().decode(data) : (JSON.stringify(data) ?? ''))
  }
  const own = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage')
  Object.defineProperty(MessagePort.prototype, 'onmessage', {
    ...own,
    set(listener: unknown) {
      const port = this as MessagePort
      if (listener !== null) port.addEventListener('message', record)
      own?.set?.call(port, listener)
    },
  })
}
