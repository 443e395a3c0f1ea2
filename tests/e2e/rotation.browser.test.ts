import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listFiles } from '@deputy/contract/api-files'
import type { Route as Intercepted } from 'playwright-core'
import { faults } from '../support/axe.ts'
import { renewKeys } from '../support/account-window.ts'
import { startDeputy, type TestApp, type TestDeputy } from '../support/deputy.ts'
import { finish, openWindow, signUpFromApp } from '../support/sign-in-walk.ts'
import { ok, signUp } from '../support/test-accounts.ts'

let deputy: TestDeputy
let code: string
let home: TestApp
before(async () => {
  deputy = await startDeputy()
  await signUp(deputy.server, 'Operator')
  home = await deputy.openApp('notes')
  code = await signUpFromApp(home)
})
after(() => deputy?.[Symbol.asyncDispose]())

const read = (path: string) =>
  home.page.evaluate(async name => {
    const { bytes, sealedAt } = await app.value(app.files.readFileSealed(name))
    return { text: new TextDecoder().decode(bytes.subarray(0, 100)), length: bytes.length, sealedAt }
  }, path)
const versionOf = (path: string) => home.page.evaluate(async name => (await app.value(app.files.stat(name)))?.version ?? '', path)
const write = (path: string, text: string) => home.page.evaluate(([name, data]) => app.code(app.files.writeFile(name, data, null)), [path, text] as const)
const rows = async () => ok(await deputy.server.call(listFiles, { since: 0 }, (await home.session()).token)).files

/** Renews the account's keys in a window of its own. */
async function rotate(): Promise<void> {
  const account = await deputy.context.newPage()
  account.setDefaultTimeout(30_000)
  await account.goto(`${deputy.server.origins.broker}/account`)
  await account.getByRole('region', { name: 'Encryption' }).getByText('Unlocked in this browser').waitFor()
  await renewKeys(account, code)
  await account.close()
}

test('keys renewed while writes are under way: both end as stale, nothing of them lands, and they land under the new keys', { timeout: 120_000 }, async () => {
  assert.equal(await write('small', 'before'), 'done')
  assert.equal(await write('large', 'before'), 'done')
  assert.equal(await write('kept', 'kept words'), 'done')
  const { api } = deputy.server.origins
  const held: Intercepted[] = []
  const both = new Promise<void>(resolve => {
    const hold = (route: Intercepted): Promise<void> | void => {
      const request = `${route.request().method()} ${new URL(route.request().url()).pathname}`
      if (request !== 'PUT /v1/files/content' && request !== 'POST /v1/files/commit') return route.continue()
      if (held.push(route) === 2) resolve()
    }
    void deputy.context.route(`${api}/v1/files/content`, hold)
    void deputy.context.route(`${api}/v1/files/commit`, hold)
  })
  const old = await rows()
  const small = write('small', 'after')
  const large = home.page.evaluate(() => app.code(app.files.writeFile('large', app.bytes(9 * 2 ** 20), null)))
  await both
  await rotate()
  for (const route of held) await route.continue()
  assert.deepEqual([await small, await large], ['stale-epoch', 'stale-epoch'])
  await deputy.context.unrouteAll()
  assert.deepEqual(await rows(), old, 'nothing landed')
  assert.deepEqual([(await read('small')).text, (await read('large')).text], ['before', 'before'], 'what was there is there, under the keys it has')

  const meant = await versionOf('kept')
  const [one, other] = [await read('kept'), await read('small')]
  const unlocked = home.page.evaluate(() => app.files.unlock())
  await home.frame().locator('[role=dialog][data-ready=true]').waitFor()
  const [popup] = await Promise.all([home.page.waitForEvent('popup'), home.frame().getByRole('button', { name: 'Unlock', exact: true }).click()])
  if (!popup.isClosed()) await popup.waitForEvent('close')
  assert.equal(await unlocked, true)
  const again = await home.page.evaluate(() => app.code(app.files.writeFile('large', app.bytes(9 * 2 ** 20), null)))
  assert.equal(again, 'done')
  assert.equal((await read('large')).length, 9 * 2 ** 20)

  // In the background, once the app is quiet.
  const deadline = Date.now() + 60_000
  let after = await rows()
  while (after.some(({ epoch }) => epoch !== 2)) {
    assert.ok(Date.now() < deadline, 'sealed again in time')
    await new Promise(resolve => setTimeout(resolve, 250))
    after = await rows()
  }
  assert.equal(after.length, 3)
  assert.deepEqual([await read('kept'), await read('small')], [one, other], 'the same bytes, and the time they were written at')
  assert.equal(
    await home.page.evaluate(async () => (await app.sha256(await app.value(app.files.readFile('large')))) === (await app.sha256(app.bytes(9 * 2 ** 20)))),
    true,
  )
  assert.equal(await home.frame().locator('[role=dialog]').count(), 0, 'and nobody was asked')
  assert.notEqual(await versionOf('kept'), meant)
  const onto = (base: string) => home.page.evaluate(version => app.code(app.files.writeFileIf('kept', 'newer words', null, { base: version })), base)
  assert.equal(await onto(meant), 'done', 'sealed again is the state that was meant')
  assert.equal(await onto(meant), 'conflict', 'written since is another')
  assert.equal((await read('kept')).text, 'newer words')
})

