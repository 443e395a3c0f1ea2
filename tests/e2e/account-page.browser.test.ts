import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { addAuthenticator, finish, makeAccount } from '../support/sign-in-walk.ts'

let deputy: TestDeputy
let code: string
before(async () => {
  deputy = await startDeputy()
})
after(() => deputy?.[Symbol.asyncDispose]())

test('CON-2: the connect button of a page opens the window in its own click, says who is connected, and the frame of the page is connected too', async () => {
  const home = await deputy.openApp('shop')
  const { broker } = deputy.server.origins
  await home.page.evaluate(url => {
    // The page has no overlay host: its broker frame is out of the way as one would have put it.
    document.querySelector('iframe')?.style.setProperty('clip-path', 'inset(0 100% 100% 0)')
    const frame = document.createElement('iframe')
    frame.src = url
    frame.title = 'Connect'
    frame.id = 'connect'
    document.body.append(frame)
  }, `${broker}/connect-button?theme=dark`)
  const button = home.page.frameLocator('#connect')
  const [popup] = await Promise.all([home.page.waitForEvent('popup'), button.getByRole('button', { name: 'Connect with Deputy' }).click()])
  await addAuthenticator(deputy.context, popup)
  code = await makeAccount(popup, 'Ada Lovelace')
  await popup.getByText('Allow this app?').waitFor()
  await finish(popup, 'Allow')
  await button.getByText('Connected as Ada Lovelace').waitFor()
  assert.equal((await home.page.evaluate(() => app.broker.account.info()))?.name, 'Ada Lovelace')
})

test('the account page shows what there is and changes it: name, passkey, app, and at last the account', async () => {
  const page = await deputy.context.newPage()
  page.setDefaultTimeout(45_000)
  await page.goto(`${deputy.server.origins.broker}/account`)
  await addAuthenticator(deputy.context, page)
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Ada King')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Ada King' }).waitFor()
  const passkeys = page.getByRole('region', { name: 'Passkeys' })
  assert.equal(await passkeys.getByRole('listitem').count(), 1)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const unlock = page.getByRole('dialog', { name: 'Unlock to change your keys' })
  await unlock.getByText('Use my recovery code').click()
  await unlock.getByLabel('Recovery code').fill(code)
  await unlock.getByRole('button', { name: 'Unlock', exact: true }).click()
  await page.getByText('The passkey was added.').waitFor()
  await passkeys.getByRole('listitem').nth(1).waitFor()
  const apps = page.getByRole('region', { name: 'Connected apps' })
  await apps.getByRole('button', { name: /^Disconnect shop\.localhost/ }).click()
  await apps.getByRole('button', { name: 'Disconnect', exact: true }).click()
  await apps.getByText('No app is connected.').waitFor()
  const remove = page.getByRole('button', { name: 'Delete my account' })
  assert.equal(await remove.isDisabled(), true)
  await page.getByRole('region', { name: 'Your data' }).getByLabel('Type Ada King to confirm').fill('Ada King')
  await remove.click()
  await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
  await page.close()
})
