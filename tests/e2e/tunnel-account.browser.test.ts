import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openAccountWindow } from '../support/account-window.ts'
import { faults } from '../support/axe.ts'
import type { TestDeputy } from '../support/deputy.ts'
import type { TestPerson } from '../support/test-accounts.ts'
import { httpOrigin, openTunnelApp, startTunnelDeputy } from '../support/tunnel-scene.ts'

let deputy: TestDeputy
let ada: TestPerson
before(async () => {
  ;({ deputy, ada } = await startTunnelDeputy())
})
after(() => deputy?.[Symbol.asyncDispose]())

test('NET-11: the account page tells what was used today, day by day and app by app', async () => {
  const window = await openAccountWindow(deputy, ada)
  const section = window.getByRole('region', { name: 'Network', exact: true })
  await section.getByText('No app has used the tunnel in the last 30 days.').waitFor()
  await section.getByText('0 bytes used today, without a limit').waitFor()

  await using origin = await httpOrigin((_request, response) => response.end(Buffer.alloc(3 * 1024 * 1024)))
  const home = await openTunnelApp(deputy, 'home', ada)
  await home.page.evaluate(async url => app.drain(net.won(await app.broker.cloud.fetch(url, {})).body!), origin.url)
  await window.bringToFront()
  await window.reload()
  await section.getByText('3 MB used today, without a limit').waitFor()
  const plot = section.getByRole('img', { name: /Bytes through the tunnel on each of the last 30 days\. 3 MB together, at most 3 MB on one day\./ })
  await plot.waitFor()
  assert.equal(await plot.locator('rect').count(), 30)
  const entry = section.getByRole('listitem').filter({ hasText: new URL(home.origin).host })
  await entry.getByText('0 bytes sent, 3 MB received').waitFor()
  await entry.getByText(/^Days of/).click()
  assert.equal(await entry.getByRole('row').count(), 2)
  assert.deepEqual(await faults(window), [])
})
