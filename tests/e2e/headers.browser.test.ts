import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDeputy } from '../support/deputy.ts'

test('a cross-origin isolated app embeds the broker, whose pages run under their content policy without a violation', async () => {
  await using deputy = await startDeputy()
  const violations: string[] = []
  deputy.context.on('console', message => {
    if (/Content Security Policy|Trusted Type|violates/i.test(message.text())) violations.push(message.text())
  })
  const app = await deputy.openApp('isolated', {
    headers: { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' },
  })
  assert.equal(await app.page.evaluate('crossOriginIsolated'), true)
  assert.match(await app.frame().evaluate(() => document.readyState), /interactive|complete/)
  const { broker } = deputy.server.origins
  for (const path of ['/sign-in', '/account']) {
    const page = await deputy.context.newPage()
    await page.goto(`${broker}${path}`, { waitUntil: 'load' })
    await page.locator('body > *').first().waitFor({ state: 'attached', timeout: 45_000 })
    await page.close()
  }
  assert.deepEqual(violations, [])
})

test('sign-in and account cannot be framed', async () => {
  await using deputy = await startDeputy()
  const app = await deputy.openApp('framer')
  for (const path of ['/sign-in', '/account']) {
    const url = `${deputy.server.origins.broker}${path}`
    const refused = deputy.context.waitForEvent('console', message => message.text().includes('frame-ancestors'))
    await app.page.evaluate(address => {
      const frame = document.createElement('iframe')
      frame.src = address
      document.body.append(frame)
    }, url)
    await refused
  }
})
