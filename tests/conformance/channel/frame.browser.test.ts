import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveChannelPages } from '../../support/channel-pages.ts'
import { launchChromium } from '../../support/chromium.ts'
import { launchFirefox, noFirefox } from '../../support/firefox.ts'
import { launchWebKit, noWebKit } from '../../support/webkit.ts'
import type { Suite } from './app-page.ts'
import { channelCases } from './cases.ts'
import type { Result } from './run-cases.ts'

declare const suite: Suite

function judge(results: readonly Result[]): void {
  assert.deepEqual(
    results.filter(({ error }) => error !== undefined),
    [],
  )
  assert.equal(results.length, channelCases.length)
}

test('Chromium: every case over a cross-site frame, then through a worker whose own messages stay its own', async () => {
  const { web, app } = await serveChannelPages()
  await using _web = web
  await using browser = await launchChromium()
  const page = await browser.context.newPage()
  await page.goto(app)
  judge(await page.evaluate(() => suite.runFrame()))
  const { results, own } = await page.evaluate(() => suite.runWorker())
  judge(results)
  assert.equal(own, 1)
})

test('Firefox: every case over a cross-site frame and through a worker', async context => {
  const browser = await launchFirefox()
  if (!browser) return context.skip(noFirefox)
  const { web, app } = await serveChannelPages()
  await using _web = web
  try {
    const page = await browser.newPage()
    await page.goto(app)
    judge(await page.evaluate(() => suite.runFrame()))
    judge((await page.evaluate(() => suite.runWorker())).results)
  } finally {
    await browser.close()
  }
})

test('WebKitGTK: every case over a cross-site frame and through a worker', async context => {
  const browser = await launchWebKit()
  if (!browser) return context.skip(noWebKit)
  await using _browser = browser
  const { web, app } = await serveChannelPages()
  await using _web = web
  await browser.open(app)
  judge((await browser.run('return suite.runFrame()')) as Result[])
  judge(((await browser.run('return suite.runWorker()')) as { results: Result[] }).results)
})
