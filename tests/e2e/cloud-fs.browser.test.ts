import assert from 'node:assert/strict'
import * as node from 'node:fs/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startDeputy, type TestApp, type TestDeputy } from '../support/deputy.ts'
import type { FilesRealm } from '../support/files-script.ts'
import { fsCases, transcripts } from '../support/fs-cases.ts'
import { addAuthenticator, finish, makeAccount, openWindow } from '../support/sign-in-walk.ts'
import { signUp } from '../support/test-accounts.ts'
import { bundle, pageOf } from '../support/web-origins.ts'

// The file subpaths of the library over the whole system: broker, keys, server.

declare const realm: FilesRealm

let deputy: TestDeputy
let page: Page
before(async () => {
  deputy = await startDeputy()
  deputy.web.serve('notes', '/', pageOf(await bundle(join(import.meta.dirname, '../support/files-script.ts'))))
  await signUp(deputy.server, 'Operator')
  page = await open()
  // Written before anybody is signed in.
  await page.evaluate(() => realm.files.writeFile('before/kept', 'of nobody'))
  const signedIn = page.evaluate(() => realm.login())
  const home = { page, frame: () => page.frames().find(frame => frame.url().startsWith(`${deputy.server.origins.broker}/frame`)) } as TestApp
  const popup = await openWindow(home)
  await addAuthenticator(deputy.context, popup)
  await makeAccount(popup, 'Ada Lovelace')
  await finish(popup, 'Allow')
  assert.equal(await signedIn, true)
  await page.waitForFunction(async () => (await realm.cloud.fs.encryption()).unlocked)
})
after(() => deputy?.[Symbol.asyncDispose]())

async function open(): Promise<Page> {
  const opened = await deputy.context.newPage()
  opened.setDefaultTimeout(30_000)
  await opened.goto(`${deputy.web.origin('notes')}/?broker=${encodeURIComponent(deputy.server.origins.broker)}`)
  await opened.waitForFunction(() => 'realm' in globalThis)
  return opened
}

test('cloud/fs: the same answers as node:fs/promises', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-fs-'))
  after(() => rm(folder, { recursive: true }))
  const [said, expected] = [await page.evaluate(() => realm.transcripts('cloud')), await transcripts(node, folder)]
  for (const title of Object.keys(fsCases)) assert.deepEqual(said[title], expected[title], title)
})

test('FS-6, FS-7, FS-8, FS-9: the contract’s own calls', async () => {
  const said = await page.evaluate(async () => {
    const { fs } = realm.cloud
    await fs.writeFile('plain.txt', 'text', 'text/plain')
    const kept = new Uint8Array([1, 2, 3])
    await fs.writeFile('kept.bin', kept)
    if (kept.length !== 3) throw new Error('a buffer that was written is the caller’s still')
    await fs.remove('kept.bin')
    const entry = (await fs.list()).find(({ path }) => path === 'plain.txt')
    const { bytes, sealedAt } = await fs.readFileSealed('plain.txt')
    const read = new TextDecoder().decode(await fs.readFile('plain.txt'))
    const { objects } = await fs.quota()
    const { version = '' } = (await fs.stat('plain.txt')) ?? {}
    const next = await fs.writeFileIf('plain.txt', 'more', null, { base: version })
    const stale = await realm.failure(fs.writeFileIf('plain.txt', 'less', null, { base: version }))
    const told = next.version === (await fs.stat('plain.txt'))?.version && stale?.code === 'CONFLICT'
    await fs.remove('plain.txt')
    const gone = await realm.failure(fs.readFile('plain.txt'))
    const odd = await realm.failure(fs.readFile('plain.txt', { accountPin: 'no pin' }))
    return [entry?.size, entry?.contentType, bytes.length, Math.abs((sealedAt ?? 0) - Date.now()) < 120_000, read, objects > 0, told, gone?.code, odd?.code]
  })
  assert.deepEqual(said, [4, 'text/plain', 4, true, 'text', true, true, 'ENOENT', 'ACCOUNT_CHANGED'])
})

test('files of many sizes written at once, twice over, are each what was written', async () => {
  const wrong = await page.evaluate(async () => {
    const { fs } = realm.cloud
    const lengths = [0, 60_000, 131_073, 500_000, 2 ** 20 + 1, 2_097_153]
    const contents = (turn: number, index: number) => new Uint8Array(lengths[index] ?? 0).fill(turn * 16 + index)
    for (const turn of [0, 1]) await Promise.all(lengths.map((_, index) => fs.writeFile(`many/${index}`, contents(turn, index))))
    const same = await Promise.all(
      lengths.map(async (_, index) => {
        const [read, meant] = [await fs.readFile(`many/${index}`), contents(1, index)]
        return read.length === meant.length && read.every((byte, at) => byte === meant[at])
      }),
    )
    await Promise.all(lengths.map((_, index) => fs.remove(`many/${index}`)))
    return lengths.filter((_, index) => same[index] !== true)
  })
  assert.deepEqual(wrong, [])
})

