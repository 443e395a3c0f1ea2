import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { renewKeys } from '../support/account-window.ts'
import { launchChromium, type Chromium } from '../support/chromium.ts'
import { startDev, type DevServer } from '../support/dev-server.ts'
import { cardIn, lineIn, listed, openNotes, signInByCode, signUpFrom, writeNote } from '../support/notes-page.ts'
import { sentBy } from '../support/sent-bodies.ts'

let server: DevServer
let mine: Chromium
before(async () => {
  ;[server, mine] = await Promise.all([startDev(), launchChromium()])
})
after(async () => {
  await mine?.close()
  await server?.[Symbol.asyncDispose]()
})

test('notes written signed out are taken into the account when the person says so, follow in two tabs, and reach a second device sealed', async () => {
  await using other = await launchChromium()
  const sent = sentBy(mine.context)
  const page = await openNotes(mine.context, server.playground)
  await lineIn(page, 'Kept in this browser alone.').waitFor()
  await writeNote(page, 'Lake', 'The boat lies at the old pier.')
  await page.reload()
  await listed(page, 'Lake').waitFor()

  const code = await signUpFrom(page, 'Ada Lovelace')
  await cardIn(page).getByRole('button', { name: 'Keep in my account' }).click()
  await listed(page, 'Lake').waitFor()
  await lineIn(page, 'In your account.').waitFor()

  const second = await openNotes(mine.context, server.playground)
  await listed(second, 'Lake').click()
  assert.equal(await second.getByLabel('Text', { exact: true }).inputValue(), 'The boat lies at the old pier.')
  await writeNote(page, 'Bread', 'Two of rye')
  await listed(second, 'Bread').waitFor()
  await listed(page, 'Lake').click()
  await page.getByLabel('Text', { exact: true }).fill('The boat lies at the new pier.')
  await second.waitForFunction(() => document.querySelector('textarea')?.value === 'The boat lies at the new pier.')
  await lineIn(page, 'In your account.').waitFor()

  const there = await openNotes(other.context, server.playground)
  await signInByCode(there, code)
  await listed(there, 'Lake').click()
  await there.waitForFunction(() => document.querySelector('textarea')?.value === 'The boat lies at the new pier.')
  await listed(there, 'Bread').waitFor()
  await lineIn(there, 'In your account.').waitFor()
  const seen = there.getByRole('region', { name: 'What the server sees' })
  await seen.getByText('2 files').waitFor()

  const wire = sent()
  assert.ok(wire.includes('Ada Lovelace'), 'what is sent is searched')
  for (const words of ['old pier', 'new pier', 'Two of rye', 'Bread', 'text/markdown', '.md']) assert.ok(!wire.includes(words), `${words} was sent`)
  await Promise.all([page.close(), second.close()])
})

test('offline one goes on writing; what waits survives a reload without a network, and reaches the account once there is one', async () => {
  await using browser = await launchChromium()
  const { context } = browser
  const page = await openNotes(context, server.playground)
  await signUpFrom(page, 'Grace Hopper')
  await writeNote(page, 'Online', 'kept')
  await lineIn(page, 'In your account.').waitFor()
  // Once under the worker of the page, so that it is kept.
  await page.reload()
  await listed(page, 'Online').waitFor()

  await context.setOffline(true)
  await writeNote(page, 'Offline', 'written in the train')
  await lineIn(page, 'Offline. 1 change waits here.').waitFor()
  await page.reload()
  await listed(page, 'Offline').click()
  assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'written in the train')
  await listed(page, 'Online').waitFor()
  await lineIn(page, 'Offline. 1 change waits here.').waitFor()
  await context.setOffline(false)
  await page.getByRole('region', { name: 'What the server sees' }).getByText('2 files').waitFor()
  await lineIn(page, 'In your account.').waitFor()
})

