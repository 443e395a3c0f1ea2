import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type BrokerFrame, type OpenedFrame, serveBrokerFrame } from '../support/broker-frame.ts'
import { type Chromium, launchChromium } from '../support/chromium.ts'

/** How long a person looks before they press; longer than every wait of the rules. */
const look = 800
/** Longer than the broker takes to settle an answer. */
const settled = 700
const critical = { key: 'frame.evaluate', hosts: ['bank.example'], attach: 'a1' } as const

describe('clickjacking: what a hostile page does with the broker frame it embeds', { concurrency: false }, () => {
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

  /** Opens the app with the card up and in sight, and gives the place of its yes. */
  const withCard = async (page: Page): Promise<{ opened: OpenedFrame; asked: Awaited<ReturnType<OpenedFrame['ask']>>; x: number; y: number }> => {
    const opened = await served.open(page)
    const asked = await opened.ask([critical])
    const allow = opened.frame.getByRole('button', { name: 'Allow once' })
    await allow.waitFor()
    await opened.frame.locator('.card[data-ready=true]').waitFor()
    const box = await allow.boundingBox()
    assert.ok(box)
    return { opened, asked, x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }
  const style = (page: Page, css: string): Promise<void> =>
    page.evaluate(text => {
      document.getElementById('broker')?.setAttribute('style', `${document.getElementById('broker')?.getAttribute('style') ?? ''};${text}`)
    }, css)
  const cover = (page: Page, css: string, attributes: Record<string, string> = {}): Promise<void> =>
    page.evaluate(
      ([text, more]) => {
        const over = document.createElement('div')
        over.id = 'cover'
        over.setAttribute('style', `position:fixed;z-index:2147483647;${text}`)
        for (const [name, value] of Object.entries(more)) over.setAttribute(name, value)
        document.body.append(over)
        if (more['popover'] !== undefined) over.showPopover()
      },
      [css, attributes] as const,
    )
  const pause = (page: Page, ms: number): Promise<void> => page.waitForTimeout(ms)
  const reach = async (page: Page, x: number, y: number): Promise<void> => {
    await page.mouse.move(x - 120, y - 160)
    await page.mouse.move(x, y, { steps: 8 })
    await pause(page, look)
  }
  const isRefused = async (page: Page, { asked, opened }: Awaited<ReturnType<typeof withCard>>): Promise<void> => {
    await pause(page, settled)
    assert.equal(await asked.now(), undefined, 'the card takes no answer')
    assert.equal(await opened.command('granted', { key: 'frame.evaluate', host: 'bank.example', attach: 'a1' }), false)
  }
  const attack = (title: string, run: (page: Page, card: Awaited<ReturnType<typeof withCard>>) => Promise<void>): void => {
    test(title, async () => {
      const page = await browser.context.newPage()
      try {
        const card = await withCard(page)
        await run(page, card)
        await isRefused(page, card)
      } finally {
        await page.close()
      }
    })
  }

  test('the honest case: a person who sees the card, moves the mouse there and presses, is heard', async () => {
    const page = await browser.context.newPage()
    const { opened, asked, x, y } = await withCard(page)
    await reach(page, x, y)
    await page.mouse.click(x, y)
    assert.deepEqual(await asked.answer, ['once'])
    assert.equal(await opened.command('granted', { key: 'frame.evaluate', host: 'bank.example', attach: 'a1' }), true)
    await page.close()
  })

  test('the honest case: keys', async () => {
    const page = await browser.context.newPage()
    const { opened, asked } = await withCard(page)
    await opened.frame.getByRole('button', { name: 'Allow once' }).press('Enter', { delay: 40 })
    assert.deepEqual(await asked.answer, ['once'])
    await page.close()
  })

  attack('OVL-3: an opaque cover that lets clicks through', async (page, { opened, x, y }) => {
    await reach(page, x, y)
    await cover(page, 'inset:0;background:#fff;pointer-events:none')
    await pause(page, look)
    await page.mouse.click(x, y)
    const state = await opened.state()
    assert.deepEqual(
      state?.hidden.map(({ cause, kind, level }) => ({ cause, kind, level })),
      [{ cause: 'not-shown', kind: 'card', level: 'full' }],
    )
  })

  attack('a transparent cover', async (page, { x, y }) => {
    await reach(page, x, y)
    await cover(page, 'inset:0;background:transparent;pointer-events:none')
    await pause(page, look)
    await page.mouse.click(x, y)
  })

  attack('a partial cover over the words, the yes left free', async (page, { x, y }) => {
    await reach(page, x, y)
    await cover(page, `left:0;right:0;top:0;height:${Math.round(y - 60)}px;background:#fff;pointer-events:none`)
    await pause(page, look)
    await page.mouse.click(x, y)
  })

  attack('a popover over the card', async (page, { x, y }) => {
    await reach(page, x, y)
    await cover(page, `margin:0;left:${x - 100}px;top:${y - 140}px;width:200px;height:90px;pointer-events:none`, { popover: 'manual' })
    await pause(page, look)
    await page.mouse.click(x, y)
  })

  attack('a frame that is nearly transparent', async (page, { x, y }) => {
    await style(page, 'opacity:.01')
    await reach(page, x, y)
    await page.mouse.click(x, y)
  })

  attack('a frame that is scaled', async (page, { x, y }) => {
    await style(page, 'transform:scale(.99)')
    await reach(page, x, y)
    await page.mouse.click(x, y)
  })

  attack('a filter over the frame', async (page, { x, y }) => {
    await style(page, 'filter:contrast(.1)')
    await reach(page, x, y)
    await page.mouse.click(x, y)
  })

  attack('OVL-3: a frame clipped to the yes alone', async (page, { opened, x, y }) => {
    await page.evaluate(() => Object.assign(window, { freeClip: true }))
    await style(page, `clip-path:inset(${y - 20}px calc(100% - ${x + 80}px) calc(100% - ${y + 20}px) ${x - 80}px)`)
    await reach(page, x, y)
    await page.mouse.click(x, y)
    assert.deepEqual(
      (await opened.state())?.hidden.map(({ cause }) => cause),
      ['clipped'],
    )
  })

  attack('a hole cut around the yes: the words of the card are the page’s own', async (page, { x, y }) => {
    await page.evaluate(() => Object.assign(window, { freeClip: true }))
    // The clip keeps the card's outline in hairlines, so that its bounding box says nothing is cut.
    await style(page, `clip-path:path("M0 0h1280v1h-1280z M0 799h1280v1h-1280z M${x - 60} ${y - 18}h120v36h-120z")`)
    await pause(page, look)
    await page.mouse.move(x - 200, y - 200)
    await page.mouse.move(x - 90, y)
    await page.mouse.move(x, y)
    await pause(page, look)
    await page.mouse.click(x, y)
  })

  attack('move on click: the frame jumps under the mouse just before the press', async (page, { x, y }) => {
    await style(page, 'left:-400px')
    await pause(page, look)
    await page.mouse.move(x - 60, y - 80)
    await page.mouse.move(x, y, { steps: 6 })
    await pause(page, look)
    await style(page, 'left:0')
    await page.mouse.click(x, y)
  })

  attack('move on click, by a transform', async (page, { x, y }) => {
    await style(page, 'transform:translate(-400px,0)')
    await pause(page, look)
    await page.mouse.move(x - 60, y - 80)
    await page.mouse.move(x, y, { steps: 6 })
    await pause(page, look)
    await style(page, 'transform:none')
    await pause(page, 120)
    await page.mouse.click(x, y)
  })

  attack('move between press and release', async (page, { x, y }) => {
    await reach(page, x - 300, y - 200)
    await page.mouse.down()
    await style(page, 'left:-300px;top:-200px')
    await page.mouse.up()
  })

  attack('resize: the card moves under the mouse with the size of its frame', async (page, { x, y }) => {
    await style(page, 'height:50%')
    await pause(page, look)
    await reach(page, x, y)
    await style(page, 'height:100%')
    await pause(page, 150)
    await page.mouse.click(x, y)
  })

  attack('rapid reveal: the cover goes away just before the press', async (page, { x, y }) => {
    await cover(page, 'inset:0;background:#fff;pointer-events:none')
    await reach(page, x, y)
    await page.evaluate(() => document.getElementById('cover')?.remove())
    await pause(page, 250)
    await page.mouse.click(x, y)
  })

  attack('a cover that flickers away for the moment of the press', async (page, { x, y }) => {
    await reach(page, x, y)
    await page.mouse.down()
    await page.mouse.up()
    await cover(page, 'inset:0;background:#fff;pointer-events:none')
  })

  attack('double click through: the first click takes the cover away, the second meets the card', async (page, { x, y }) => {
    await cover(page, 'inset:0;background:#fff')
    await page.evaluate(() => document.getElementById('cover')?.addEventListener('pointerdown', ({ currentTarget }) => (currentTarget as Element).remove()))
    await reach(page, x, y)
    await page.mouse.dblclick(x, y)
  })

  attack('key auto-repeat: a key held down while the card gets the focus', async (page, { opened }) => {
    await opened.frame.getByRole('button', { name: 'Allow once' }).focus()
    const session = await page.context().newCDPSession(page)
    const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 }
    for (let count = 0; count < 8; count++) await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', autoRepeat: true, ...key })
    await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
  })

  attack('synthetic events', async (_page, { opened }) => {
    await opened.realm().evaluate(() => {
      const button = document.querySelector<HTMLElement>('[data-answer="once"]')
      if (button === null) throw new Error('no button')
      const pointer = { bubbles: true, cancelable: true, isPrimary: true, pointerId: 1, pointerType: 'touch', button: 0 }
      button.dispatchEvent(new PointerEvent('pointerdown', pointer))
      button.dispatchEvent(new PointerEvent('pointerup', pointer))
      button.click()
      for (const type of ['keydown', 'keyup']) button.dispatchEvent(new KeyboardEvent(type, { key: 'Enter', bubbles: true }))
    })
  })

  test('rapid reveal: a card that has just come takes no press, and a double click on the page does not reach it', async () => {
    const page = await browser.context.newPage()
    const first = await withCard(page)
    const { x, y } = first
    await page.keyboard.press('Escape')
    assert.deepEqual(await first.asked.answer, [false])
    await page.mouse.move(x - 50, y - 50)
    await page.mouse.move(x, y, { steps: 4 })
    // The page asks in the very click that the person begins.
    await page.evaluate(row => {
      const realm = window as unknown as { callBroker(call: string, ...args: unknown[]): number; late: number }
      document.addEventListener('pointerdown', () => (realm.late = realm.callBroker('ask', [row])), { once: true })
    }, critical)
    await page.mouse.click(x, y)
    await page.mouse.click(x, y, { delay: 30 })
    await page.mouse.click(x, y, { delay: 30 })
    await page.waitForTimeout(settled)
    const answered = await page.evaluate(() => {
      const realm = window as unknown as { heard: { answers: Map<number, unknown> }; late: number }
      return { asked: realm.late > 0, answer: realm.heard.answers.get(realm.late) }
    })
    assert.deepEqual(answered, { asked: true, answer: undefined })
    await page.close()
  })
})
