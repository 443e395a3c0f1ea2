import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { serveChannelPages } from '../../support/channel-pages.ts'
import { launchChromium, type Chromium } from '../../support/chromium.ts'
import type { Suite } from './app-page.ts'

declare const suite: Suite

let browser: Chromium
let pages: Awaited<ReturnType<typeof serveChannelPages>>
before(async () => {
  ;[browser, pages] = await Promise.all([launchChromium(), serveChannelPages()])
})
after(async () => {
  await browser.close()
  await pages.web.close()
})

/** Opens one of everything, loses the frame, and looks at what became of it. */
async function losing(lose: (page: Page) => Promise<unknown>): Promise<{ mounts: number }> {
  const page = await browser.context.newPage()
  await page.goto(pages.app)
  // Over a session of its own, since the driver gives a page up when one of its frames crashes.
  const session = await browser.context.newCDPSession(page)
  const run = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    assert.equal(exceptionDetails?.exception?.description, undefined)
    return result.value
  }
  await run('suite.open()')
  const ended = run('suite.ended()')
  await lose(page)
  assert.deepEqual(await ended, [...Array.from({ length: 6 }, () => 'unavailable'), 'cancelled'])
  const { heard, listeners, mounts } = (await run('suite.after()')) as Awaited<ReturnType<Suite['after']>>
  assert.deepEqual({ heard, listeners }, { heard: [0, 1], listeners: [1, 0] })
  await page.close()
  return { mounts }
}

test('a removed frame: everything open ends unavailable, another is mounted, subscriptions stand', async () => {
  assert.deepEqual(await losing(page => page.evaluate(() => suite.remove())), { mounts: 2 })
})

test('a reloaded frame is greeted again in place', async () => {
  assert.deepEqual(await losing(page => page.evaluate(() => suite.reload())), { mounts: 1 })
})

test('a frame that navigated away is replaced', async () => {
  assert.deepEqual(await losing(page => page.evaluate(() => suite.leave())), { mounts: 2 })
})

test('a crashed frame is noticed by its silence and replaced', async () => {
  const crash = async (page: Page) => {
    const frame = page.frames().find(one => one.url().includes('//broker.'))
    if (frame === undefined) throw new Error('the frame is not there')
    const session = await browser.context.newCDPSession(frame)
    // The renderer is gone before it could answer.
    session.send('Page.crash').catch(() => {})
  }
  assert.deepEqual(await losing(crash), { mounts: 2 })
})

test('a call made while the frame is gone waits for the next link', async () => {
  const page = await browser.context.newPage()
  await page.goto(pages.app)
  await page.evaluate(() => suite.callNow())
  const sum = await page.evaluate(() => {
    suite.remove()
    return new Promise(resolve => setTimeout(() => resolve(suite.callNow()), 20))
  })
  assert.equal(sum, 42)
  await page.close()
})

test('a worker that dies, or whose relay is ended, frees its link', async () => {
  const page = await browser.context.newPage()
  await page.goto(pages.app)
  for (const how of ['terminate', 'signal'] as const) assert.deepEqual(await page.evaluate(way => suite.loseWorker(way), how), [2, 1])
  await page.close()
})

test('a page kept for going back finds its broker again', async () => {
  const page = await browser.context.newPage()
  await page.goto(pages.app)
  assert.equal(await page.evaluate(() => suite.callNow()), 42)
  await page.goto(`${pages.web.origin('broker')}/`)
  // A page that was kept fires no second load event.
  await page.goBack({ waitUntil: 'commit' })
  assert.equal(await page.evaluate(() => suite.callNow()), 42)
  await page.close()
})

test('a frame that nobody was reached for is replaced as soon as the device is online again', async () => {
  const page = await browser.context.newPage()
  await page.goto(pages.app)
  assert.equal(await page.evaluate(() => suite.callNow()), 42)
  await browser.context.setOffline(true)
  const shown = page.waitForEvent('framenavigated', frame => frame.url().startsWith('chrome-error:'))
  await page.evaluate(() => suite.remove())
  await (await shown).waitForLoadState()
  // The page hears of it after the frame.
  await page.evaluate(() => new Promise(resolve => requestAnimationFrame(resolve)))
  const begun = Date.now()
  await browser.context.setOffline(false)
  assert.equal(await page.evaluate(() => suite.callNow()), 42)
  // The frame as such would have 15 s to show a broker.
  assert.ok(Date.now() - begun < 14_000)
  await page.close()
})

test('3,000 subscriptions do not grow the heap of either side', async () => {
  const page = await browser.context.newPage()
  await page.goto(pages.app)
  await page.evaluate(() => suite.cycle(3000))
  const frame = page.frames().find(one => one.url().includes('//broker.'))
  if (frame === undefined) throw new Error('the frame is not there')
  const sessions = await Promise.all([browser.context.newCDPSession(page), browser.context.newCDPSession(frame)])
  const heaps = () =>
    Promise.all(
      sessions.map(async session => {
        await session.send('HeapProfiler.collectGarbage')
        return (await session.send('Runtime.getHeapUsage')).usedSize
      }),
    )
  const before = await heaps()
  const stats = await page.evaluate(() => suite.stats())
  await page.evaluate(() => suite.cycle(3000))
  const grown = (await heaps()).map((size, side) => size - (before[side] ?? 0))
  assert.deepEqual(await page.evaluate(() => suite.stats()), stats)
  // One kept closure and its table entry per subscription would be more.
  assert.ok(
    grown.every(bytes => bytes < 3000 * 64),
    `grown by ${grown.join(' and ')} bytes`,
  )
  await page.close()
})
