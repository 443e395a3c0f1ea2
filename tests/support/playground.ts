import type { BrowserContext, Locator, Page } from 'playwright-core'
import { addAuthenticator, finish, makeAccount } from './sign-in-walk.ts'

/** After the page has asked to sign in: a new person does, by hand, in card, window, passkey, recovery code and allow. */
export async function signUpByHand(context: BrowserContext, page: Page): Promise<void> {
  const card = page.frameLocator('iframe[data-deputy-broker]').getByRole('dialog')
  await card.getByText('playground.localhost').waitFor()
  const opened = context.waitForEvent('page')
  await card.getByRole('button', { name: 'Sign in' }).click()
  const popup = await opened
  await addAuthenticator(context, popup)
  await makeAccount(popup, 'Ada Lovelace')
  await finish(popup, 'Allow')
}

/** A tab of the playground whose person goes by a name. */
export interface RoomTab {
  readonly page: Page
  readonly name: string
}

/** A new tab of the browser with generous patience. */
async function newTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  return page
}

/** Says a name, with a colour that goes with it. */
async function introduceAs(page: Page, name: string): Promise<void> {
  await page.getByLabel('Your name here').fill(name)
  const colours = page.getByRole('group', { name: 'Your colour' }).getByRole('radio')
  await colours.nth(name.charCodeAt(0) % (await colours.count())).check()
}

/** Makes a chat or a board and is its owner. */
export async function makeRoom(context: BrowserContext, playground: string, name: string, what: 'chat' | 'board' = 'chat'): Promise<RoomTab> {
  const page = await newTab(context)
  await page.goto(`${playground}/${what}`)
  await introduceAs(page, name)
  await page.getByRole('button', { name: `Make a ${what}` }).click()
  await page.getByText('Only you are here').waitFor()
  return { page, name }
}

/** Follows an invite link in a browser where nobody has said a name yet, or says another one. */
export async function joinRoom(context: BrowserContext, link: string, name: string): Promise<RoomTab> {
  const page = await newTab(context)
  const url = new URL(link)
  await page.goto(`${url.origin}${url.pathname}`)
  await introduceAs(page, name)
  await page.getByLabel('Invite link').fill(link)
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await ownSeat(page)
  return { page, name }
}

/** The invite link, as the dialog shows it. */
export async function inviteOf({ page }: RoomTab): Promise<string> {
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite' })
  await dialog.getByRole('img', { name: /QR code/ }).waitFor()
  const link = await dialog.getByLabel('Invite link').inputValue()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  return link
}

/** Member id of the page's own seat, once it has one. */
export async function ownSeat(page: Page): Promise<string> {
  const own = page.locator('.people li', { has: page.getByText(/^you/) })
  return (await own.getAttribute('data-member')) ?? ''
}

/** A message the page shows, by its text. */
export const saidIn = ({ page }: RoomTab, text: string): Locator => page.locator('.message', { has: page.getByText(text, { exact: true }) })

/** Says something and waits until the room has it. */
export async function say(tab: RoomTab, text: string): Promise<void> {
  const field = tab.page.getByRole('textbox', { name: 'Message' })
  await field.fill(text)
  await field.press('Enter')
  await saidIn(tab, text).locator('time').waitFor()
}
