import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { OverlayState } from '@deputy/contract/overlay'
import { type BrokerFrame, type OpenedFrame, serveBrokerFrame } from '../support/broker-frame.ts'
import { type Chromium, launchChromium } from '../support/chromium.ts'

const hosts = ['shop.example']
const category = { category: 'interaction' as const, hosts }
const critical = { key: 'frame.evaluate', hosts, attach: 'a' }

/** Waits until the host was told a state that fits, looking once per frame drawn. */
async function told(opened: OpenedFrame, fits: (state: OverlayState) => boolean): Promise<OverlayState> {
  for (let looks = 0; looks < 600; looks++) {
    const state = await opened.state()
    if (state !== undefined && fits(state)) return state
    await opened.page.evaluate(() => new Promise(requestAnimationFrame))
  }
  throw new Error(`no such state was told, last ${JSON.stringify(await opened.state())}`)
}
const allow = async (opened: OpenedFrame, answer: string): Promise<void> => {
  await opened.frame.locator('.card[data-ready=true]').waitFor()
  await opened.frame.locator(`[data-answer=${answer}]`).press('Enter', { delay: 40 })
}

describe('overlay and consent in a cross-site frame', { concurrency: false }, () => {
  let browser: Chromium
  let served: BrokerFrame
  before(async () => {
    served = await serveBrokerFrame()
    browser = await launchChromium()
  })
  after(async () => {
    await browser.close()
    await served[Symbol.asyncDispose]()
  })
  const inPage = (title: string, run: (page: Page) => Promise<void>): void => {
    test(title, async () => {
      const page = await browser.context.newPage()
      try {
        await run(page)
      } finally {
        await page.close()
      }
    })
  }

  inPage('OVL-1: the host is told each state: nothing, a card, a bar with its inset, the pill, and the size of the view', async page => {
    const opened = await served.open(page)
    const size = page.viewportSize()
    assert.ok(size)
    await told(opened, state => state.rects.length === 0 && state.inset.top === 0 && !state.modal)
    assert.deepEqual((await opened.state())?.view, size)
    const asked = await opened.ask([category])
    await told(opened, state => state.modal && state.rects.length === 1)
    await allow(opened, 'session')
    await asked.answer
    const docked = await told(opened, state => !state.modal && state.rects.length === 1 && state.inset.top > 40)
    assert.equal(docked.inset.top, docked.rects[0]?.height)
    assert.equal(docked.rects[0]?.width, size.width)
    await opened.frame.getByRole('button', { name: 'Fold the bar' }).click()
    await told(
      opened,
      state => state.inset.top === 0 && state.rects.length === 1 && (state.rects[0]?.width ?? 999) < 150 && state.rects[0]?.radius?.length === 4,
    )
    await page.setViewportSize({ width: 700, height: 500 })
    await told(opened, state => state.view.width === 700 && state.view.height === 500 && (state.rects[0]?.x ?? 999) < 700)
  })

  inPage('OVL-2: with a notice up the rest of the page stays usable; a modal card blocks the page', async page => {
    const opened = await served.open(page)
    await page.evaluate(() =>
      document
        .getElementById('behind')
        ?.addEventListener('click', () => ((window as unknown as { clicks: number }).clicks = ((window as unknown as { clicks?: number }).clicks ?? 0) + 1)),
    )
    const clicks = (): Promise<number | undefined> => page.evaluate(() => (window as unknown as { clicks?: number }).clicks)
    await opened.command('notice', { kind: 'signed-in', name: 'Ada' })
    await told(opened, state => state.rects.length === 1 && !state.modal)
    await page.locator('#behind').click()
    assert.equal(await clicks(), 1)
    await opened.frame.getByRole('button', { name: 'Close' }).click()
    await told(opened, state => state.rects.length === 0)
    const box = await page.locator('#behind').boundingBox()
    assert.ok(box)
    const asked = await opened.ask([category])
    await told(opened, state => state.modal)
    // The browser routes a click by what it has drawn: the card is ready once it is drawn in full.
    await opened.frame.locator('.card[data-ready=true]').waitFor()
    await page.mouse.click(box.x + 5, box.y + 5)
    assert.equal(await clicks(), 1, 'the click fell on the broker')
    assert.equal(await page.locator('#page').evaluate(main => (main as HTMLElement).inert), true)
    await opened.frame.locator('.card[data-ready=true]').waitFor()
    await opened.frame.locator('.card').press('Escape', { delay: 40 })
    assert.deepEqual(await asked.answer, [false])
    await told(opened, state => !state.modal)
    await page.mouse.click(box.x + 5, box.y + 5)
    assert.equal(await clicks(), 2)
  })

  inPage('a notice waits while a card is up: in a narrow window it would lie on the buttons', async page => {
    await page.setViewportSize({ width: 360, height: 640 })
    const opened = await served.open(page)
    await opened.command('notice', { kind: 'signed-in', name: 'Ada' })
    await opened.frame.locator('.notice').waitFor()
    const asked = await opened.ask([category])
    await opened.frame.locator('.card[data-ready=true]').waitFor()
    await opened.frame.locator('.notice').waitFor({ state: 'detached', timeout: 3000 })
    await opened.frame.locator('.card').press('Escape', { delay: 40 })
    assert.deepEqual(await asked.answer, [false])
    await opened.frame.locator('.notice').waitFor()
  })

  inPage('OVL-3: a frame that is not rendered is reported and takes no answer', async page => {
    const opened = await served.open(page)
    const asked = await opened.ask([category])
    await opened.frame.locator('.card[data-ready=true]').waitFor()
    await page.evaluate(() => (document.getElementById('broker') as HTMLElement).style.setProperty('display', 'none'))
    await told(opened, state => state.hidden.some(one => one.kind === 'card' && one.cause === 'not-rendered' && one.level === 'full'))
    assert.equal(await asked.now(), undefined)
    await page.evaluate(() => (document.getElementById('broker') as HTMLElement).style.setProperty('display', 'block'))
    await told(opened, state => state.hidden.length === 0)
    await allow(opened, 'session')
    assert.deepEqual(await asked.answer, ['session'])
  })

  inPage('CNS-1: several rows on one card, each with its own choice', async page => {
    await page.setViewportSize({ width: 900, height: 1200 })
    const opened = await served.open(page)
    const asked = await opened.ask([category, { category: 'storage', hosts }, critical])
    assert.equal(await opened.frame.getByRole('dialog').count(), 1)
    await opened.frame
      .getByRole('group', { name: /Use what the page keeps/ })
      .getByRole('radio', { name: 'No' })
      .check()
    await opened.frame
      .getByRole('group', { name: /Run its own code/ })
      .getByRole('radio', { name: 'This time' })
      .check()
    await allow(opened, 'chosen')
    assert.deepEqual(await asked.answer, ['session', false, 'once'])
  })

  inPage('CNS-5: the bar lists session grants and takes each back at once', async page => {
    const opened = await served.open(page)
    const asked = await opened.ask([category])
    await allow(opened, 'session')
    await asked.answer
    const need = { key: 'frame.click', host: 'shop.example' }
    assert.equal(await opened.command('granted', need), true)
    const before = Date.now()
    const count = (): Promise<number> => page.evaluate(() => (window as unknown as { heard: { grantsChanged: number } }).heard.grantsChanged)
    const changes = await count()
    await opened.frame.getByRole('button', { name: 'Remove: Use the page for you, shop.example' }).click()
    await page.waitForFunction(seen => (window as unknown as { heard: { grantsChanged: number } }).heard.grantsChanged > seen, changes)
    assert.equal(await opened.command('granted', need), false)
    assert.ok(Date.now() - before < 1000, 'within a second')
    await opened.frame.locator('.bar').waitFor({ state: 'detached' })
  })

  inPage('a card answers nothing and goes when no page has taken the overlay', async page => {
    const opened = await served.open(page, '?unhosted')
    assert.deepEqual(await (await opened.ask([category])).answer, [false])
    assert.equal(await (await opened.connect('connect')).answer, 'unavailable')
  })

  inPage('connect: the button opens the window inside its click; a blocked window is said, and the card stays', async page => {
    const opened = await served.open(page)
    const asked = await opened.connect('sign-in', 'Hello \u202E<b>there</b>')
    const button = opened.frame.getByRole('button', { name: 'Sign in' })
    assert.equal(await opened.frame.locator('blockquote').innerText(), 'Hello <b>there</b>')
    const [popup] = await Promise.all([page.waitForEvent('popup'), button.click()])
    assert.equal(await asked.answer, 'opened')
    await popup.close()
    const blocked = opened.command('blockedConnect')
    await opened.frame.getByRole('button', { name: 'Continue' }).click()
    await opened.frame.getByText('Your browser blocked the window').waitFor()
    await opened.frame.locator('.card[data-ready=true]').waitFor()
    await opened.frame.getByRole('button', { name: 'Not now' }).press('Enter')
    assert.equal(await blocked, 'declined')
  })
})