test('local first: a write is told to the cloud, and what the cloud has is told here', async () => {
  await page.waitForFunction(() => realm.files.status().account === 'connected')
  await page.evaluate(async () => {
    await realm.files.writeFile('local/a', 'written here')
    await realm.files.sync()
  })
  assert.equal(await page.evaluate(() => realm.cloudFiles.readFile('local/a', 'utf8')), 'written here')
  await page.evaluate(async () => {
    await realm.cloudFiles.writeFile('local/b', 'written there')
    await realm.files.sync()
  })
  assert.equal(await page.evaluate(() => realm.files.readFile('local/b', 'utf8')), 'written there')
  await page.evaluate(async () => {
    await realm.files.unlink('local/b')
    await realm.files.sync()
  })
  assert.equal(await page.evaluate(() => realm.cloudFiles.exists('local/b')), false)
})

test('FS-10: files written before anybody was signed in are taken along once the person says so', async () => {
  assert.equal(await page.evaluate(() => realm.files.exists('before/kept')), false)
  assert.equal(await page.evaluate(() => realm.cloudFiles.exists('before/kept')), false)
  const adopted = page.evaluate(() => realm.files.adopt())
  const card = page.frameLocator('iframe[data-deputy-broker]').locator('[role=dialog][data-ready=true]')
  await card.getByRole('button', { name: 'Keep in my account' }).click()
  assert.equal(await adopted, true)
  await page.evaluate(() => realm.files.sync())
  assert.equal(await page.evaluate(() => realm.cloudFiles.readFile('before/kept', 'utf8')), 'of nobody')
})

test('offline: writes are acknowledged, survive a reload, and are told once the server is back', async () => {
  await page.route(`${deputy.server.origins.api}/**`, route => route.abort())
  await page.evaluate(async () => {
    await realm.files.writeFile('offline/a', 'one')
    await realm.files.writeFile('offline/a', 'two')
  })
  const failed = await page.evaluate(() => realm.failure(realm.files.sync()))
  assert.equal(failed?.code, 'UNAVAILABLE')
  await page.reload()
  await page.waitForFunction(() => 'realm' in globalThis)
  await page.waitForFunction(() =>
    realm.files.readFile('offline/a', 'utf8').then(
      text => text === 'two',
      () => false,
    ),
  )
  await page.unroute(`${deputy.server.origins.api}/**`)
  await page.waitForFunction(async () => {
    await realm.files.sync().catch(() => undefined)
    return realm.files.status().account === 'connected' && realm.files.status().pending === 0
  })
  assert.equal(await page.evaluate(() => realm.cloudFiles.readFile('offline/a', 'utf8')), 'two')
})

test('FS-11: a file changed here and elsewhere is asked about; undecided, both are kept', async () => {
  const said = await page.evaluate(async () => {
    const asked: string[] = []
    realm.files.configureFiles({
      onConflict: async ({ path, local, cloud }) => {
        asked.push(`${path} ${local.size} ${cloud.size}`)
        return null
      },
    })
    const { files, cloudFiles } = realm
    await files.writeFile('both', 'base')
    await files.sync()
    // Read here, changed elsewhere, and only then written here.
    await files.readFile('both')
    await cloudFiles.writeFile('both', 'theirs')
    await files.writeFile('both', 'mine is longer')
    await files.sync().catch(() => undefined)
    for (let turn = 0; turn < 50 && files.status().pending > 0; turn++) await files.sync().catch(() => undefined)
    await files.sync()
    const beside = (await cloudFiles.readdir('')).find(name => name.startsWith('both (conflict'))
    return [asked, await files.readFile('both', 'utf8'), await cloudFiles.readFile('both', 'utf8'), beside && (await cloudFiles.readFile(beside, 'utf8'))]
  })
  assert.deepEqual(said, [['both 14 6'], 'theirs', 'theirs', 'mine is longer'])
})

test('the tab that tells the cloud is out of sight: the one the person sees asks', async () => {
  await page.evaluate(async () => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true })
    realm.files.configureFiles({ onConflict: undefined })
    await realm.files.writeFile('asked', 'base')
    await realm.files.sync()
  })
  const other = await page.context().newPage()
  other.setDefaultTimeout(30_000)
  await other.goto(page.url())
  await other.waitForFunction(() => realm.files.status().account === 'connected')
  await page.evaluate(async () => {
    const { files, cloudFiles } = realm
    await files.readFile('asked')
    await cloudFiles.writeFile('asked', 'there')
    await files.writeFile('asked', 'here')
    await files.sync().catch(() => undefined)
  })
  const cardIn = (of: Page) => of.frameLocator('iframe[data-deputy-broker]').locator('[role=dialog][data-ready=true]')
  await cardIn(other).getByRole('button', { name: 'Keep the account’s' }).click()
  await page.waitForFunction(() => realm.files.readFile('asked', 'utf8').then(text => text === 'there'))
  assert.equal(await cardIn(page).count(), 0)
  await other.close()
})
