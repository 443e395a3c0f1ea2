import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright-core'
import { addAuthenticator, finish, makeAccount } from './sign-in-walk.ts'

/** The playground's notes in a new tab, once their standing is known. */
export async function openNotes(context: BrowserContext, playground: string): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`${playground}/notes`)
  await page.locator('.standing .line:not(:text("Asking your broker"))').waitFor()
  return page
}

/** The broker's card in the page, once it takes answers. */
export const cardIn = (page: Page): Locator => brokerIn(page).locator('[role=dialog][data-ready=true]')
/** The broker's frame in the page. */
export const brokerIn = (page: Page): FrameLocator => page.frameLocator('iframe[data-deputy-broker]')

/** The line that says how notes and account stand. */
export const lineIn = (page: Page, words: string | RegExp): Locator => page.locator('.standing .line').filter({ hasText: words })

/** A note in the list, by its title. */
export const listed = (page: Page, title: string): Locator => page.locator('.leaves button').filter({ has: page.getByText(title, { exact: true }) })

/** Makes a note and waits until it is saved in this browser. */
export async function writeNote(page: Page, title: string, text: string): Promise<void> {
  await page.getByRole('button', { name: 'New note' }).click()
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Title' && (document.activeElement as HTMLInputElement).value === '')
  await page.getByLabel('Title', { exact: true }).fill(title)
  await page.getByLabel('Text', { exact: true }).fill(text)
  const [begin = ''] = text.split('\n', 1)
  await listed(page, title || begin)
    .filter({ hasText: begin.slice(0, 40) })
    .waitFor()
}

/** Presses the page's own button to sign in, and the card's; answers the window. */
export async function openSignIn(page: Page): Promise<Page> {
  await page.getByRole('button', { name: 'Sign in to have them everywhere' }).click()
  const [popup] = await Promise.all([page.waitForEvent('popup'), cardIn(page).getByRole('button', { name: 'Sign in', exact: true }).click()])
  popup.setDefaultTimeout(30_000)
  // Whoever was signed in to the broker in this browser is offered first.
  const another = popup.getByRole('button', { name: 'Use another account' })
  await another
    .or(popup.getByRole('button', { name: 'New here? Make an account' }))
    .first()
    .waitFor()
  if (await another.isVisible()) await another.click()
  return popup
}

/** A new person makes an account from the notes, with a passkey; answers the recovery code. */
export async function signUpFrom(page: Page, name: string): Promise<string> {
  const popup = await openSignIn(page)
  await addAuthenticator(page.context(), popup)
  const code = await makeAccount(popup, name)
  await finish(popup, 'Allow')
  await page.getByText(`Signed in as ${name}`).waitFor()
  return code
}

/** On another device: signs in with the recovery code, keeps the next one, which is answered, and adds no passkey. */
export async function signInByCode(page: Page, code: string): Promise<string> {
  const popup = await openSignIn(page)
  await popup.getByText('Other ways to sign in').click()
  await popup.getByRole('button', { name: 'Use my recovery code' }).click()
  await popup.getByLabel('Recovery code').fill(code)
  await popup.getByRole('button', { name: 'Sign in', exact: true }).click()
  const next = ((await popup.getByTestId('recovery-code').textContent()) ?? '').trim()
  await popup.getByLabel('I keep it in a safe place').check()
  await popup.getByRole('button', { name: 'Continue' }).click()
  // The account has allowed the page before: the window ends by itself.
  await finish(popup, 'Not now')
  return next
}
