import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { faults } from '../support/axe.ts'
import { launchChromium, type Chromium } from '../support/chromium.ts'
import { startDev, type DevServer } from '../support/dev-server.ts'
import { cardIn } from '../support/notes-page.ts'
import { signUpByHand } from '../support/playground.ts'

let server: DevServer
let mine: Chromium
let theirs: Chromium
before(async () => {
  // The first account of a server has premium, and with it no limit here: the second test stands on the first.
  ;[server, mine, theirs] = await Promise.all([startDev({ DEPUTY_TUNNEL_DAY: '3000000B' }), launchChromium(), launchChromium()])
})
after(async () => {
  await Promise.all([mine?.close(), theirs?.close()])
  await server?.[Symbol.asyncDispose]()
})

/** The demo in a new tab. */
async function openNetwork(of: Chromium, fragment = ''): Promise<Page> {
  const page = await of.context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`${server.playground}/network${fragment}`)
  return page
}
async function signIn(of: Chromium, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await signUpByHand(of.context, page)
  await page.getByText('Signed in as Ada Lovelace').waitFor()
}
const tool = (page: Page, title: string): Locator => page.getByRole('region', { name: title, exact: true })
const press = (within: Locator, name: string) => within.getByRole('button', { name, exact: true }).click()
/** Says yes to sockets, which the page asks for. */
async function allow(page: Page): Promise<void> {
  await cardIn(page).locator('[data-answer=session]').press('Enter', { delay: 40 })
  await cardIn(page).waitFor({ state: 'detached' })
}
const broker = (page: Page) => page.frameLocator('iframe[data-deputy-broker]')

test('the tools of the network demo work through a real tunnel, and say what went wrong and the way out', async () => {
  const page = await openNetwork(mine)
  const fetching = tool(page, 'Fetch')
  await press(fetching, 'Send')
  await fetching.getByRole('alert').getByText('Sign in above.').waitFor()
  await signIn(mine, page)

  const answer = fetching.getByRole('region', { name: 'Answer' })
  const body = answer.getByRole('region', { name: 'Body' })
  await press(fetching, 'Send')
  await answer.getByText('200 OK').waitFor()
  await answer.getByText('node local').waitFor()
  await body.getByText('"method": "GET"').waitFor()
  await answer.getByLabel('Hex').check()
  await body.getByText(/^0000 {2}7b 0a 20 20 22 6d /).waitFor()
  await press(fetching, 'A redirect')
  await answer.getByText(/^Led to .*\/said$/).waitFor()
  await press(fetching, 'Compressed')
  await body.getByText('This came compressed').waitFor()
  await press(fetching, 'Line by line')
  await body.getByText('line 2').waitFor()
  await press(fetching, 'Break off')
  await fetching.getByRole('alert').getByText('You broke it off.').waitFor()
  await fetching.getByText('Headers, body, redirects').click()
  await fetching.getByLabel('Redirects').selectOption('manual')
  await press(fetching, 'A redirect')
  await answer.getByText('302 Found').waitFor()
  await fetching.getByLabel('Any healthy node may do it').check()
  await fetching.getByLabel('Method').selectOption('POST')
  await fetching.getByLabel('Headers, one a line').fill('x-own: mine')
  await fetching.getByLabel('Body').fill('Füße')
  await press(fetching, 'What I said')
  await body.getByText('"x-own": "mine"').waitFor()
  await body.getByText('"body": "Füße"').waitFor()
  await answer.getByText('any node').waitFor()
  await fetching.getByLabel('Method').selectOption('GET')
  for (const [button, words] of [
    ['A port that is closed to us', /^EACCES The tunnel does not go there.*DEPUTY_TUNNEL_ALLOW/],
    ['A name that is none', /^ENOTFOUND There is no such name/],
  ] as const) {
    await press(fetching, button)
    await fetching.getByRole('alert').filter({ hasText: words }).waitFor()
  }
  await press(fetching, '1 MB')
  await answer.getByText(/^1 MB after/).waitFor()

  const names = tool(page, 'Names')
  await press(names, 'Look up')
  await names.getByText('127.0.0.1').waitFor()
  await names.getByLabel('Name').fill('nowhere.invalid')
  await press(names, 'Look up')
  await names.getByText('No address').waitFor()

  const tcp = tool(page, 'Raw TCP')
  const said = tcp.getByRole('log')
  const say = async (line: string) => {
    await tcp.getByLabel('Line to send over TCP').fill(line)
    await tcp.getByLabel('Line to send over TCP').press('Enter')
  }
  await press(tcp, 'Connect')
  await allow(page)
  await said.getByText('+Hello.').waitFor()
  await say('SET name Ada')
  await say('GET name')
  await said.getByText('+OK').waitFor()
  await said.getByText(/\$3\s+Ada/).waitFor()
  await tcp.getByLabel('Hex').check()
  await said.getByText('2b 4f 4b 0d 0a').waitFor()
  await press(tcp, 'End my half')
  await said.getByText('They ended their half.').waitFor()
  await tcp.getByText('Not connected.').waitFor()
  await press(tcp, 'Connect')
  await tcp.getByText('Connected.').waitFor()
  await press(tcp, 'Reset')
  await tcp.getByText('Not connected.').waitFor()
  await tcp.getByLabel('Port').fill('1')
  await press(tcp, 'Connect')
  await tcp.getByRole('alert').getByText('EACCES').waitFor()

  const udp = tool(page, 'UDP echo')
  await press(udp, 'Send 5')
  await udp.getByText(/^5 of 5 came back/).waitFor()

  const listener = tool(page, 'A page that listens')
  await press(listener, 'Listen')
  const link = listener.getByRole('link')
  const href = (await link.getAttribute('href')) ?? ''
  const other = await openNetwork(mine, new URL(href).hash)
  const peer = tool(other, 'Raw TCP')
  await other.getByText('Signed in as Ada Lovelace').waitFor()
  assert.equal(await peer.getByLabel('Port').inputValue(), href.split(':').at(-1))
  await press(peer, 'Connect')
  await peer.getByText('Connected.').waitFor()
  await peer.getByLabel('Line to send over TCP').fill('from the other tab')
  await press(peer, 'Send')
  await listener.getByRole('log').getByText('from the other tab').waitFor()
  await listener.getByLabel('Line to send to whoever').fill('from the listener')
  await press(listener, 'Send')
  await peer.getByRole('log').getByText('from the listener').waitFor()
  await press(listener, 'Stop')
  await peer.getByText('Their half has ended').waitFor()
  await press(peer, 'End my half')
  await peer.getByText('Not connected.').waitFor()
  await press(peer, 'Connect')
  await peer.getByRole('alert').waitFor()
  await other.close()

  const speed = tool(page, 'How fast')
  const counted = /([\d.]+) (kB|MB|GB) in all/
  for (const way of ['down-url', 'up-url', 'down-tcp', 'up-tcp']) {
    await speed.getByLabel('Which way').selectOption(way)
    await press(speed, 'Measure')
    await speed.getByText(counted).filter({ hasText: /[MG]B/ }).waitFor()
    await press(speed, 'Enough')
    await speed
      .getByRole('status')
      .getByText(/^Measured: [\d.,]+ MB\/s/)
      .waitFor({ state: 'attached' })
    assert.equal(await speed.getByRole('alert').count(), 0, way)
  }

  const used = tool(page, 'What you have used')
  await used.getByText('as much as you like').waitFor()
  await page.waitForFunction(() => Number(document.querySelector<HTMLElement>('[data-used]')?.dataset['used']) > 1_000_000)
  // What was fetched counts in the bar as well as what went over sockets.
  await broker(page)
    .getByText(/0 connections|1 connection/)
    .filter({ hasText: /[MG]B out, [\d.]+ [MG]B in/ })
    .waitFor()

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    assert.deepEqual(await faults(page), [], colorScheme)
    await page.setViewportSize({ width: 320, height: 640 })
    assert.deepEqual(await faults(page), [], `${colorScheme}, narrow`)
    for (const dir of ['ltr', 'rtl']) {
      await page.evaluate(to => (document.documentElement.dir = to), dir)
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, `${dir} at 320 pixels`)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.evaluate(() => document.documentElement.removeAttribute('dir'))
  }
  await page.close()
})

