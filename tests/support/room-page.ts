import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { signInClient } from './client-page.ts'
import type { TestDeputy } from './deputy.ts'
import type { RoomRealm } from './room-script.ts'
import type { TestPerson } from './test-accounts.ts'
import { bundle, pageOf } from './web-origins.ts'

declare global {
  /** What the page of `openRoomPage` holds. */
  var roomRealm: RoomRealm
}

let script: Promise<string> | undefined
const roomScript = () => (script ??= bundle(join(import.meta.dirname, 'room-script.ts')))

/** Opens a page of the app at `http://<name>.localhost` that is ready for rooms, in a tab of its own, signed in as the person if one is given. */
export async function openRoomPage(deputy: TestDeputy, name: string, person?: Pick<TestPerson, 'token'>): Promise<Page> {
  deputy.web.serve(name, '/', pageOf(await roomScript()))
  const page = await deputy.context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`${deputy.web.origin(name)}/?broker=${encodeURIComponent(deputy.server.origins.broker)}`)
  await roomsReady(page)
  if (person !== undefined) {
    await page.evaluate(() => roomRealm.client.account.info())
    await signInClient(deputy, page, person)
  }
  return page
}

/** Waits until the page's script has run, also after a reload. */
export async function roomsReady(page: Page): Promise<void> {
  await page.waitForFunction(() => 'roomRealm' in globalThis)
}
