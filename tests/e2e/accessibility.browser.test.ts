import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Frame, Page } from 'playwright-core'
import { faults } from '../support/axe.ts'
import { type BrokerFrame, type OpenedFrame, serveBrokerFrame } from '../support/broker-frame.ts'
import { type BrokerWindows, serveBrokerWindows, windowStates } from '../support/broker-windows.ts'
import { type Chromium, launchChromium } from '../support/chromium.ts'

const critical = { key: 'frame.evaluate', hosts: ['bank.example'], attach: 'a' }
const category = { category: 'interaction', hosts: ['shop.example', 'news.example', 'a.example', 'b.example'] } as const
const surfaces: Readonly<Record<string, (opened: OpenedFrame) => Promise<unknown>>> = {
  'the sign-in card': opened => opened.connect('sign-in'),
  'the unlock card': opened => opened.connect('unlock'),
  'the waiting card': opened => opened.command('waiting'),
  'the card of a waiting claim': opened => opened.command('claims'),
  'the consent card': opened => opened.ask([category]),
  'the card of a critical permission': opened => opened.ask([critical]),
  'the card with several rows': opened => opened.ask([category, critical]),
  'a notice': opened => opened.command('notice', { kind: 'sign-in-failed', reason: 'unreachable' }),
  'the update notice': opened => opened.command('update'),
  'the bar of grants': opened => grant(opened),
}

async function grant(opened: OpenedFrame): Promise<void> {
  const asked = await opened.ask([critical])
  await opened.frame.locator('.card[data-ready=true]').waitFor()
  await opened.frame.locator('[data-answer=session]').press('Enter', { delay: 30 })
  await asked.answer
  await opened.frame.locator('.bar').waitFor()
}

describe('accessibility of what the broker shows (WCAG 2.2 AA)', { concurrency: false }, () => {
  let browser: Chromium
  let frames: BrokerFrame
  let windows: BrokerWindows
  before(async () => {
    frames = await serveBrokerFrame()
    windows = await serveBrokerWindows()
    browser = await launchChromium()
  })
  after(async () => {
    await browser.close()
    await frames[Symbol.asyncDispose]()
    await windows[Symbol.asyncDispose]()
  })

  const lookAt = async (page: Page, realm: () => Page | Frame, name: string): Promise<void> => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      assert.deepEqual(await faults(realm()), [], `${name}, ${colorScheme}`)
    }
  }

  test('axe finds no fault in any card, light and dark', async () => {
    const page = await browser.context.newPage()
    for (const [name, show] of Object.entries(surfaces)) {
      const opened = await frames.open(page)
      await show(opened)
      await opened.frame.locator('.surface').first().waitFor()
      await lookAt(page, opened.realm, name)
    }
    await page.close()
  })

  test('axe finds no fault in any window, light and dark, and everything to press is at least 44 pixels high', async () => {
    const page = await browser.context.newPage()
    for (const state of windowStates) {
      await page.goto(windows.url(state))
      await page.locator('main').waitFor()
      await lookAt(page, () => page, state)
      const low = await page.$$eval('button, a, input:not([type=checkbox]):not(.unseen), label.button, label.check', elements =>
        elements.filter(element => element.getBoundingClientRect().height < 44 && element.checkVisibility()).map(element => element.outerHTML),
      )
      assert.deepEqual(low, [], state)
    }
    await page.close()
  })

  test('nothing is cut off at 320 pixels in the longer language, which the document names, and every window has one heading to begin at', async () => {
    const page = await browser.context.newPage()
    await page.setViewportSize({ width: 320, height: 640 })
    for (const state of windowStates) {
      await page.goto(windows.url(state, { lang: 'de' }))
      await page.locator('main').waitFor()
      const { width, ...head } = await page.evaluate(() => ({
        width: document.documentElement.scrollWidth,
        lang: document.documentElement.lang,
        dir: document.documentElement.dir,
        headings: document.querySelectorAll('h1').length,
      }))
      assert.equal(width, 320, state)
      const isPart = state === 'starting' || state.startsWith('button')
      if (!isPart) assert.deepEqual(head, { lang: 'de', dir: 'ltr', headings: 1 }, state)
    }
    await page.close()
  })

  test('keyboard: the card takes the focus on its no, keeps it within, and gives it back', async () => {
    const page = await browser.context.newPage()
    const opened = await frames.open(page)
    await page.locator('#field').focus()
    const asked = await opened.ask([category, critical])
    await opened.frame.getByRole('dialog').waitFor()
    const focused = (): Promise<string> =>
      opened.realm().evaluate(() => document.activeElement?.textContent || (document.activeElement as HTMLInputElement | null)?.value || '')
    assert.equal(await focused(), 'Don’t allow')
    const stops: string[] = []
    for (let count = 0; count < 9; count++) {
      await page.keyboard.press('Tab')
      stops.push(await focused())
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'broker', 'the focus stays in the frame')
    }
    assert.ok(stops.includes('Save choice') && stops.includes('Don’t allow') && stops.includes('no'), stops.join(', '))
    await page.keyboard.press('Shift+Tab')
    await opened.frame.locator('.card[data-ready=true]').or(opened.frame.getByText('Scroll down')).first().waitFor()
    await page.keyboard.press('Escape')
    assert.deepEqual(await asked.answer, [false, false])
    await page.waitForFunction(() => document.activeElement?.id === 'field')
    await page.close()
  })

  test('keyboard: a choice per row, saved', async () => {
    const page = await browser.context.newPage()
    await page.setViewportSize({ width: 900, height: 1200 })
    const opened = await frames.open(page)
    const asked = await opened.ask([category, critical])
    await opened.frame.locator('.card[data-ready=true]').waitFor()
    await opened.frame
      .getByRole('group', { name: /Run its own code/ })
      .getByRole('radio', { name: 'No' })
      .focus()
    await page.keyboard.press('ArrowRight')
    await opened.frame.getByRole('button', { name: 'Save choice' }).focus()
    await page.keyboard.press('Enter', { delay: 40 })
    assert.deepEqual(await asked.answer, ['session', 'once'])
    await page.close()
  })

  test('keyboard: the bar is folded, opened and emptied', async () => {
    const page = await browser.context.newPage()
    const opened = await frames.open(page)
    await grant(opened)
    await opened.frame.getByRole('button', { name: 'Fold the bar' }).press('Enter')
    await opened.frame.getByRole('button', { name: 'Show 1 permission of this app' }).press('Enter')
    await opened.frame.getByRole('button', { name: 'Remove: Run its own code in the page it shows, bank.example' }).press('Enter')
    await opened.frame.locator('.bar').waitFor({ state: 'detached' })
    assert.deepEqual(await opened.command('grants'), [])
    await page.close()
  })
})
