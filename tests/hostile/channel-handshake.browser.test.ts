import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchChromium, type Chromium } from '../support/chromium.ts'
import { bundle, pageOf, serveOrigins, type WebOrigins } from '../support/web-origins.ts'

/** A broker that answers who it takes its caller for. */
const broker = `
  import { openLink, portTransport, welcomeParent } from '@deputy/channel'
  import { call, object, string } from '@deputy/contract/shape'
  const members = { who: call([], object({ origin: string(), want: string() })) }
  welcomeParent({
    links: 3,
    accept: ({ origin }, port, { want }) =>
      want === 'nothing' ? undefined : openLink({ transport: portTransport(port), offers: { members, value: { who: () => ({ origin, want }) } } }),
  })`

/** Says a hello by hand and answers what came of it: the caller's identity, or 'silence'. */
const hand = `
  globalThis.hello = (target, message, ports = 1) => new Promise(resolve => {
    const channels = Array.from({ length: ports }, () => new MessageChannel())
    const timer = setTimeout(() => resolve('silence'), 500)
    for (const { port1 } of channels) port1.onmessage = ({ data }) => {
      if (data[0] === 0) port1.postMessage([0, 1, [[], []]]), port1.postMessage([1, 1, 0, 'who', []])
      if (data[0] === 3) clearTimeout(timer), resolve(data[2])
    }
    target.postMessage(message, '*', channels.map(({ port2 }) => port2))
  })`

let browser: Chromium
let web: WebOrigins
let page: Page

before(async () => {
  ;[browser, web] = await Promise.all([launchChromium(), serveOrigins()])
  web.serve('broker', '/', pageOf(await bundle({ source: broker, folder: import.meta.dirname })))
  const frame = `<iframe name="broker" src="${web.origin('broker')}/"></iframe>`
  web.serve('rival', '/', pageOf(hand))
  web.serve('app', '/', pageOf(hand, `${frame}<iframe name="rival" src="${web.origin('rival')}/"></iframe>`))
  web.serve('app', '/sandboxed', pageOf(hand, frame), { 'content-security-policy': 'sandbox allow-scripts' })
  page = await browser.context.newPage()
})
after(async () => {
  await browser.close()
  await web.close()
})

const hello = (expression: string): Promise<unknown> => page.evaluate(expression)
const good = `{ type: 'svc-hello', v: 1, want: 'test' }`

test('the identity is what the browser says, whatever the hello claims', async () => {
  await page.goto(`${web.origin('app')}/`)
  const claimed = `{ type: 'svc-hello', v: 1, want: 'test', origin: 'https://bank.example', identity: { origin: 'https://bank.example' } }`
  assert.deepEqual(await hello(`hello(frames.broker, ${claimed})`), { origin: web.origin('app'), want: 'test' })
})

test('a hello that is not well formed, speaks another wire or is refused gets nothing', async () => {
  await page.goto(`${web.origin('app')}/`)
  for (const [message, ports] of [
    [`'svc-hello'`, 1],
    [`{ type: 'svc-hello' }`, 1],
    [`{ type: 'svc-hello', v: 2, want: 'test' }`, 1],
    [`{ type: 'svc-hello', v: '1', want: 'test' }`, 1],
    [`{ type: 'svc-hello', v: 1, want: 7 }`, 1],
    [`{ type: 'svc-hello', v: 1, want: 'nothing' }`, 1],
    [good, 0],
    [good, 2],
  ] as const) {
    assert.equal(await hello(`hello(frames.broker, ${message}, ${ports})`), 'silence', message)
  }
  assert.notEqual(await hello(`hello(frames.broker, ${good})`), 'silence')
})

test('only the parent is heard: not a sibling frame, not the broker’s own window', async () => {
  await page.goto(`${web.origin('app')}/`)
  const rival = page.frame('rival')
  assert.equal(await rival?.evaluate(`hello(parent.frames.broker, ${good})`), 'silence')
  const own = page.frame('broker')
  await own?.evaluate(hand)
  assert.equal(await own?.evaluate(`hello(window, ${good})`), 'silence')
})

test('a page without an origin of its own is nobody', async () => {
  await page.goto(`${web.origin('app')}/sandboxed`)
  assert.equal(await hello(`hello(frames.broker, ${good})`), 'silence')
})

test('links beyond the cap of a parent are refused', async () => {
  await page.goto(`${web.origin('app')}/`)
  for (let link = 0; link < 3; link++) assert.notEqual(await hello(`hello(frames.broker, ${good})`), 'silence')
  assert.equal(await hello(`hello(frames.broker, ${good})`), 'silence')
})
