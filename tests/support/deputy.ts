import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPages } from '@deputy/broker'
import type { Seams } from '@deputy/server'
import type { BrowserContext, Frame, Page } from 'playwright-core'
import type { App } from './app-script.ts'
import { launchChromium, type Chromium, type ChromiumOptions } from './chromium.ts'
import { type ConfigFile, startTestServer, type TestServer } from './start-test-server.ts'
import { connectApp, type TestPerson } from './test-accounts.ts'
import type { RouteAnswer } from '@deputy/contract/api'
import type { redeemApp } from '@deputy/contract/api-apps'
import { bundle, pageOf, serveOrigins, type WebOrigins } from './web-origins.ts'

declare global {
  /** What the test page of an app holds; see `app-script.ts`. */
  var app: App
}

/** The built broker pages, a server that serves them, an origin server for app pages, and a Chromium. */
export interface TestDeputy extends AsyncDisposable {
  readonly server: TestServer
  readonly web: WebOrigins
  readonly context: BrowserContext
  /** Folder of the built pages. */
  readonly pages: string
  /** Opens a page of the app at `http://<name>.localhost`, with the broker framed and the link open. */
  openApp(name?: string, options?: { readonly headers?: Readonly<Record<string, string>> }): Promise<TestApp>
}

/** One open page of an app. */
export interface TestApp {
  readonly page: Page
  readonly origin: string
  /** `web:<origin>`. */
  readonly id: string
  /** The broker frame in the page. */
  frame(): Frame
  /** The session the frame holds. */
  session(): Promise<RouteAnswer<typeof redeemApp>>
  /** Makes the frame lose its session, as a browser does that clears what a site keeps. */
  forget(): Promise<void>
  /** Gives the app's frame a session of the person, as connecting does at its end. */
  signIn(person: Pick<TestPerson, 'token'>): Promise<void>
}

let built: Promise<string> | undefined
/** Builds the pages once for this process. */
export const builtPages = (): Promise<string> =>
  (built ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'deputy-pages-'))
    process.on('exit', () => void rm(folder, { recursive: true, force: true }).catch(() => undefined))
    await buildPages({ outDir: folder })
    return folder
  })())

/** Starts all of it. */
export async function startDeputy(
  options: { readonly config?: ConfigFile; readonly chromium?: ChromiumOptions; readonly seams?: Seams } = {},
): Promise<TestDeputy> {
  const pages = await builtPages()
  const [server, web, script, browser] = await Promise.all([
    startTestServer(
      {
        ...options.config,
        limits: { signIn: 100_000, address: 1_000_000, ...options.config?.limits },
        sites: { broker: pages, ...options.config?.sites },
      },
      options.seams,
    ),
    serveOrigins(),
    bundle(join(import.meta.dirname, 'app-script.ts')),
    launchChromium(options.chromium),
  ])
  return {
    server,
    web,
    pages,
    context: browser.context,
    openApp: async (name = 'app', { headers = {} } = {}) => {
      web.serve(name, '/', pageOf(script), headers)
      return openApp({ server, web, browser, name })
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close()
      await web.close()
      await server.close()
    },
  }
}

async function openApp({ server, web, browser, name }: { server: TestServer; web: WebOrigins; browser: Chromium; name: string }): Promise<TestApp> {
  const page = await browser.context.newPage()
  page.setDefaultTimeout(45_000)
  const origin = web.origin(name)
  await page.goto(`${origin}/?broker=${encodeURIComponent(server.origins.broker)}`)
  await page.waitForFunction(() => 'app' in globalThis)
  const id = `web:${origin}`
  const frame = (): Frame => {
    const found = page.frames().find(candidate => candidate.url().startsWith(`${server.origins.broker}/frame`))
    if (found === undefined) throw new Error('the page has no broker frame')
    return found
  }
  return {
    page,
    origin,
    id,
    frame,
    session: () => frame().evaluate(heldSession, `session:${id}`) as Promise<RouteAnswer<typeof redeemApp>>,
    forget: () => frame().evaluate(keepSession, [`session:${id}`, null] as const),
    signIn: async ({ token }) => {
      const session = await connectApp(server, token, id)
      await frame().evaluate(keepSession, [`session:${id}`, session] as const)
    },
  }
}

/** Runs in the broker frame: keeps a session as the frame itself does, and tells of it. */
export function keepSession([key, session]: readonly [string, unknown]): Promise<void> {
  return new Promise((resolve, reject) => {
    const opened = indexedDB.open('deputy', 1)
    opened.onerror = () => reject(opened.error ?? new Error('denied'))
    // The frame may not have come to opening it yet.
    opened.onupgradeneeded = () => opened.result.createObjectStore('values')
    opened.onsuccess = () => {
      const transaction = opened.result.transaction('values', 'readwrite')
      if (session === null) transaction.objectStore('values').delete(key)
      else transaction.objectStore('values').put(session, key)
      transaction.oncomplete = () => {
        opened.result.close()
        const news = new BroadcastChannel('deputy')
        news.postMessage(key)
        news.close()
        resolve()
      }
    }
  })
}

/** Runs in the broker frame: the session it holds. */
function heldSession(key: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const opened = indexedDB.open('deputy', 1)
    opened.onerror = () => reject(opened.error ?? new Error('denied'))
    // The frame may not have come to opening it yet.
    opened.onupgradeneeded = () => opened.result.createObjectStore('values')
    opened.onsuccess = () => {
      const request = opened.result.transaction('values').objectStore('values').get(key)
      request.onsuccess = () => {
        opened.result.close()
        resolve(request.result)
      }
    }
  })
}
