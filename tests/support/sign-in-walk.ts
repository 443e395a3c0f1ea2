import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import type { TestApp } from './deputy.ts'

/** Gives the page's browser tab a passkey authenticator that answers by itself, as a device with a fingerprint reader would. */
export async function addAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      hasPrf: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** Presses the yes of the card in the frame and answers the sign-in window it opens. */
export async function openWindow(app: TestApp, button: 'Sign in' | 'Continue' = 'Sign in'): Promise<Page> {
  const opened = app.page.waitForEvent('popup')
  await app.frame().getByRole('button', { name: button, exact: true }).click()
  const popup = await opened
  popup.setDefaultTimeout(45_000)
  return popup
}

/** Presses a no of the card in the frame, once the card takes answers. */
export async function refuseCard(app: TestApp, button: 'Not now' | 'Cancel'): Promise<void> {
  await app.frame().locator('[role=dialog][data-ready=true]').getByRole('button', { name: button, exact: true }).click()
}

/** In the sign-in window: makes an account with a passkey and keeps its recovery code; answers the code. */
export async function makeAccount(popup: Page, name: string): Promise<string> {
  await popup.getByRole('button', { name: 'New here? Make an account' }).click()
  await popup.getByLabel('Your name').fill(name)
  await popup.getByRole('button', { name: 'Make account' }).click()
  const code = (await popup.getByTestId('recovery-code').textContent()) ?? ''
  await popup.getByLabel('I keep it in a safe place').check()
  await popup.getByRole('button', { name: 'Continue' }).click()
  return code.trim()
}

/** Once the window has closed, which it may have done already. */
export async function closed(popup: Page): Promise<void> {
  if (!popup.isClosed()) await popup.waitForEvent('close')
}

/** Presses a button of the window that ends it, and waits until it has closed. */
export async function finish(popup: Page, button: 'Allow' | 'Continue' | 'Don’t allow' | 'Cancel' | 'Not now'): Promise<void> {
  const closing = closed(popup)
  await popup.getByRole('button', { name: button, exact: true }).click()
  await closing
}

/** A new person makes an account with a passkey from the app, allows it, and holds keys there; answers the recovery code. */
export async function signUpFromApp(home: TestApp): Promise<string> {
  const signedIn = home.page.evaluate(() => app.broker.account.login(location.origin))
  const popup = await openWindow(home)
  await addAuthenticator(home.page.context(), popup)
  const code = await makeAccount(popup, 'Ada Lovelace')
  await finish(popup, 'Allow')
  assert.equal(await signedIn, true)
  await home.page.waitForFunction(async () => (await app.broker.cloud.fs.encryption()).unlocked)
  return code
}
