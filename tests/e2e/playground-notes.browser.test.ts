import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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
