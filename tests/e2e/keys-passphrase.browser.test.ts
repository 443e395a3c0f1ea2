import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { faults } from '../support/axe.ts'
import { startDeputy, type TestApp, type TestDeputy } from '../support/deputy.ts'
import { sentBy } from '../support/sent-bodies.ts'
import { closed, finish, openWindow } from '../support/sign-in-walk.ts'
import { signUp } from '../support/test-accounts.ts'

const passphrase = 'a horse on the roof sings'
let deputy: TestDeputy
let sent: () => string
let home: TestApp
before(async () => {
  deputy = await startDeputy()
  sent = sentBy(deputy.context)
  await signUp(deputy.server, 'Operator')
  home = await deputy.openApp('notes')
})
after(() => deputy?.[Symbol.asyncDispose]())

const encryption = () => home.page.evaluate(() => app.broker.cloud.fs.encryption())
const openToUnlock = async () => {
  const unlocked = home.page.evaluate(() => app.broker.cloud.fs.unlock())
  // A test that ends before tells its own reason, not this one's.
  unlocked.catch(() => undefined)
  await home.frame().locator('[role=dialog][data-ready=true]').waitFor()
  const [window] = await Promise.all([home.page.waitForEvent('popup'), home.frame().getByRole('button', { name: 'Unlock', exact: true }).click()])
  window.setDefaultTimeout(45_000)
  return { unlocked, window }
}
/** Gives the e-mail address, and the code from the letter once it is asked for. */
const byMail = async (window: Page): Promise<void> => {
  await window.getByText('Other ways to sign in').click()
  await window.getByLabel('E-mail address').fill('ada@example.com')
  await window.getByRole('button', { name: 'Send code' }).click()
  await window.getByLabel('Code', { exact: true }).waitFor()
  await window.getByLabel('Code', { exact: true }).fill(/code is (\d{4} \d{4})/.exec(deputy.server.letters.at(-1) ?? '')?.[1] ?? '')
}
/** Signed out everywhere in this browser: nothing is left that opens. */
const signOut = async (): Promise<void> => {
  await home.page.evaluate(() => app.broker.account.logout())
  const account = await deputy.context.newPage()
  await account.goto(`${deputy.server.origins.broker}/account`)
  await account.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await account.getByRole('heading', { name: 'You are not signed in' }).waitFor()
  await account.close()
}
const setPassphrase = async (window: Page): Promise<void> => {
  await window.getByLabel('New passphrase').fill(passphrase)
  await window.getByLabel('The same again').fill(passphrase)
  await window.getByRole('button', { name: 'Set the passphrase' }).click()
}
const keepCode = async (window: Page): Promise<string> => {
  const code = ((await window.getByTestId('recovery-code').textContent()) ?? '').trim()
  await window.getByText('A code you kept before no longer works.').waitFor()
  await window.getByLabel('I keep it in a safe place').check()
  const gone = closed(window)
  await window.getByRole('button', { name: 'Continue' }).click()
  await gone
  return code
}

test('without a passkey: signing in asks for no passphrase, unlocking does, and the same passphrase opens on the next day', async () => {
  const signedIn = home.page.evaluate(() => app.broker.account.login(location.origin))
  const popup = await openWindow(home)
  await byMail(popup)
  await popup.getByLabel('Your name').fill('Ada')
  await popup.getByRole('button', { name: 'Continue' }).click()
  await popup.getByTestId('recovery-code').waitFor()
  await popup.getByLabel('I keep it in a safe place').check()
  await popup.getByRole('button', { name: 'Continue' }).click()
  await finish(popup, 'Allow')
  assert.equal(await signedIn, true)
  assert.deepEqual(await encryption(), { enrolled: false, keyEpoch: null, unlocked: false })

  const first = await openToUnlock()
  await first.window.getByRole('heading', { name: 'Protect your files' }).waitFor()
  await first.window.getByLabel('New passphrase').fill('short')
  await first.window.getByText('Too short').waitFor()
  const set = first.window.getByRole('button', { name: 'Set the passphrase' })
  assert.equal(await set.isDisabled(), true)
  await first.window.getByLabel('New passphrase').fill(passphrase)
  await first.window.getByLabel('The same again').fill(`${passphrase}!`)
  await first.window.getByText('The two are not the same.').waitFor()
  await setPassphrase(first.window)
  const code = await keepCode(first.window)
  assert.equal(await first.unlocked, true)
  assert.deepEqual(await encryption(), { enrolled: true, keyEpoch: 1, unlocked: true })
  await home.page.evaluate(() => app.broker.cloud.fs.writeFile('note.txt', 'kept', null))

  await signOut()
  const again = await openToUnlock()
  await byMail(again.window)
  await again.window.getByRole('button', { name: 'Continue' }).click()
  await again.window.getByRole('heading', { name: 'Unlock your files' }).waitFor()
  await again.window.getByLabel('Passphrase').fill('not this one at all')
  await again.window.getByRole('button', { name: 'Unlock', exact: true }).first().click()
  await again.window.getByText('This passphrase does not open your files.').waitFor()
  await again.window.getByLabel('Passphrase').fill(passphrase)
  const done = again.window.waitForEvent('close')
  await again.window.getByRole('button', { name: 'Unlock', exact: true }).first().click()
  await done
  assert.equal(await again.unlocked, true)
  const text = await home.page.evaluate(async () => new TextDecoder().decode((await app.broker.cloud.fs.readFile('note.txt')) as BufferSource))
  assert.equal(text, 'kept')
  for (const secret of [passphrase, code, code.replaceAll('-', '')]) assert.ok(!sent().includes(secret), 'what opens keys was sent')
})

test('both lost: what is lost is said plainly, and the account begins anew without its old files', async () => {
  await signOut()
  const { unlocked, window } = await openToUnlock()
  await byMail(window)
  await window.getByRole('button', { name: 'Continue' }).click()
  await window.getByRole('heading', { name: 'Unlock your files' }).waitFor()
  await window.getByText('Use my recovery code').click()
  await window.getByRole('button', { name: 'None of this opens my files' }).click()
  await window.getByRole('heading', { name: 'Nothing opens your files?' }).waitFor()
  await window.getByText('nobody can open your files, we neither').waitFor()
  assert.deepEqual(
    (await window.getByRole('listitem').allTextContents()).map(text => text.trim()),
    ['all files that apps stored in your account are deleted', 'your account, name and connected apps stay', 'you get new keys and a new recovery code'],
  )
  assert.deepEqual(await faults(window), [])
  const go = window.getByRole('button', { name: 'Delete the files and begin anew' })
  assert.equal(await go.isDisabled(), true, 'only with the name typed')
  await window.getByLabel('Type Ada to confirm').fill('Ada')
  await go.click()
  await window.getByRole('heading', { name: 'Protect your files' }).waitFor()
  await setPassphrase(window)
  await keepCode(window)
  assert.equal(await unlocked, true)

  assert.deepEqual(await encryption(), { enrolled: true, keyEpoch: 2, unlocked: true })
  const after = await home.page.evaluate(async () => {
    const listed = await app.value(app.files.list())
    const old = await app.code(app.files.readFile('note.txt'))
    await app.value(app.files.writeFile('note.txt', 'anew', null))
    return { listed, old, text: new TextDecoder().decode(await app.value(app.files.readFile('note.txt'))) }
  })
  assert.deepEqual(after, { listed: [], old: 'not-found', text: 'anew' })
})
