import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchChromium, type World } from './chromium.ts'
import { launchFirefox, noFirefox } from './firefox.ts'
import { bundle, pageOf, serveOrigins } from './web-origins.ts'
import { launchWebKit, noWebKit } from './webkit.ts'

const framed = `
  const tried = async run => { try { return await run() } catch (error) { return error.name } }
  const storage = await tried(() => { localStorage.setItem('probe', localStorage.getItem('probe') ?? location.hash); return localStorage.getItem('probe') })
  document.cookie = 'third=1; SameSite=None; Secure'
  parent.postMessage({ secure: isSecureContext, storage, cookie: document.cookie.includes('third') }, '*')
`
const answer = `return new Promise(said => addEventListener('message', event => said(event.data), { once: true }))`

async function serveFramed() {
  const web = await serveOrigins()
  const inner = web.serve('inner', '/', pageOf(framed))
  const app = web.serve('app', '/', pageOf(`window.said = (() => { ${answer} })()`, `<iframe src="${inner}#framed"></iframe>`))
  return { web, inner, app }
}

const expected: Record<World, object> = {
  chrome: { secure: true, storage: '#framed', cookie: true },
  blocked: { secure: true, storage: '#framed', cookie: false },
  denied: { secure: true, storage: 'SecurityError', cookie: false },
}

for (const world of ['chrome', 'blocked', 'denied'] as const) {
  test(`Chromium in world ${world}: a cross-site frame has the storage of that world, never the top-level one`, async () => {
    const { web, inner, app } = await serveFramed()
    await using _web = web
    await using browser = await launchChromium({ world })
    const page = await browser.context.newPage()
    await page.goto(`${inner}#top`)
    await page.waitForFunction(() => localStorage.getItem('probe') === '#top')
    await page.goto(app)
    assert.deepEqual(await page.evaluate('window.said'), expected[world])
  })
}

test('Firefox loads a cross-site frame on *.localhost as a secure context', async context => {
  const browser = await launchFirefox()
  if (!browser) return context.skip(noFirefox)
  const { web, app } = await serveFramed()
  await using _web = web
  try {
    const page = await browser.newPage()
    await page.goto(app)
    const said = (await page.evaluate('window.said')) as { secure: boolean }
    assert.equal(said.secure, true)
  } finally {
    await browser.close()
  }
})

test('WebKitGTK loads a cross-site frame on *.localhost as a secure context', async context => {
  const browser = await launchWebKit()
  if (!browser) return context.skip(noWebKit)
  await using _browser = browser
  const { web, app } = await serveFramed()
  await using _web = web
  await browser.open(app)
  const said = (await browser.run('return window.said')) as { secure: boolean }
  assert.equal(said.secure, true)
})

test('bundle resolves our packages to their sources and answers one module', async () => {
  const text = await bundle({ source: `import { parse } from '@deputy/contract/validate'; export { parse }`, folder: import.meta.dirname })
  assert.match(text, /export \{[^}]*parse/)
  assert.doesNotMatch(text, /from ["']@deputy/)
  assert.match(text, /sourceMappingURL=data:/)
})
