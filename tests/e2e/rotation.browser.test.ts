import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listFiles } from '@deputy/contract/api-files'
import type { Route as Intercepted } from 'playwright-core'
import { startDeputy, type TestApp, type TestDeputy } from '../support/deputy.ts'
import { addAuthenticator, finish, makeAccount, openWindow } from '../support/sign-in-walk.ts'
import { ok, signUp } from '../support/test-accounts.ts'

let deputy: TestDeputy
let code: string
let home: TestApp
before(async () => {
  deputy = await startDeputy()
  await signUp(deputy.server, 'Operator')
  home = await deputy.openApp('notes')
  const signedIn = home.page.evaluate(() => app.broker.account.login(location.origin))
  const popup = await openWindow(home)
  await addAuthenticator(deputy.context, popup)
  code = await makeAccount(popup, 'Ada Lovelace')
  await finish(popup, 'Allow')
  assert.equal(await signedIn, true)
  await home.page.waitForFunction(async () => (await app.files.encryption()).unlocked)
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
  const section = account.getByRole('region', { name: 'Encryption' })
  await section.getByText('Unlocked in this browser').waitFor()
  await section.getByRole('button', { name: 'Renew the keys' }).click()
  await section.getByRole('button', { name: 'Renew the keys' }).click()
  const dialog = account.getByRole('dialog', { name: 'Unlock to change your keys' })
  await dialog.getByText('Use my recovery code').click()
  await dialog.getByLabel('Recovery code').fill(code)
  await dialog.getByRole('button', { name: 'Unlock', exact: true }).click()
  await account.getByText('Your keys were renewed.').waitFor()
  await account.close()
}

test('keys renewed while writes are under way: both end as stale, nothing of them lands, and they land under the new keys', async () => {
  assert.equal(await write('small', 'before'), 'done')
  assert.equal(await write('large', 'before'), 'done')
  assert.equal(await write('kept', 'kept words'), 'done')
  const { api } = deputy.server.origins
  const held: Intercepted[] = []
  const both = new Promise<void>(resolve => {
    const hold = (route: Intercepted): Promise<void> | void => {
      if (route.request().method() === 'OPTIONS' || route.request().method() === 'GET') return route.continue()
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
  assert.equal(await home.frame().locator('[role=dialog]').count(), 0, 'and nobody was asked')
  assert.notEqual(await versionOf('kept'), meant)
  const onto = (base: string) => home.page.evaluate(version => app.code(app.files.writeFileIf('kept', 'newer words', null, { base: version })), base)
  assert.equal(await onto(meant), 'done', 'sealed again is the state that was meant')
  assert.equal(await onto(meant), 'conflict', 'written since is another')
  assert.equal((await read('kept')).text, 'newer words')
})