test('a conflict is asked about: this device’s, the account’s, or both; nothing is overwritten unseen', async () => {
  await using browser = await launchChromium()
  const page = await openNotes(browser.context, server.playground)
  await signUpFrom(page, 'Joan Clarke')
  await writeNote(page, 'Plan', 'Leave at nine.')
  await lineIn(page, 'In your account.').waitFor()
  const text = () => page.getByLabel('Text', { exact: true }).inputValue()
  const differ = page.getByRole('button', { name: 'Change “Plan” on two devices' })

  await differ.click()
  await lineIn(page, 'A note differs between your devices.').waitFor()
  await cardIn(page).getByRole('button', { name: 'Keep the account’s' }).click()
  await page.waitForFunction(() => document.querySelector('textarea')?.value.endsWith('Written on another device.'))
  await lineIn(page, 'In your account.').waitFor()

  await differ.click()
  await cardIn(page).getByRole('button', { name: 'Keep this device’s' }).click()
  await lineIn(page, 'In your account.').waitFor()
  assert.ok((await text()).endsWith('Written on this device.'))
  assert.equal(await page.locator('.leaves li').count(), 1)

  await differ.click()
  await cardIn(page).getByRole('button', { name: 'Keep both for now' }).click()
  const copy = page.locator('.leaves li', { has: page.getByText('copy', { exact: true }) })
  await copy.waitFor()
  await page.waitForFunction(() => document.querySelector('textarea')?.value.endsWith('Written on another device.'))
  await copy.getByRole('button').click()
  await page.waitForFunction(() => document.querySelector('textarea')?.value.endsWith('Written on this device.'))
  await lineIn(page, 'In your account.').waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const download = await saved
  assert.equal(download.suggestedFilename(), 'Plan.md')
  assert.match(await readFile(await download.path(), 'utf8'), /^# Plan\n\nLeave at nine\.[^]*Written on this device\.$/)
})

test('what is written while another account, or none, takes over lands in the account it was written under and nowhere else', async () => {
  await using browser = await launchChromium()
  const { context } = browser
  const page = await openNotes(context, server.playground)
  const code = await signUpFrom(page, 'Mary Somerville')
  await writeNote(page, 'Secret of Mary', 'first words')
  await lineIn(page, 'In your account.').waitFor()

  // Signed out in another tab while one writes here: every key is pressed before the one that comes too late.
  const other = await openNotes(context, server.playground)
  await listed(other, 'Secret of Mary').waitFor()
  await page.bringToFront()
  const field = page.getByLabel('Text', { exact: true })
  await field.press('Control+End')
  const typing = field.pressSequentially(' and more, and more, and more, and more', { delay: 40 })
  await other.getByRole('button', { name: 'Sign out' }).click()
  await typing.catch(() => undefined)
  await lineIn(page, 'Kept in this browser alone.').waitFor()
  await listed(page, 'Secret of Mary').waitFor({ state: 'detached' })
  assert.equal(await page.locator('.leaves li').count(), 0)
  const letGo = page.getByRole('button', { name: 'Let it go' })
  const closed = page.getByText('Choose a note, or begin one.')
  await letGo.or(closed).first().waitFor()
  if (await letGo.isVisible()) await letGo.click()
  await closed.waitFor()

  // Somebody else of the same browser finds nothing of it.
  await signUpFrom(page, 'Emmy Noether')
  await lineIn(page, 'In your account.').waitFor()
  await writeNote(page, 'Rings', 'of Emmy')
  assert.equal(await page.locator('.leaves li').count(), 1)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await lineIn(page, 'Kept in this browser alone.').waitFor()

  await signInByCode(page, code)
  await listed(page, 'Secret of Mary').click()
  await page.waitForFunction(() => document.querySelector('textarea')?.value.startsWith('first words'))
  assert.equal(await page.locator('.leaves li').count(), 1)
  await lineIn(page, 'In your account.').waitFor()
})

test('keys renewed elsewhere lock the account here: one writes on, and unlocking saves what waited', async () => {
  await using browser = await launchChromium()
  const { context } = browser
  const page = await openNotes(context, server.playground)
  const code = await signUpFrom(page, 'Hedy Lamarr')
  await writeNote(page, 'Before', 'the keys were renewed')
  await lineIn(page, 'In your account.').waitFor()
  const account = await context.newPage()
  account.setDefaultTimeout(30_000)
  await account.goto(server.account)
  await renewKeys(account, code)
  await page.bringToFront()

  await writeNote(page, 'While locked', 'waits here')
  await lineIn(page, 'Your account is locked in this browser. 1 change waits here.').waitFor()
  await page.locator('.standing').getByRole('button', { name: 'Unlock' }).click()
  const [popup] = await Promise.all([page.waitForEvent('popup'), cardIn(page).getByRole('button', { name: 'Unlock', exact: true }).click()])
  if (!popup.isClosed()) await popup.waitForEvent('close')
  await lineIn(page, 'In your account.').waitFor()
  await page.getByRole('region', { name: 'What the server sees' }).getByText('2 files').waitFor()
})
