import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { ClientRealm } from './client-script.ts'
import { keepSession, type TestDeputy } from './deputy.ts'
import { connectApp, type TestPerson } from './test-accounts.ts'
import { bundle, pageOf } from './web-origins.ts'

declare global {
  /** What the page of `openClient` holds. */
  var realm: ClientRealm
}

let script: Promise<string> | undefined
const clientScript = () => (script ??= bundle(join(import.meta.dirname, 'client-script.ts')))

/** Opens a page at `http://<name>.localhost` that has loaded the client library and has called nothing. */
export async function openClient(deputy: TestDeputy, name: string, broker = deputy.server.origins.broker, body = ''): Promise<Page> {
  deputy.web.serve(name, '/', pageOf(await clientScript(), body))
  const page = await deputy.context.newPage()
  page.setDefaultTimeout(45_000)
  await page.goto(`${deputy.web.origin(name)}/?broker=${encodeURIComponent(broker)}`)
  await page.waitForFunction(() => 'realm' in globalThis)
  return page
}

/** Gives the app of the page a session of the person, as connecting does at its end. The broker's frame must be there. */
export async function signInClient(deputy: TestDeputy, page: Page, person: Pick<TestPerson, 'token'>): Promise<void> {
  const id = `web:${new URL(page.url()).origin}`
  const session = await connectApp(deputy.server, person.token, id)
  const frame = page.frames().find(candidate => candidate.url().startsWith(`${deputy.server.origins.broker}/frame`))
  if (frame === undefined) throw new Error('the page has no broker frame')
  await frame.evaluate(keepSession, [`session:${id}`, session] as const)
}
