import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { launchChromium } from '../tests/support/chromium.ts'
import { startDev } from '../tests/support/dev-server.ts'
import { inviteOf, joinRoom, makeRoom, say, signUpByHand } from '../tests/support/playground.ts'
import { networkScenes } from './network-pictures.ts'
import { notesScenes } from './notes-pictures.ts'

/** How a page is looked at. */
export interface PictureLook {
  readonly scheme: 'light' | 'dark'
  readonly width: number
  readonly height: number
}

/** Pictures of the playground’s rooms with two people in them, of its notes and of its network demo, in each look, at `<folder>/<look>/playground-<scene>.png`; answers how many. */
export async function takePlaygroundPictures(
  mine: BrowserContext,
  theirs: BrowserContext,
  looks: Readonly<Record<string, PictureLook>>,
  folder: string,
): Promise<number> {
  await using spender = await launchChromium()
  await using server = await startDev({ DEPUTY_TUNNEL_DAY: '3000000B' })
  const ada = await makeRoom(mine, server.playground, 'Ada')
  const { page } = ada
  await page.getByRole('button', { name: 'Claim…' }).click()
  await page.getByRole('button', { name: 'Sign in to claim' }).click()
  await signUpByHand(mine, page)
  const claiming = page.getByRole('dialog', { name: 'Claim this room' })
  await claiming.getByLabel('For how long').selectOption('A week')
  await claiming.getByRole('button', { name: 'Claim', exact: true }).click()
  await page.locator('.badge', { hasText: 'Claimed until' }).waitFor()
  const bob = await joinRoom(theirs, await inviteOf(ada), 'Bob')
  await say(ada, 'Did the pictures of the lake reach you?')
  await say(bob, 'All of them, and the film as well.')
  await say(bob, 'The one with the boat is the best: shall we print it large for the hall, with a frame of the old oak?')
  await say(ada, 'Yes!')
  const link = bob.page.url()
  await bob.page.goto('about:blank')
  await say(ada, 'I have asked for a price.\nThey want to know the size until Friday.')
  await bob.page.goto(link)
  await bob.page.getByText('While you were away').waitFor()

  const drawing = await makeRoom(mine, server.playground, 'Ada', 'board')
  const partner = await joinRoom(theirs, await inviteOf(drawing), 'Bob')
  await stroke(drawing.page, [
    [150, 400],
    [300, 200],
    [450, 400],
    [600, 200],
    [750, 400],
  ])
  await stroke(partner.page, [
    [200, 480],
    [500, 520],
    [800, 460],
  ])
  const lobby = await mine.newPage()
  await lobby.goto(`${server.playground}/chat`)
  const home = await mine.newPage()
  await home.goto(server.playground)

  const opened = (of: Page, button: string) => async () => of.getByRole('button', { name: button, exact: true }).click()
  const scenes: Readonly<Record<string, readonly [of: Page, show?: () => Promise<void>]>> = {
    home: [home],
    lobby: [lobby],
    'chat-owner': [page],
    'chat-guest': [bob.page],
    invite: [page, opened(page, 'Invite')],
    claim: [page, opened(page, 'Claim')],
    moderation: [page, opened(page, 'Manage Bob')],
    rules: [page, opened(page, 'Rules')],
    board: [drawing.page, () => point(partner.page)],
    'board-guest': [partner.page],
    ...(await notesScenes(mine, theirs, server.playground)),
    ...(await networkScenes({ signedIn: mine, signedOut: theirs, spender: spender.context }, server.playground)),
  }
  for (const [lookName, { scheme, width, height }] of Object.entries(looks))
    for (const [name, [of, show]] of Object.entries(scenes)) {
      await of.bringToFront()
      await of.setViewportSize({ width, height })
      await of.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      await show?.()
      await of.waitForTimeout(300)
      await of.screenshot({ path: join(folder, lookName, `playground-${name}.png`), fullPage: show === undefined })
      if (show !== undefined) await of.keyboard.press('Escape')
    }
  return Object.keys(scenes).length
}

async function stroke(page: Page, points: readonly (readonly [x: number, y: number])[]): Promise<void> {
  const box = await page.getByRole('application', { name: 'Board' }).boundingBox()
  if (box === null) throw new Error('the board is not drawn')
  for (const [nth, [across, down]] of points.entries()) {
    await page.mouse.move(box.x + (across / 1000) * box.width, box.y + (down / 600) * box.height, { steps: 6 })
    if (nth === 0) await page.mouse.down()
  }
  await page.mouse.up()
}

/** The cursor of the person moves over the board, for the other to see. */
async function point(page: Page): Promise<void> {
  const paper = page.getByRole('application', { name: 'Board' })
  for (const x of [300, 320]) await paper.hover({ position: { x, y: 120 } })
}