describe('OVL-3: where the browser can only tell that a surface paints', { concurrency: false }, () => {
  let browser: Chromium
  let served: BrokerFrame
  before(async () => {
    served = await serveBrokerFrame()
    browser = await launchChromium()
    // As in browsers without tracking of visibility.
    await browser.context.addInitScript(() => Reflect.deleteProperty(IntersectionObserverEntry.prototype, 'isVisible'))
  })
  after(async () => {
    await browser.close()
    await served[Symbol.asyncDispose]()
  })

  test('a mild permission is asked twice', async () => {
    const page = await browser.context.newPage()
    const opened = await served.open(page)
    const asked = await opened.ask([category])
    await allow(opened, 'session')
    await opened.frame.getByRole('button', { name: 'Yes, I’m sure' }).waitFor()
    assert.equal(await asked.now(), undefined)
    await allow(opened, 'session')
    assert.deepEqual(await asked.answer, ['session'])
    await page.close()
  })

  test('a strong one has no yes in the frame, and is answered in a window of its own', async () => {
    const page = await browser.context.newPage()
    const opened = await served.open(page)
    const asked = await opened.ask([critical])
    await opened.frame.getByRole('button', { name: 'Don’t allow' }).waitFor()
    assert.equal(await opened.frame.locator('[data-effect=grant]').count(), 0)
    const [popup] = await Promise.all([page.waitForEvent('popup'), opened.frame.getByRole('button', { name: 'Decide in a window' }).click()])
    await popup.locator('.card[data-ready=true]').waitFor()
    assert.match(await popup.locator('.origin-host').innerText(), /^app\.localhost:/)
    for (const _step of ['once', 'and once more']) {
      await popup.locator('.card[data-ready=true]').waitFor()
      await popup.locator('[data-answer=once]').press('Enter', { delay: 40 })
      await popup
        .getByRole('button', { name: 'Yes, I’m sure' })
        .waitFor({ timeout: 3000 })
        .catch(() => undefined)
    }
    assert.deepEqual(await asked.answer, ['once'])
    await page.close()
  })

  test('a window that is closed unanswered refuses', async () => {
    const page = await browser.context.newPage()
    const opened = await served.open(page)
    const asked = await opened.ask([critical])
    const [popup] = await Promise.all([page.waitForEvent('popup'), opened.frame.getByRole('button', { name: 'Decide in a window' }).click()])
    await popup.locator('.card').waitFor()
    await popup.close()
    assert.deepEqual(await asked.answer, [false])
    await page.close()
  })

  test('the window hears nobody but a frame of the broker’s own origin', async () => {
    const page = await browser.context.newPage()
    await served.open(page)
    const url = `${served.origins.origin('broker')}/consent`
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(target => {
        const opened = window.open(target, '', 'popup')
        const row = { key: 'frame.evaluate', hosts: ['bank.example'] }
        const lie = { type: 'deputy:consent-ask', origin: 'https://trusted.example', rows: [row] }
        setInterval(() => opened?.postMessage(lie, '*'), 50)
      }, url),
    ])
    await popup.getByRole('heading', { name: 'This window was cut off' }).waitFor()
    assert.equal(await popup.locator('.card').count(), 0)
    await page.close()
  })
})
