import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { launchChromium, type Chromium } from '../support/chromium.ts'
import { startDev } from '../support/dev-server.ts'
import { inviteOf, joinRoom, makeRoom, ownSeat, saidIn, say, signUpByHand, type RoomTab } from '../support/playground.ts'

let mine: Chromium
let theirs: Chromium
before(async () => {
  ;[mine, theirs] = await Promise.all([launchChromium({ world: 'chrome' }), launchChromium({ world: 'blocked' })])
})
after(() => Promise.all([mine?.close(), theirs?.close()]))

/** Claims the room as a new person, the first and therefore premium one of the server. */
async function claim({ page }: RoomTab, description: string, time: string): Promise<void> {
  await page.getByRole('button', { name: 'Claim…' }).click()
  await page.getByRole('button', { name: 'Sign in to claim' }).click()
  await signUpByHand(mine.context, page)
  const dialog = page.getByRole('dialog', { name: 'Claim this room' })
  await dialog.getByLabel('Description').fill(description)
  await dialog.getByLabel('For how long').selectOption(time)
  await dialog.getByRole('button', { name: 'Claim', exact: true }).click()
  await page.locator('.badge', { hasText: 'Claimed until' }).waitFor()
}

/** Presses a button of a message, which shows once the message is pointed at. */
async function act(tab: RoomTab, text: string, button: string): Promise<void> {
  await saidIn(tab, text).hover()
  await saidIn(tab, text).getByRole('button', { name: button }).click()
}

/** Everything the context asked of a server. */
function requestsOf(context: BrowserContext): string[] {
  const urls: string[] = []
  context.on('request', request => urls.push(request.url(), JSON.stringify(request.headers())))
  return urls
}

/** Leaves the page as a reload does, and comes back when told to. */
async function away(page: Page): Promise<() => Promise<unknown>> {
  const address = page.url()
  await page.goto('about:blank')
  return () => page.goto(address)
}

test('two browsers chat by invite link: names, edits, deletions, a claim, a reload that keeps the seat, and history for who comes late', async () => {
  await using server = await startDev()
  const asked = requestsOf(theirs.context)
  const ada = await makeRoom(mine.context, server.playground, 'Ada')
  const link = await inviteOf(ada)
  const [key = ''] = new URL(link).hash.slice(1).split('.')
  assert.equal(key.length, 43)
  const bob = await joinRoom(theirs.context, link, 'Bob')
  await ada.page.locator('.people', { hasText: 'Bob' }).waitFor()
  await bob.page.locator('.people', { hasText: 'Ada' }).waitFor()

  await say(ada, 'hello from Ada')
  await say(bob, 'hello from Bob')
  assert.equal(await saidIn(bob, 'hello from Ada').locator('.who').innerText(), 'Ada')
  await saidIn(ada, 'hello from Bob').waitFor()
  assert.equal(await saidIn(ada, 'hello from Bob').getByRole('button').count(), 0, 'a room that keeps nothing changes nothing')

  await claim(ada, 'the two of us', 'A week')
  await bob.page.locator('.badge', { hasText: 'messages kept' }).waitFor()
  await bob.page.locator('.badge', { hasText: 'Claimed until' }).waitFor()

  await say(bob, 'a fist message')
  await act(bob, 'a fist message', 'Edit')
  const edited = bob.page.getByRole('textbox', { name: 'Edited message' })
  await edited.fill('a first message')
  await edited.press('Enter')
  await saidIn(ada, 'a first message').getByText('edited').waitFor()
  await say(bob, 'a mistake')
  await saidIn(ada, 'a mistake').waitFor()
  await act(bob, 'a mistake', 'Delete')
  await saidIn(bob, 'a mistake').getByRole('button', { name: 'Delete for all?' }).click()
  await saidIn(ada, 'a mistake').waitFor({ state: 'detached' })

  const seat = await ownSeat(bob.page)
  const back = await away(bob.page)
  await say(ada, 'missed by Bob')
  await back()
  await saidIn(bob, 'missed by Bob').waitFor()
  await bob.page.getByText('While you were away').waitFor()
  assert.equal(await ownSeat(bob.page), seat, 'the seat was held')
  await saidIn(bob, 'a first message').getByText('edited').waitFor()
  await bob.page.locator('.badge', { hasText: 'Claimed until' }).waitFor()

  const cleo = await joinRoom(theirs.context, link, 'Cleo')
  await saidIn(cleo, 'missed by Bob').waitFor()
  assert.equal(await saidIn(cleo, 'a first message').locator('.who').innerText(), 'Bob')
  assert.equal(await saidIn(cleo, 'hello from Ada').count(), 0, 'what was said before the claim was not kept')
  assert.equal(await saidIn(cleo, 'a mistake').count(), 0)
  assert.ok(asked.length > 0 && !asked.some(words => words.includes(key)), 'the key stays behind the #')
  await Promise.all([ada, bob, cleo].map(({ page }) => page.close()))
})

