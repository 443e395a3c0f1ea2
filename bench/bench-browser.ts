import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { buildPages } from '@deputy/broker'
import { ensureChromium } from '../tests/support/chromium.ts'
import { bundle, pageOf, type WebOrigins } from '../tests/support/web-origins.ts'

/** What a bench's page is given and where it runs. */
export interface PageRun {
  /** Serves the host `bench`, which the page is put on. */
  readonly web: WebOrigins
  /** The name of its script in this folder. */
  readonly page: string
  readonly order: unknown
  /** Holds the browser's profile; removed by whoever made it. */
  readonly folder: string
  /** A port for a debugger to look in at. */
  readonly debug?: string | undefined
}

/** A script of this folder for a browser. */
export const browserScript = (name: string): Promise<string> => bundle(join(import.meta.dirname, `${name}.ts`))

/** Answers a page's request with JSON. */
export const answerJson = (response: ServerResponse, value: unknown): void =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify(value))

/** Builds the broker's pages below a folder, a script of this folder in the place of its connect button, where it shares the partition of the app's frame. */
export async function brokerPages(folder: string, frame: string): Promise<string> {
  const pages = join(folder, 'pages')
  await buildPages({ outDir: pages })
  await writeFile(join(pages, 'assets/bench-frame-00000000.js'), await browserScript(frame))
  await writeFile(join(pages, 'connect-button.html'), '<!doctype html><script type="module" src="/assets/bench-frame-00000000.js"></script>')
  return pages
}

/** Runs a page that calls `runOrder`, for ten minutes at most, and answers what it found. No test driver: one that watches the network copies every body that is sent. */
export async function runPage<T>({ web, page, order, folder, debug }: PageRun): Promise<T> {
  const finished = Promise.withResolvers<T>()
  const url = web.serve('bench', '/', pageOf(await browserScript(page)))
  web.serve('bench', '/order', (_request, response) => answerJson(response, order))
  web.serve('bench', '/result', async (request, response) => {
    const { answer, error } = JSON.parse(await text(request)) as { answer: T; error?: string }
    response.end()
    if (error === undefined) finished.resolve(answer)
    else finished.reject(new Error(error))
  })
  const browser = spawn(
    await ensureChromium(),
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...(debug === undefined ? [] : [`--remote-debugging-port=${debug}`]),
      `--user-data-dir=${join(folder, 'profile')}`,
      url,
    ],
    { stdio: 'ignore' },
  )
  const given = setTimeout(() => finished.reject(new Error('the page did not finish')), 600_000)
  try {
    return await finished.promise
  } finally {
    clearTimeout(given)
    const gone = once(browser, 'exit')
    browser.kill()
    await gone
  }
}
