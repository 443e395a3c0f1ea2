import type { BrowserContext, Locator, Page } from 'playwright-core'
import { cardIn } from '../tests/support/notes-page.ts'
import { signUpByHand } from '../tests/support/playground.ts'

type Scene = readonly [of: Page, show?: () => Promise<void>]

const tool = (page: Page, title: string): Locator => page.getByRole('region', { name: title, exact: true })
const press = (within: Locator, name: string) => within.getByRole('button', { name, exact: true }).click()

/** Whose browsers show the network demo. */
export interface NetworkPeople {
  readonly signedIn: BrowserContext
  readonly signedOut: BrowserContext
  /** Signs up, and reaches the limit of 3 MB a day. */
  readonly spender: BrowserContext
}

/** Scenes of the playground’s network demo by name. */
export async function networkScenes({ signedIn, signedOut, spender }: NetworkPeople, playground: string): Promise<Record<string, Scene>> {
  const page = await signedIn.newPage()
  await page.goto(`${playground}/network`)
  await page.getByText('Signed in as').waitFor()
  const fetching = tool(page, 'Fetch')
  await press(fetching, 'Send')
  await fetching.getByRole('region', { name: 'Body' }).waitFor()
  const names = tool(page, 'Names')
  await press(names, 'Look up')
  await names.getByText('127.0.0.1').waitFor()
  const tcp = tool(page, 'Raw TCP')
  await press(tcp, 'Connect')
  await cardIn(page).locator('[data-answer=session]').press('Enter', { delay: 40 })
  await tcp.getByText('Connected.').waitFor()
  for (const line of ['SET name Ada Lovelace', 'GET name', 'INCR visits']) {
    await tcp.getByLabel('Line to send over TCP').fill(line)
    await press(tcp, 'Send')
  }
  await tcp.getByRole('log').getByText(':1').waitFor()
  await press(tool(page, 'UDP echo'), 'Send 5')
  await page.getByText('5 of 5 came back').waitFor()
  const listener = tool(page, 'A page that listens')
  await press(listener, 'Listen')
  const other = await signedIn.newPage()
  await other.goto((await listener.getByRole('link').getAttribute('href')) ?? '')
  const peer = tool(other, 'Raw TCP')
  await other.getByText('Signed in as').waitFor()
  await press(peer, 'Connect')
  await peer.getByText('Connected.').waitFor()
  await peer.getByLabel('Line to send over TCP').fill('Is anybody there?')
  await press(peer, 'Send')
  await listener.getByText('Is anybody there?').waitFor()
  await listener.getByLabel('Hex').check()
  const speed = tool(page, 'How fast')
  await press(speed, 'Measure')
  await page.waitForTimeout(5000)
  await press(speed, 'Enough')

  const out = await signedOut.newPage()
  await out.goto(`${playground}/network`)
  await press(tool(out, 'Fetch'), 'Send')
  await out.getByRole('alert').waitFor()

  const spent = await spender.newPage()
  await spent.goto(`${playground}/network`)
  await spent.getByRole('button', { name: 'Sign in', exact: true }).click()
  await signUpByHand(spender, spent)
  await spent.getByText('Signed in as').waitFor()
  await press(tool(spent, 'Raw TCP'), 'Connect')
  await cardIn(spent).locator('[data-answer=session]').press('Enter', { delay: 40 })
  await tool(spent, 'Raw TCP').getByText('Connected.').waitFor()
  for (let round = 1; round <= 3; round++) {
    await press(tool(spent, 'Fetch'), '1 MB')
    await spent.getByText(/^1 MB after/).waitFor()
  }
  await press(tool(spent, 'Fetch'), 'Send')
  await spent.getByRole('alert').first().waitFor()
  const account = await spender.newPage()
  await account.goto(new URL('/account#network', playground.replace('playground.', 'broker.')).href)
  await account.getByText('The limit of today is reached').waitFor()
  return {
    network: [page],
    'network-signed-out': [out],
    'network-spent': [spent, () => tool(spent, 'What you have used').scrollIntoViewIfNeeded()],
    'network-spent-account': [account, () => account.locator('#network').scrollIntoViewIfNeeded()],
  }
}