test('the owner decides who writes and reads how much, and blocks and unblocks', async () => {
  await using server = await startDev()
  const ada = await makeRoom(mine.context, server.playground, 'Ada')
  const link = await inviteOf(ada)
  const bob = await joinRoom(theirs.context, link, 'Bob')
  await say(bob, 'may I?')
  const field = bob.page.getByRole('textbox', { name: 'Message' })

  await ada.page.getByRole('button', { name: 'Manage Bob' }).click()
  const dialog = ada.page.getByRole('dialog', { name: 'Bob' })
  await dialog.getByLabel('May write').uncheck()
  await bob.page.getByPlaceholder('The owner has not allowed you to write here.').waitFor()
  assert.equal(await field.isDisabled(), true)
  await dialog.getByLabel('May write').check()
  await bob.page.getByPlaceholder('Write a message').waitFor()
  await dialog.getByLabel('Longest message').fill('300')
  await dialog.getByRole('button', { name: 'Set' }).click()
  await bob.page.getByText('Up to 117 bytes a message').waitFor()
  await field.fill('x'.repeat(200))
  await bob.page.getByText(/bytes too long/).waitFor()
  assert.equal(await bob.page.getByRole('button', { name: 'Send' }).isDisabled(), true)

  await dialog.getByRole('button', { name: 'Block' }).click()
  await bob.page.getByText('You were blocked from this room').waitFor()
  await bob.page.reload()
  await bob.page.getByText('The owner has blocked you').waitFor()
  await ada.page.getByRole('button', { name: 'Rules' }).click()
  await ada.page.getByRole('button', { name: 'Unblock Bob' }).click()
  await ada.page.getByRole('button', { name: 'Unblock Bob' }).waitFor({ state: 'detached' })
  await ada.page.keyboard.press('Escape')
  await bob.page.getByRole('button', { name: 'Try again' }).click()
  await ada.page.locator('.people', { hasText: 'Bob' }).waitFor()
  await say(bob, 'thank you')
  await saidIn(ada, 'thank you').waitFor()
  await Promise.all([ada, bob].map(({ page }) => page.close()))
})

test('who returns beyond the hold has a new seat and reads the mailbox, page by page; who is too fast is told so and loses nothing', async () => {
  await using server = await startDev({ DEPUTY_ROOMS_HOLD: '1s', DEPUTY_ROOMS_SEND_RATE: '10', DEPUTY_ROOMS_SEND_BURST: '8' })
  const ada = await makeRoom(mine.context, server.playground, 'Ada')
  const link = await inviteOf(ada)
  await claim(ada, 'kept', 'A day')
  const bob = await joinRoom(theirs.context, link, 'Bob')
  await say(bob, 'see you')
  await saidIn(ada, 'see you').waitFor()
  const seat = await ownSeat(bob.page)
  const back = await away(bob.page)
  await ada.page.getByText('Bob left').waitFor()

  // More than a page, and faster than the room takes them.
  const field = ada.page.getByRole('textbox', { name: 'Message' })
  const again = ada.page.getByRole('button', { name: 'Send again' })
  for (let count = 1; count <= 60; count++) {
    await field.fill(`number ${count}`)
    await field.press('Enter')
    while ((await again.count()) > 0) {
      await ada.page.getByText('Slower, please').first().waitFor()
      await again.first().click()
      await ada.page
        .locator('.waiting')
        .first()
        .waitFor({ state: 'detached', timeout: 2000 })
        .catch(() => undefined)
    }
  }
  await ada.page.locator('.waiting').waitFor({ state: 'detached' })

  await back()
  await saidIn(bob, 'number 60').waitFor()
  assert.notEqual(await ownSeat(bob.page), seat)
  await bob.page.getByText('While you were away').waitFor()
  assert.equal(await saidIn(bob, 'see you').count(), 0, 'older than a page')
  await bob.page.getByRole('button', { name: 'Earlier messages' }).click()
  await saidIn(bob, 'see you').waitFor()
  assert.ok(((await saidIn(bob, 'see you').getAttribute('class')) ?? '').includes('own'), 'the earlier seat is known as one’s own')
  const numbers = await bob.page.locator('.text', { hasText: /^number/ }).allInnerTexts()
  const inOrder = numbers.toSorted((one, other) => Number(one.slice(7)) - Number(other.slice(7)))
  assert.deepEqual(
    inOrder,
    Array.from({ length: 60 }, (_, at) => `number ${at + 1}`),
    'each once',
  )
  await Promise.all([ada, bob].map(({ page }) => page.close()))
})

