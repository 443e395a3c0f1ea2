import { join } from 'node:path'
import type { Frame, FrameLocator, Page } from 'playwright-core'
import type { OverlayState } from '@deputy/contract/overlay'
import type { FrameConsentAnswer, frameConsentRequest } from '@deputy/contract/consent'
import type { Sent } from '@deputy/contract/shape'
import { bundleWithStyle, serveOrigins, type WebOrigins } from './web-origins.ts'

/**
 * The broker's frame as an app page embeds it, its services left out: what the person sees, driven from the app page. The page is a reference host: it clips the
 * frame to the rectangles it is told and makes itself inert while the broker is modal.
 */
export interface BrokerFrame extends AsyncDisposable {
  readonly origins: WebOrigins
  /** Opens the app page and waits until its frame is there. */
  open(page: Page, query?: string): Promise<OpenedFrame>
}

/** One app page with its frame. */
export interface OpenedFrame {
  readonly page: Page
  readonly frame: FrameLocator
  /** The frame's own realm. */
  realm(): Frame
  /** The state the broker pushed last. */
  state(): Promise<OverlayState | undefined>
  /** Begins a consent request; its answers come from `answers`. */
  ask(rows: readonly Sent<typeof frameConsentRequest>[]): Promise<Asked>
  connect(purpose: 'sign-in' | 'connect' | 'unlock', words?: string): Promise<Asked<string>>
  /** Runs one of the frame's other test commands. */
  command(name: string, ...args: readonly unknown[]): Promise<unknown>
}

/** A question put to the person. */
export interface Asked<Answer = readonly FrameConsentAnswer[]> {
  /** Waits for the answer. */
  readonly answer: Promise<Answer>
  /** The answer if there is one by now. */
  now(): Promise<Answer | undefined>
}

const frameSource = `
import { frameUi } from './ui/frame-ui.tsx'
import { identify } from './app-identity.ts'
import { memoryStore } from './store/memory.ts'
const store = memoryStore()
let account = null
let told = 0
const takers = new Map()
const switches = new Set()
const app = identify(location.ancestorOrigins[0])
const ui = frameUi({ app, store, accountId: async () => account, onSwitch: l => (switches.add(l), () => switches.delete(l)) })
const commands = {
  ask: rows => ui.frameConsent.request(rows),
  ensure: row => ui.frameConsent.ensure(row),
  granted: need => ui.consent.granted(need),
  grants: () => ui.consent.grants(),
  endAttachment: attach => ui.consent.endAttachment(attach),
  switchAccount: id => { account = id; for (const l of switches) l() },
  unhost: () => ui.overlay.setHost(() => {}),
  connect: (purpose, words) => ui.prompts.connect({ app, purpose, words, signal: new AbortController().signal, open: () => window.open('/window', '', 'popup,width=300,height=300') }),
  blockedConnect: () => ui.prompts.connect({ app, purpose: 'connect', signal: new AbortController().signal, open: () => null }),
  waiting: () => { const lower = ui.prompts.waiting({ app, cancel: () => lower(), focus: () => {} }) },
  claims: () => { void ui.prompts.claimsFull({ app, signal: new AbortController().signal, open: () => window.open('/window', '', 'popup,width=300,height=300') }) },
  blockedClaims: () => { void ui.prompts.claimsFull({ app, signal: new AbortController().signal, open: () => null }) },
  notice: notice => ui.prompts.notice({ app, ...notice }),
  update: () => { ui.prompts.updateReady(() => {}) },
}
ui.consent.onChange(() => parent.postMessage({ kind: 'grants-changed' }, '*'))
addEventListener('message', async ({ source, data }) => {
  if (source === parent && takers.has(data?.taken)) takers.get(data.taken)()
  if (source !== parent || typeof data?.call !== 'string') return
  const answer = await commands[data.call](...data.args)
  parent.postMessage({ kind: 'answer', id: data.id, answer }, '*')
})
if (!location.search.includes('unhosted')) ui.overlay.setHost(state => new Promise(taken => {
  const id = ++told
  takers.set(id, taken)
  parent.postMessage({ kind: 'state', state, id }, '*')
}))
parent.postMessage({ kind: 'ready' }, '*')
`

const host = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Some app</title>
<style>
  :root { color-scheme: light dark; font: 16px system-ui; }
  body { margin: 0; min-height: 200vh; transition: margin-top 0s; }
  main { padding: 24px; }
  iframe#broker { position: fixed; inset: 0; width: 100%; height: 100%; border: 0; color-scheme: light dark; clip-path: inset(0 100% 100% 0); z-index: 2147483647 }