test('over the limit of the day the app, the bar and the account page say so, and when it ends', async () => {
  const page = await openNetwork(theirs)
  await signIn(theirs, page)
  const tcp = tool(page, 'Raw TCP')
  await press(tcp, 'Connect')
  await allow(page)
  await tcp.getByText('Connected.').waitFor()
  const bar = broker(page).getByRole('region', { name: 'Permissions of this app' })
  await bar.getByText('1 connection,').waitFor()
  const fetching = tool(page, 'Fetch')
  // The line passes by, so it is waited for from before it can come.
  const passing = broker(page)
    .getByText(/^Your account has reached its network limit of today\./)
    .waitFor({ timeout: 60_000 })
  const spending = async () => {
    for (let round = 1; round <= 3; round++) {
      await press(fetching, '1 MB')
      await fetching.getByText(/^1 MB after/).waitFor()
    }
    await press(fetching, 'Send')
  }
  await Promise.all([passing, spending()])
  await bar.getByText(/0 bytes out, 2\.9 MB in|[\d.]+ (bytes?|kB) out, 2\.9 MB in/).waitFor()
  await fetching
    .getByRole('alert')
    .filter({ hasText: /^quota Your account has used up what it may today\. All works again from .*midnight UTC/ })
    .waitFor()
  await bar.getByText(/^Daily limit reached until \d/).waitFor()
  await tool(page, 'What you have used')
    .getByRole('alert')
    .filter({ hasText: /nothing new is opened, and what is open is slow/ })
    .waitFor()
  const udp = tool(page, 'UDP echo')
  await press(udp, 'Send 5')
  await udp.getByRole('alert').getByText('quota').waitFor()

  const account = await theirs.context.newPage()
  account.setDefaultTimeout(30_000)
  await account.goto(server.account)
  await account
    .getByRole('region', { name: 'Network', exact: true })
    .getByText(/^The limit of today is reached: .* \(midnight UTC\) all works again\.$/)
    .waitFor()
  assert.deepEqual(await faults(account), [])
})
