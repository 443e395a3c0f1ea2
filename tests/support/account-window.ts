import type { Locator, Page } from 'playwright-core'
import { keepSession, type TestDeputy } from './deputy.ts'
import type { TestPerson } from './test-accounts.ts'

/** Signs the person in to the broker's own windows, and answers their account page. */
export async function openAccountWindow({ context, server }: TestDeputy, { session }: Pick<TestPerson, 'session'>): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`${server.origins.broker}/account`)
  await page.evaluate(keepSession, ['session:account', session] as const)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: session.account.name }).waitFor()
  return page
}

/** The entry of a claimed room in the window, by its description or name. */
export const claimedEntry = (window: Page, title: string) =>
  window.getByRole('region', { name: 'Claimed rooms' }).getByRole('listitem').filter({ hasText: title })

/** Presses Unclaim of the room, and again to be sure, and waits until it is gone from the list. */
export async function unclaimIn(window: Page, title: string): Promise<void> {
  const entry = claimedEntry(window, title)
  await entry.getByRole('button', { name: `Unclaim ${title}` }).click()
  await entry.getByRole('button', { name: 'Unclaim', exact: true }).click()
  await entry.waitFor({ state: 'detached' })
}

/** Asks for the account's keys to be renewed; answers the dialog, which wants the recovery code. */
export async function askToRenewKeys(window: Page): Promise<Locator> {
  const section = window.getByRole('region', { name: 'Encryption' })
  await section.getByRole('button', { name: 'Renew the keys' }).click()
  await section.getByRole('button', { name: 'Renew the keys' }).click()
  const dialog = window.getByRole('dialog', { name: 'Unlock to change your keys' })
  await dialog.getByText('Use my recovery code').click()
  return dialog
}

/** Renews the account's keys by its recovery code. */
export async function renewKeys(window: Page, code: string): Promise<void> {
  const dialog = await askToRenewKeys(window)
  await dialog.getByLabel('Recovery code').fill(code)
  await dialog.getByRole('button', { name: 'Unlock', exact: true }).click()
  await window.getByText('Your keys were renewed.').waitFor()
}