</style>
<body><main id="page"><h1>Some app</h1><p>The page of an app, with a broker frame over it.</p><button id="behind">A button of the page</button><p><input id="field" aria-label="A field"></p></main>
<script>
const heard = window.heard = { states: [], answers: new Map(), grantsChanged: 0, ready: false }
let before = null
addEventListener('message', ({ source, data }) => {
  const frame = document.getElementById('broker')
  if (source !== frame.contentWindow) return
  if (data.kind === 'ready') heard.ready = true
  if (data.kind === 'grants-changed') heard.grantsChanged++
  if (data.kind === 'answer') heard.answers.set(data.id, data.answer)
  if (data.kind === 'state') {
    const { state } = data
    heard.states.push(state)
    if (!window.freeClip) frame.style.clipPath = state.rects.length === 0 ? 'inset(0 100% 100% 0)' : 'path("' + state.rects.map(r => 'M' + r.x + ' ' + r.y + 'h' + r.width + 'v' + r.height + 'h' + -r.width + 'z').join('') + '")'
    document.body.style.marginTop = state.inset.top + 'px'
    const page = document.getElementById('page')
    if (state.modal && !page.inert) before = document.activeElement
    page.inert = state.modal
    if (!state.modal && before) { before.focus(); before = null }
    frame.contentWindow.postMessage({ taken: data.id }, '*')
  }
})
let count = 0
window.callBroker = (call, ...args) => { const id = ++count; document.getElementById('broker').contentWindow.postMessage({ call, args, id }, '*'); return id }
</script>
<iframe id="broker" title="Deputy" src="BROKER"></iframe>`

const sources = join(import.meta.dirname, '../../broker/src')

/** Bundles a source text, or the file of the broker it names. */
const assets = (entry: string) => bundleWithStyle(entry.endsWith('.tsx') ? join(sources, entry) : { source: entry, folder: sources })

/** Serves the app page on `http://app.localhost` and the frame on `http://broker.localhost`, with the content policy of the real one. */
export async function serveBrokerFrame(): Promise<BrokerFrame> {
  const origins = await serveOrigins()
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
  for (const [name, entry] of [
    ['frame', frameSource],
    ['consent', 'ui/consent-page.tsx'],
  ] as const) {
    const { script, style } = await assets(entry)
    origins.serve('broker', `/${name}.js`, script)
    origins.serve('broker', `/${name}.css`, style)
    const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Deputy</title><link rel="stylesheet" href="/${name}.css"><script type="module" src="/${name}.js"></script><body></body></html>`
    origins.serve('broker', `/${name}`, html, { 'content-security-policy': policy })
  }
  origins.serve('broker', '/window', '<!doctype html><title>window</title>')

  const open = async (page: Page, query = ''): Promise<OpenedFrame> => {
    await page.goto(origins.serve('app', '/', host.replace('BROKER', `${origins.origin('broker')}/frame${query}`)))
    await page.waitForFunction(() => (window as unknown as Realm).heard.ready)
    const send = (name: string, args: readonly unknown[]): Promise<number> =>
      page.evaluate(([call, list]) => (window as unknown as Realm).callBroker(call, ...list), [name, args] as const)
    const answerOf = async (id: number): Promise<unknown> => {
      await page.waitForFunction(number => (window as unknown as Realm).heard.answers.has(number), id, { timeout: 60_000 })
      return page.evaluate(number => (window as unknown as Realm).heard.answers.get(number), id)
    }
    const asked = async <Answer>(name: string, args: readonly unknown[]): Promise<Asked<Answer>> => {
      const id = await send(name, args)
      const answer = answerOf(id) as Promise<Answer>
      // Whoever does not wait for the answer closes the page under it.
      answer.catch(() => undefined)
      return { answer, now: () => page.evaluate(number => (window as unknown as Realm).heard.answers.get(number) as Answer | undefined, id) }
    }
    return {
      page,
      frame: page.frameLocator('#broker'),
      realm: () => {
        const found = page.frames().find(frame => new URL(frame.url()).pathname === '/frame')
        if (found === undefined) throw new Error('the frame is gone')
        return found
      },
      state: () => page.evaluate(() => (window as unknown as Realm).heard.states.at(-1)),
      ask: rows => asked('ask', [rows]),
      connect: (purpose, words) => asked('connect', [purpose, words]),
      command: async (name, ...args) => (await asked<unknown>(name, args)).answer,
    }
  }
  return { origins, open, [Symbol.asyncDispose]: () => origins.close() }
}

interface Realm {
  readonly heard: { readonly states: OverlayState[]; readonly answers: Map<number, unknown>; readonly grantsChanged: number; readonly ready: boolean }
  callBroker(call: string, ...args: readonly unknown[]): number
}
