import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDeputy } from '../support/deputy.ts'
import { sentBy } from '../support/sent-bodies.ts'
import { finish, openWindow } from '../support/sign-in-walk.ts'
import { signUp } from '../support/test-accounts.ts'

const passphrase = 'a horse on the roof sings'

test('without a passkey: signing in asks for no passphrase, unlocking does, and the same passphrase opens on the next day', async () => {
  await using deputy = await startDeputy()
  const sent = sentBy(deputy.context)
  await signUp(deputy.server, 'Operator')
  const home = await deputy.openApp('notes')
  const signedIn = home.page.evaluate(() => app.broker.account.login(location.origin))
  const popup = await openWindow(home)
  await popup.getByText('Other ways to sign in').click()
  await popup.getByLabel('E-mail address').fill('ada@example.com')
  await popup.getByRole('button', { name: 'Send code' }).click()
  await popup.getByLabel('Code', { exact: true }).waitFor()
  await popup.getByLabel('Code', { exact: true }).fill(/code is (\d{4} \d{4})/.exec(deputy.server.letters.at(-1) ?? '')?.[1] ?? '')
  await popup.getByLabel('Your name').fill('Ada')
  await popup.getByRole('button', { name: 'Continue' }).click()
  await popup.getByTestId('recovery-code').waitFor()
  await popup.getByLabel('I keep it in a safe place').check()
  await popup.getByRole('button', { name: 'Continue' }).click()
  await finish(popup, 'Allow')
  assert.equal(await signedIn, true)
  const encryption = () => home.page.evaluate(() => app.broker.cloud.fs.encryption())
  assert.deepEqual(await encryption(), { enrolled: false, keyEpoch: null, unlocked: false })

  const openToUnlock = async () => {
    const unlocked = home.page.evaluate(() => app.broker.cloud.fs.unlock())
    // A test that ends before tells its own reason, not this one's.
    unlocked.catch(() => undefined)
    await home.frame().locator('[role=dialog][data-ready=true]').waitFor()
    const [window] = await Promise.all([home.page.waitForEvent('popup'), home.frame().getByRole('button', { name: 'Unlock', exact: true }).click()])
    window.setDefaultTimeout(20_000)
    return { unlocked, window }
  }
  const first = await openToUnlock()
  await first.window.getByRole('heading', { name: 'Protect your files' }).waitFor()
  await first.window.getByLabel('New passphrase').fill('short')
  await first.window.getByText('Too short').waitFor()
  const set = first.window.getByRole('button', { name: 'Set the passphrase' })
  assert.equal(await set.isDisabled(), true)
  await first.window.getByLabel('New passphrase').fill(passphrase)
  await first.window.getByLabel('The same again').fill(`${passphrase}!`)
  await first.window.getByText('The two are not the same.').waitFor()
  await first.window.getByLabel('The same again').fill(passphrase)
  await set.click()
  const code = ((await first.window.getByTestId('recovery-code').textContent()) ?? '').trim()
  await first.window.getByText('A code you kept before no longer works.').waitFor()
  await first.window.getByLabel('I keep it in a safe place').check()
  const closed = first.window.waitForEvent('close')
  await first.window.getByRole('button', { name: 'Continue' }).click()
  await closed
  assert.equal(await first.unlocked, true)
  assert.deepEqual(await encryption(), { enrolled: true, keyEpoch: 1, unlocked: true })
  await home.page.evaluate(() => app.broker.cloud.fs.writeFile('note.txt', 'kept', null))

  // Signed out everywhere in this browser: nothing is left that opens.
  await home.page.evaluate(() => app.broker.account.logout())
  const account = await deputy.context.newPage()
  await account.goto(`${deputy.server.origins.broker}/account`)
  await account.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await account.getByRole('heading', { name: 'You are not signed in' }).waitFor()
  await account.close()

  const again = await openToUnlock()
  await again.window.getByText('Other ways to sign in').click()
  await again.window.getByLabel('E-mail address').fill('ada@example.com')
  await again.window.getByRole('button', { name: 'Send code' }).click()
  await again.window.getByLabel('Code', { exact: true }).waitFor()
  await again.window.getByLabel('Code', { exact: true }).fill(/code is (\d{4} \d{4})/.exec(deputy.server.letters.at(-1) ?? '')?.[1] ?? '')
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
