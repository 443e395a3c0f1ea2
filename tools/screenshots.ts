import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { serveBrokerFrame, type OpenedFrame } from '../tests/support/broker-frame.ts'
import { serveBrokerWindows, windowStates } from '../tests/support/broker-windows.ts'
import { launchChromium } from '../tests/support/chromium.ts'
import { takePlaygroundPictures } from './playground-pictures.ts'

/**
 * Pictures of every state of what the broker shows, and of the playground’s rooms, notes and network demo, in each look, for a person to judge: `node --conditions=source tools/screenshots.ts [looks…]`
 * writes them to `.deputy/screenshots/<look>/<state>.png`.
 */
interface Look {
  readonly scheme: 'light' | 'dark'
  readonly width: number
  readonly height: number
  readonly query: Readonly<Record<string, string>>
}
const looks: Readonly<Record<string, Look>> = {
  light: { scheme: 'light', width: 1100, height: 760, query: {} },
  dark: { scheme: 'dark', width: 1100, height: 760, query: {} },
  narrow: { scheme: 'light', width: 360, height: 640, query: {} },
  'narrow-dark-de': { scheme: 'dark', width: 360, height: 640, query: { lang: 'de' } },
  rtl: { scheme: 'light', width: 720, height: 640, query: { dir: 'rtl' } },
  de: { scheme: 'light', width: 1100, height: 760, query: { lang: 'de' } },
}

const critical = { key: 'frame.evaluate', hosts: ['bank.example'], attach: 'a' }
const category = { category: 'interaction', hosts: ['shop.example', 'news.example'] } as const
const cards: Readonly<Record<string, (opened: OpenedFrame) => Promise<unknown>>> = {
  'card-sign-in': opened => opened.connect('sign-in'),
  'card-connect': opened => opened.connect('connect', 'We keep your \u202Ephotos\u202C safe, <b>free</b> for ever.'),
  'card-unlock': opened => opened.connect('unlock'),
  'card-waiting': opened => opened.command('waiting'),
  'card-claims': opened => opened.command('claims'),
  'card-claims-blocked': async opened => {
    await opened.command('blockedClaims')
    await opened.frame.getByRole('button').nth(1).click()
  },
  'card-consent': opened => opened.ask([category]),
  'card-consent-critical': opened => opened.ask([critical]),
  'card-consent-rows': opened =>
    opened.ask([category, critical, { category: 'storage', hosts: ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'] }]),
  'notice-signed-in': opened => opened.command('notice', { kind: 'signed-in', name: 'Ada Lovelace' }),
  'notice-unreachable': opened => opened.command('notice', { kind: 'sign-in-failed', reason: 'unreachable' }),
  'notice-update': opened => opened.command('update'),
  bar: opened => grantTwo(opened),
  pill: async opened => {
    await grantTwo(opened)
    await opened.frame.locator('.fold').click()
    await opened.page.mouse.move(300, 300)
  },
  'card-covered': async opened => {
    await opened.ask([category])
    await opened.page.evaluate(() => {
      const over = document.createElement('div')
      over.setAttribute('style', 'position:fixed;inset:auto 0 0 0;height:40px;background:#c33;z-index:2147483647')
      document.body.append(over)
    })
    await opened.page.waitForTimeout(2000)
  },
}

async function grantTwo(opened: OpenedFrame): Promise<void> {
  for (const row of [category, critical]) {
    const asked = await opened.ask([row])
    await opened.frame.locator('[data-scroll]').evaluate(words => words.scrollTo(0, words.scrollHeight))
    await opened.frame.locator('.card[data-ready=true]').waitFor()
    await opened.frame.locator('[data-answer=session]').press('Enter', { delay: 30 })
    await asked.answer
  }
}

const folder = '.deputy/screenshots'
const wanted = process.argv.slice(2)
const chosen = Object.entries(looks).filter(([name]) => wanted.length === 0 || wanted.includes(name))
await using frames = await serveBrokerFrame()
await using windows = await serveBrokerWindows()
await using browser = await launchChromium()

const within = async (name: string, { scheme, width, height }: Look, draw: (page: Page) => Promise<void>, fullPage: boolean): Promise<void> => {
  const page = await browser.context.newPage()
  page.on('pageerror', error => console.error(`${name}: ${error.message}`))
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
  await draw(page)
  await page.screenshot({ path: `${name}.png`, fullPage })
  await page.close()
}

for (const [lookName, look] of chosen) {
  const into = join(folder, lookName)
  await rm(into, { recursive: true, force: true })
  await mkdir(into, { recursive: true })
  for (const [name, show] of Object.entries(cards))
    await within(
      join(into, name),
      look,
      async page => {
        const opened = await frames.open(page, `?${new URLSearchParams(look.query)}`)
        const { dir } = look.query
        if (dir !== undefined) await opened.realm().evaluate(direction => (document.documentElement.dir = direction), dir)
        await show(opened)
        await page.waitForTimeout(700)
      },
      false,
    )
  for (const state of windowStates)
    await within(
      join(into, state),
      look,
      async page => {
        await page.goto(windows.url(state, look.query))
        await page.locator('main').waitFor()
        await page.waitForTimeout(150)
      },
      true,
    )
  console.log(`${into}: ${Object.keys(cards).length + windowStates.length} pictures`)
}

const plain = Object.fromEntries(chosen.filter(([, { query }]) => Object.keys(query).length === 0))
if (Object.keys(plain).length > 0) {
  await using other = await launchChromium()
  console.log(`${folder}: ${await takePlaygroundPictures(browser.context, other.context, plain, folder)} pictures of the playground in each plain look`)
}