test(
  'the account page seals what is left of every app again, large files too; stopped on the way, it goes on with the rest',
  { timeout: 120_000 },
  async () => {
    const large = 17 * 2 ** 20
    const other = await deputy.openApp('other')
    const connected = other.page.evaluate(() => app.broker.connect.prompt(location.origin))
    await finish(await openWindow(other, 'Continue'), 'Allow')
    assert.equal(await connected, true)
    await other.page.waitForFunction(async () => (await app.files.encryption()).unlocked)
    const digest = await other.page.evaluate(async size => {
      const bytes = app.bytes(size, 3)
      const sum = await app.sha256(bytes)
      await app.value(app.files.writeFile('vast', bytes, null))
      await app.value(app.files.writeFile('note', 'of another app', null))
      return sum
    }, large)
    const before = await read('kept')
    const versions = await rows()
    // Nobody is left who would seal them in the background: the apps hold keys of before.
    await rotate()

    const page = await deputy.context.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(`${deputy.server.origins.broker}/account`)
    const panel = page.getByRole('region', { name: 'App files' })
    await panel.getByText('5 files are still sealed with an older key.').waitFor()
    assert.deepEqual(await faults(page), [])
    await deputy.context.route(
      url => url.pathname.includes('/v1/files/of/') && url.pathname.includes('/uploads/'),
      route => (route.request().method() === 'PUT' ? undefined : route.continue()),
    )
    const reached = page.waitForRequest(request => request.method() === 'PUT' && request.url().includes('/uploads/'))
    await panel.getByRole('button', { name: 'Seal them again now' }).click()
    await reached
    await panel.getByText('3 of 5 files').waitFor()
    await panel.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByText('Stopped. What is sealed again stays so').waitFor()
    await panel.getByText('2 files are still sealed with an older key.').waitFor()
    await deputy.context.unrouteAll()

    await page.reload()
    await panel.getByRole('button', { name: 'Seal them again now' }).click()
    await page.getByText('Your files are sealed with your newest key.').waitFor()
    await panel.getByText('still sealed with an older key').waitFor({ state: 'detached' })
    const after = await rows()
    assert.deepEqual(
      after.map(({ epoch }) => epoch),
      after.map(() => 3),
    )
    for (const { name, size, version } of versions) {
      const now = after.find(row => row.name === name)
      assert.equal(now?.size, size)
      assert.notEqual(now?.version, version)
    }
    await page.close()

    for (const each of [home, other]) {
      const unlocked = each.page.evaluate(() => app.files.unlock())
      await each.frame().locator('[role=dialog][data-ready=true]').waitFor()
      const [popup] = await Promise.all([each.page.waitForEvent('popup'), each.frame().getByRole('button', { name: 'Unlock', exact: true }).click()])
      if (!popup.isClosed()) await popup.waitForEvent('close')
      assert.equal(await unlocked, true)
    }
    assert.deepEqual(await read('kept'), before, 'the same bytes, and the time they were written at')
    assert.equal(await other.page.evaluate(async () => app.sha256(await app.value(app.files.readFile('vast')))), digest)
  },
)
