import { nodeAliases } from '@deputy/client/aliases'
import { build } from 'esbuild'
import type { Frame, Page } from 'playwright-core'
import { keepSession, type TestDeputy } from './deputy.ts'
import { connectApp, type TestPerson } from './test-accounts.ts'
import { answerCard } from './tunnel-scene.ts'
import { pageOf } from './web-origins.ts'

/** What a script of `openNodePage` puts into its page beside its own. */
export interface NodePage {
  /** Calls the broker for the first time, so that its frame is there. */
  begin(): Promise<unknown>
  /** Asks for sockets: what a connection to a port nobody listens on fails with. */
  ask(): Promise<string>
}
declare global {
  var nodePage: NodePage
}

/** Bundles a script with Node clients as the guide tells apps to: by the published aliases, without the condition `browser`. */
export async function bundleNodeScript(entry: string, alias: Readonly<Record<string, string>> = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    target: 'es2023',
    platform: 'neutral',
    mainFields: ['browser', 'module', 'main'],
    conditions: ['source'],
    alias: { ...nodeAliases, ...alias },
    absWorkingDir: import.meta.dirname,
    write: false,
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

/** Opens a page of the script, signed in as the person and allowed to use sockets. */
export async function openNodePage(deputy: TestDeputy, person: TestPerson, name: string, script: string): Promise<Page> {
  deputy.web.serve(name, '/', pageOf(script))
  const page = await deputy.context.newPage()
  page.setDefaultTimeout(60_000)
  // A script that does not load says why, rather than only when.
  const broken = new Promise<never>((_, reject) => void page.once('pageerror', reject))
  broken.catch(() => undefined)
  await page.goto(`${deputy.web.origin(name)}/?broker=${encodeURIComponent(deputy.server.origins.broker)}`)
  await Promise.race([page.waitForFunction(() => 'nodePage' in globalThis), broken])
  await page.evaluate(() => nodePage.begin())
  const frame = (): Frame => {
    const found = page.frames().find(candidate => candidate.url().startsWith(`${deputy.server.origins.broker}/frame`))
    if (found === undefined) throw new Error('the page has no broker frame')
    return found
  }
  const id = `web:${deputy.web.origin(name)}`
  await frame().evaluate(keepSession, [`session:${id}`, await connectApp(deputy.server, person.token, id)] as const)
  const asked = page.evaluate(() => nodePage.ask())
  await answerCard({ frame }, 'session')
  const code = await asked
  if (code !== 'ECONNREFUSED') throw new Error(`sockets are not allowed: ${code}`)
  return page
}
