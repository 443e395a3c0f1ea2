import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readKeys } from '@deputy/contract/api-keys'
import type { BrowserContext, Page } from 'playwright-core'
import { accountToken } from '../support/account-token.ts'
import { askToRenewKeys } from '../support/account-window.ts'
import { launchChromium, type Chromium } from '../support/chromium.ts'
import { startDeputy, type TestApp, type TestDeputy } from '../support/deputy.ts'
import { PasskeyProvider } from '../support/passkey-provider.ts'
import { sentBy } from '../support/sent-bodies.ts'
import { addAuthenticator, finish, openWindow, signUpFromApp } from '../support/sign-in-walk.ts'
import { ok, signUp } from '../support/test-accounts.ts'

let deputy: TestDeputy
let sent: () => string
let code: string
const codes: string[] = []
let home: TestApp
/** The second device. */
let device: Chromium
before(async () => {
  deputy = await startDeputy()
  sent = sentBy(deputy.context)
  await signUp(deputy.server, 'Operator')
})
after(async () => {
  await device?.close()
  await deputy?.[Symbol.asyncDispose]()
})

const encryption = (of: TestApp) => of.page.evaluate(() => app.broker.cloud.fs.encryption())
const write = (of: TestApp, path: string, text: string) =>
  of.page.evaluate(([name, data]) => app.code(app.files.writeFile(name, data, 'text/plain')).then(code => (code === 'done' ? 'written' : code)), [
    path,
    text,
  ] as const)
const read = (of: TestApp, path: string) =>
  of.page.evaluate(
    name =>
      app.value(app.files.readFile(name)).then(
        bytes => new TextDecoder().decode(bytes),
        (error: Error) => error.message,
      ),
    path,
  )
const unlock = (of: TestApp) => of.page.evaluate(() => app.broker.cloud.fs.unlock())

const keysOf = async (page: Page) => ok(await deputy.server.call(readKeys, {}, await accountToken(page))).state

test('FS-5: making an account with a passkey makes its keys without a question, and the app it was made for is unlocked', async () => {
  home = await deputy.openApp('notes')
  code = await signUpFromApp(home)
  codes.push(code)
  assert.deepEqual(await encryption(home), { enrolled: true, keyEpoch: 1, unlocked: true })
  assert.equal(await write(home, 'first.txt', 'sealed words'), 'written')
  await home.page.reload()
  await home.page.waitForFunction(() => 'app' in globalThis)
  assert.equal(await read(home, 'first.txt'), 'sealed words', 'a reload keeps the keys')
  assert.equal(await unlock(home), true, 'who is unlocked is asked nothing')
})

test('another app of the same browser is unlocked when it is connected; signing out of one drops its keys', async () => {
  const other = await deputy.openApp('other')
  const connected = other.page.evaluate(() => app.broker.connect.prompt(location.origin))
  await finish(await openWindow(other, 'Continue'), 'Allow')
  assert.equal(await connected, true)
  await other.page.waitForFunction(async () => (await app.broker.cloud.fs.encryption()).unlocked)
  assert.equal(await read(other, 'first.txt'), 'not-found', 'keys and files of another app')
  await other.page.evaluate(() => app.broker.account.logout())
  const kept = await other.frame().evaluate(
    () =>
      new Promise<string[]>(resolve => {
        const opened = indexedDB.open('deputy', 1)
        opened.onsuccess = () => {
          const request = opened.result.transaction('values').objectStore('values').getAllKeys()
          request.onsuccess = () => resolve(request.result as string[])
        }
      }),
  )
  assert.deepEqual(
    kept.filter(key => key.startsWith('file-keys:web:http://other.')),
    [],
  )
  await other.page.close()
})

test('keys renewed on the account page lock the apps that are open; unlocking goes on, with clear words for a wrong code', async () => {
  const account = await deputy.context.newPage()
  account.setDefaultTimeout(20_000)
  await account.goto(`${deputy.server.origins.broker}/account`)
  const section = account.getByRole('region', { name: 'Encryption' })
  await section.getByText('Unlocked in this browser').waitFor()
  const dialog = await askToRenewKeys(account)
  await dialog.getByLabel('Recovery code').fill(code.replace(/.$/, last => (last === '0' ? '1' : '0')))
  await dialog.getByRole('button', { name: 'Unlock', exact: true }).click()
  await dialog.getByText('There is a slip in this code.').waitFor()
  await dialog.getByLabel('Recovery code').fill(code)
  await dialog.getByRole('button', { name: 'Unlock', exact: true }).click()
  await account.getByText('Your keys were renewed.').waitFor()
  await section.getByText('Generation 2 of your keys').waitFor()
  assert.equal((await keysOf(account))?.epoch, 2)

  assert.deepEqual(await encryption(home), { enrolled: true, keyEpoch: 2, unlocked: false })
  assert.equal(await write(home, 'second.txt', 'more'), 'stale-epoch')
  // The window holds the newest keys already: it hands them over and closes by itself.
  const unlocked = unlock(home)
  await home.frame().locator('[role=dialog][data-ready=true]').waitFor()
  const [popup] = await Promise.all([home.page.waitForEvent('popup'), home.frame().getByRole('button', { name: 'Unlock', exact: true }).click()])
  if (!popup.isClosed()) await popup.waitForEvent('close')
  assert.equal(await unlocked, true)
  assert.deepEqual(await encryption(home), { enrolled: true, keyEpoch: 2, unlocked: true })
  assert.equal(await write(home, 'second.txt', 'more'), 'written')
  assert.equal(await read(home, 'first.txt'), 'sealed words', 'what was sealed before stays readable')
  await account.close()
})