test('a shared board: cursors and strokes live within the send budget, for who comes later too, and a cursor goes with its member', async () => {
  await using server = await startDev()
  const ada = await makeRoom(mine.context, server.playground, 'Ada', 'board')
  const sent: number[] = []
  const link = await inviteOf(ada)
  const bob = await joinRoom(theirs.context, link, 'Bob')
  bob.page.on('websocket', socket => socket.on('framesent', ({ payload }) => String(payload).includes('"send"') && sent.push(Date.now())))
  // The socket is opened by the frame anew, and now it is counted.
  await bob.page.reload()
  await ownSeat(bob.page)
  await ada.page.locator('.people', { hasText: 'Bob' }).waitFor()
  const [adaId, bobId] = [await ownSeat(ada.page), await ownSeat(bob.page)]
  const paper = bob.page.getByRole('application', { name: 'Board' })
  const box = (await paper.boundingBox())!
  const at = (x: number, y: number) => [box.x + (x / 1000) * box.width, box.y + (y / 600) * box.height] as const

  const before = sent.length
  const began = Date.now()
  await bob.page.mouse.move(...at(100, 100))
  await bob.page.mouse.down()
  for (let step = 1; step <= 60; step++) await bob.page.mouse.move(...at(100 + step * 10, 100 + step * 5))
  await bob.page.mouse.up()
  const cursor = ada.page.locator(`[data-cursor="${bobId}"]`)
  await ada.page.waitForFunction(id => Math.abs(Number(document.querySelector<HTMLElement>(`[data-cursor="${id}"]`)?.dataset['x']) - 700) <= 3, bobId)
  assert.equal(await cursor.innerText(), 'Bob')
  const stroke = ada.page.locator(`polyline[data-stroke^="${bobId}/"]`)
  const points = ((await stroke.getAttribute('points')) ?? '').split(' ').length / 2
  assert.ok(points > 50, `${points} points arrived`)
  const [count, seconds] = [sent.length - before, (Date.now() - began) / 1000]
  assert.ok(count > 0 && count <= seconds * 12.5 + 2, `${count} messages in ${seconds} s`)

  await ada.page.getByRole('application', { name: 'Board' }).press('Space')
  await ada.page.keyboard.press('Shift+ArrowRight')
  await ada.page.getByText('Pen down', { exact: true }).waitFor({ state: 'attached' })
  await bob.page.locator(`polyline[data-stroke^="${adaId}/"]`).waitFor({ state: 'attached' })

  await bob.page.reload()
  await bob.page.locator(`polyline[data-stroke^="${adaId}/"]`).waitFor({ state: 'attached' })
  await bob.page.locator(`polyline[data-stroke^="${bobId}/"]`).waitFor({ state: 'attached' })
  await bob.page.locator('.people', { hasText: 'Ada' }).waitFor()
  await ada.page.getByRole('button', { name: 'Wipe all' }).click()
  await bob.page.locator('polyline').first().waitFor({ state: 'detached' })

  await bob.page.getByRole('button', { name: 'Leave' }).click()
  await bob.page.getByText('You have left the room.').waitFor()
  await cursor.waitFor({ state: 'detached' })
  await ada.page.getByText('Only you are here').waitFor()
  await Promise.all([ada, bob].map(({ page }) => page.close()))
})
