import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startDeputy, type TestApp, type TestDeputy } from '../support/deputy.ts'
import { faults } from '../support/axe.ts'
import { addAuthenticator, signUpFromApp } from '../support/sign-in-walk.ts'

let deputy: TestDeputy
let home: TestApp
let code: string
let page: Page

before(async () => {
  deputy = await startDeputy()
  home = await deputy.openApp('notes')
  code = await signUpFromApp(home)
  await home.page.evaluate(async () => {
    const { fs } = app.broker.cloud
    await fs.writeFile('notes/grüße.txt', 'hello from the notes', 'text/plain')
    await fs.writeFile('large.bin', app.bytes(9 * 2 ** 20 + 5, 7), null)
    await fs.writeFile('a/b/c.md', '# sealed', 'text/markdown')
  })
  page = await deputy.context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(`${deputy.server.origins.broker}/account`)
  await addAuthenticator(deputy.context, page)
})
after(() => deputy?.[Symbol.asyncDispose]())

const panel = () => page.getByRole('region', { name: 'App files' })
const show = () => panel().getByRole('button', { name: /^Show files of notes\.localhost/ })
const saved = async (press: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> => {
  const [download] = await Promise.all([page.waitForEvent('download'), press()])
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

/** Names and contents of a zip that stores without compressing, read by its directory at the end. */
function entriesOf(zip: Buffer): Map<string, Buffer> {
  const entries = new Map<string, Buffer>()
  let at = zip.readUInt32LE(zip.length - 6)
  while (zip.readUInt32LE(at) === 0x02_01_4b_50) {
    const [size, nameLength, extra, comment, local] = [
      zip.readUInt32LE(at + 24),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
      zip.readUInt32LE(at + 42),
    ]
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    entries.set(zip.subarray(at + 46, at + 46 + nameLength).toString(), zip.subarray(start, start + size))
    at += 46 + nameLength + extra + comment
  }
  return entries
}

test('the account page tells how many files an app keeps, and opens their names in the window', async () => {
  await panel().getByText('3 files, 9 MB').waitFor()
  await panel()
    .getByRole('img', { name: /The last 30 days/ })
    .waitFor()
  await show().click()
  const names = panel().locator('.app-files .entry-title')
  await names.nth(2).waitFor()
  assert.deepEqual(await names.allTextContents(), ['a/b/c.md', 'large.bin', 'notes/grüße.txt'])
  assert.deepEqual(await faults(page), [])
})

test('one file is downloaded as it was written', async () => {
  const { name, bytes } = await saved(() => panel().getByRole('button', { name: 'Download notes/grüße.txt' }).click())
  assert.deepEqual([name, bytes.toString()], ['grüße.txt', 'hello from the notes'])
})

test('all files of an app are downloaded as one archive, opened in the browser', async () => {
  const { name, bytes } = await saved(() => panel().getByRole('button', { name: 'Download all as a zip' }).click())
  assert.match(name, /^Files of notes\.localhost.*\.zip$/)
  const entries = entriesOf(bytes)
  assert.deepEqual([...entries.keys()], ['a/b/c.md', 'large.bin', 'notes/grüße.txt'])
  assert.equal(entries.get('a/b/c.md')?.toString(), '# sealed')
  const expected = await home.page.evaluate(async () => app.sha256(app.bytes(9 * 2 ** 20 + 5, 7)))
  const large = entries.get('large.bin') ?? Buffer.alloc(0)
  const digest = await home.page.evaluate(async base64 => app.sha256(Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))), large.toString('base64'))
  assert.equal(digest, expected)
})

test('a file is deleted after a second press, and the app sees it gone', async () => {
  await panel().getByRole('button', { name: 'Delete large.bin' }).click()
  await panel().locator('.app-files').getByRole('button', { name: 'Delete', exact: true }).click()
  await panel().getByText('2 files, ').waitFor()
  const paths = await home.page.evaluate(async () => {
    const listed = await app.broker.cloud.fs.list()
    return 'error' in listed ? listed : listed.map(({ path }) => path)
  })
  assert.deepEqual(paths, ['a/b/c.md', 'notes/grüße.txt'])
})

test('without keys the names stay sealed until the person unlocks', async () => {
  await page.evaluate(async () => {
    for (const { name } of await indexedDB.databases()) {
      if (name === undefined) continue
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open(name)
        opening.addEventListener('success', () => resolve(opening.result))
        opening.addEventListener('error', () => reject(new Error('the store did not open')))
      })
      for (const store of database.objectStoreNames) {
        const change = database.transaction(store, 'readwrite')
        change.objectStore(store).delete('keys:held')
        await new Promise<void>(resolve => change.addEventListener('complete', () => resolve()))
      }
      database.close()
    }
  })
  await page.reload()
  await show().click()
  await panel().getByText('Unlock your files to see their names').waitFor()
  await panel().getByRole('button', { name: 'Unlock', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Use my recovery code').click()
  await dialog.getByLabel('Recovery code').fill(code)
  await dialog.getByRole('button', { name: 'Unlock', exact: true }).click()
  await panel().getByText('notes/grüße.txt').waitFor()
})

test('all files of an app are deleted, after a question', async () => {
  await panel()
    .getByRole('button', { name: /^Delete all files of notes\.localhost/ })
    .click()
  await panel().getByRole('button', { name: 'Delete all', exact: true }).click()
  await panel().getByText('No app keeps files.').waitFor()
  assert.deepEqual(await home.page.evaluate(() => app.broker.cloud.fs.list()), [])
})