test('a second device: the code signs in and opens the keys, gives way to the next, and a passkey made there opens them from then on', async () => {
  device = await launchChromium()
  const sentThere = sentBy(device.context)
  const page = await device.context.newPage()
  page.setDefaultTimeout(20_000)
  await addAuthenticator(device.context, page)
  await page.goto(`${deputy.server.origins.broker}/sign-in`)
  await page.getByText('Other ways to sign in').click()
  await page.getByRole('button', { name: 'Use my recovery code' }).click()
  await page.getByLabel('Recovery code').fill(code)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const next = ((await page.getByTestId('recovery-code').textContent()) ?? '').trim()
  assert.notEqual(next, code)
  await page.getByLabel('I keep it in a safe place').check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Add a passkey to this device?' }).waitFor()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  const state = await keysOf(page)
  assert.deepEqual(state?.unlockers.map(({ kind }) => kind).toSorted(), ['passkey', 'passkey', 'recovery'])

  await page.getByRole('link', { name: 'Open my account' }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  await page.getByRole('link', { name: 'Open my account' }).click()
  const section = page.getByRole('region', { name: 'Encryption' })
  await section.getByText('Unlocked in this browser').waitFor()

  // The first device is lost: its passkey goes, and with it what it could open.
  const passkeys = page.getByRole('region', { name: 'Passkeys' })
  await passkeys
    .getByRole('button', { name: /^Remove passkey/ })
    .first()
    .click()
  await passkeys.getByRole('button', { name: 'Remove', exact: true }).first().click()
  await page.getByRole('dialog', { name: 'Unlock to change your keys' }).getByRole('button', { name: 'Unlock with a passkey' }).click()
  await page.getByText('The passkey was removed.').waitFor()
  await section.getByText('Generation 3 of your keys').waitFor()
  const left = await keysOf(page)
  assert.deepEqual(left?.unlockers.map(({ kind }) => kind).toSorted(), ['passkey', 'recovery'])
  assert.equal(await passkeys.getByRole('listitem').count(), 1)

  for (const secret of [code, code.replaceAll('-', ''), next, next.replaceAll('-', '')]) assert.ok(!sentThere().includes(secret), 'a recovery code was sent')
  assert.ok(!sentThere().includes('"prf"'), 'what a passkey tells was sent')
  code = next
  await page.close()
})

test('a passkey its provider has brought to the second device opens the keys there with no code; where its secret stayed behind, it signs in and the code opens', async () => {
  const provider = new PasskeyProvider(deputy.server.origins.broker)
  const newPage = async (context: BrowserContext, prf: boolean): Promise<Page> => {
    const page = await context.newPage()
    page.setDefaultTimeout(45_000)
    await provider.serve(page, { prf })
    return page
  }
  const unlockByCode = async (page: Page): Promise<void> => {
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Use my recovery code').click()
    await dialog.getByLabel('Recovery code').fill(code)
    await dialog.getByRole('button', { name: 'Unlock', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  const first = await newPage(deputy.context, true)
  await first.goto(`${deputy.server.origins.broker}/account`)
  await first.getByRole('button', { name: 'Add a passkey' }).click()
  await unlockByCode(first)
  await first.getByText('The passkey was added.').waitFor()
  const made = (await keysOf(first))?.unlockers.filter(({ kind }) => kind === 'passkey').length
  assert.equal(made, 2)
  await first.close()

  const signInThere = async (prf: boolean): Promise<Page> => {
    const page = await newPage(device.context, prf)
    await page.goto(`${deputy.server.origins.broker}/account`)
    await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    await page.getByRole('link', { name: 'Open my account' }).click()
    return page
  }
  const whole = await signInThere(true)
  await whole.getByRole('region', { name: 'Encryption' }).getByText('Unlocked in this browser').waitFor()
  await whole.close()

  const without = await signInThere(false)
  const section = without.getByRole('region', { name: 'Encryption' })
  await section.getByText('Locked in this browser').waitFor()
  await section.getByRole('button', { name: 'Unlock', exact: true }).click()
  await without.getByRole('dialog').getByRole('button', { name: 'Unlock with a passkey' }).click()
  await without.getByRole('dialog').getByText('This passkey or browser can sign you in, but cannot unlock files.').waitFor()
  await unlockByCode(without)
  await section.getByText('Unlocked in this browser').waitFor()
})

test('nothing that opens keys has left the first browser', () => {
  const all = sent()
  assert.ok(all.includes('/v1/keys/enrol') && all.includes('/v1/keys/rotate'), 'what makes keys was seen')
  assert.ok(!all.includes('"prf"') && !all.includes('sealed words') && !all.includes('first.txt'))
  for (const made of codes) assert.ok(!all.includes(made) && !all.includes(made.replaceAll('-', '')), 'a recovery code was sent')
})
