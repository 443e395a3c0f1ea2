import type { Page } from 'playwright-core'
import { openClient, signInClient } from './client-page.ts'
import type { TestDeputy } from './deputy.ts'
import type { TestPerson } from './test-accounts.ts'

declare global {
  /** In the page of `beginBody`: what it began. */
  var begun: { readonly stop: AbortController; readonly reader: ReadableStreamDefaultReader<Uint8Array>; readonly end: Promise<unknown> }
}

/** Which document asked for a body apart, and how. */
interface Asked {
  readonly by: 'page' | 'broker'
  readonly method: string
  readonly path: string
  readonly referer: string
}

/** Opens a page of the client library, signed in; `bodies` are the requests for bodies apart. */
export async function openReader(deputy: TestDeputy, person: TestPerson, name: string): Promise<{ page: Page; bodies: Asked[] }> {
  const page = await openClient(deputy, name)
  const bodies: Asked[] = []
  page.on('request', request => {
    const { pathname: path } = new URL(request.url())
    if (!path.startsWith('/v1/tunnel/bod') || (request.postData() ?? '') === '') return
    const by = request.serviceWorker() === null && request.frame() === page.mainFrame() ? 'page' : 'broker'
    bodies.push({ by, method: request.method(), path, referer: request.headers()['referer'] ?? '' })
  })
  const before = await page.evaluate(() => realm.failure(realm.cloud.quota()))
  if (before?.code !== 'denied') throw new Error(`the broker was not reached: ${before?.message ?? ''}`)
  await signInClient(deputy, page, person)
  return { page, bodies }
}

/** From now on the page may connect to nobody. */
export const forbidConnections = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const policy = document.createElement('meta')
    policy.httpEquiv = 'Content-Security-Policy'
    policy.content = "connect-src 'none'"
    document.head.append(policy)
  })

/** Puts a service worker before the page that answers every POST by itself. */
export async function meddle(deputy: TestDeputy, page: Page, name: string): Promise<void> {
  deputy.web.serve(name, '/sw.js', "addEventListener('fetch', event => event.request.method === 'POST' && event.respondWith(new Response('made up')))")
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/sw.js')
    await navigator.serviceWorker.ready
  })
  await page.reload()
  await page.waitForFunction(() => 'realm' in globalThis && navigator.serviceWorker.controller !== null)
}

/** Reads all of an answer twice, once of a clone, and says what it was. */
export const readWhole = (page: Page, url: string) =>
  page.evaluate(async address => {
    const response = await realm.cloud.fetch(address)
    const copy = response.clone()
    const bytes = await response.arrayBuffer()
    const digest = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].map(byte => byte.toString(16).padStart(2, '0')).join('')
    let copied = 0
    for await (const piece of copy.body as ReadableStream<Uint8Array>) copied += piece.byteLength
    const { status, type, redirected, url: at } = response
    return { bytes: bytes.byteLength, copied, digest, status, type, redirected, url: at, node: response.headers.get('svc-node') }
  }, url)

/** Begins to read a body in the page: answers once its first bytes are there. */
export const beginBody = (page: Page, url: string): Promise<void> =>
  page.evaluate(async address => {
    const stop = new AbortController()
    const response = await realm.cloud.fetch(address, { signal: stop.signal })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    const toEnd = async (): Promise<string> => {
      for (;;) if ((await reader.read()).done) return 'ended as if it were whole'
    }
    globalThis.begun = { stop, reader, end: toEnd().catch((error: { code?: unknown }) => error.code) }
  }, url)

/** How what was begun ended: the code of its error. */
export const reading = (page: Page): Promise<unknown> => page.evaluate(() => begun.end)
