import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { faults } from '../support/axe.ts'
import { launchChromium } from '../support/chromium.ts'
import { startDev } from '../support/dev-server.ts'
import { cardIn, openNotes, signUpFrom, writeNote } from '../support/notes-page.ts'
import { inviteOf, joinRoom, makeRoom, say } from '../support/playground.ts'

test('axe finds no fault in the playground’s rooms, light and dark, and nothing is cut off at 320 pixels', async () => {
  await using server = await startDev()
  await using browser = await launchChromium()
  await using other = await launchChromium()
  const ada = await makeRoom(browser.context, server.playground, 'Ada')
  const bob = await joinRoom(other.context, await inviteOf(ada), 'Bob')
  await ada.page.getByRole('button', { name: 'Manage Bob' }).waitFor()
  await say(ada, 'hello')
  await say(bob, 'hello, and a word that is far too long for a narrow page: Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft')
  const drawing = await makeRoom(browser.context, server.playground, 'Ada', 'board')
  const lobby = await browser.context.newPage()
  await lobby.goto(`${server.playground}/chat`)
  await lobby.getByLabel('Your name here').waitFor()
  const home = await browser.context.newPage()
  await home.goto(server.playground)
  await home.getByRole('link', { name: 'Board' }).first().waitFor()
  const gone = await browser.context.newPage()
  await gone.goto(`${server.playground}/chat#nonsense`)
  await gone.getByRole('button', { name: 'Try again' }).waitFor()

  const surfaces: readonly (readonly [name: string, page: Page, button?: string])[] = [
    ['the home page', home],
    ['the lobby', lobby],
    ['an invite that is none', gone],
    ['the chat', ada.page],
    ['the chat of a guest', bob.page],
    ['the invite', ada.page, 'Invite'],
    ['the claim', ada.page, 'Claim…'],
    ['the rules', ada.page, 'Rules'],
    ['a member', ada.page, 'Manage Bob'],
    ['who one is', ada.page, 'Change your name and colour'],
    ['the board', drawing.page],
  ]
  for (const colorScheme of ['light', 'dark'] as const)
    for (const [name, page, button] of surfaces) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const dialog = page.locator('dialog.dialog')
      if (button !== undefined) {
        await page.getByRole('button', { name: button, exact: true }).click()
        await dialog.waitFor()
      }
      assert.deepEqual(await faults(page), [], `${name}, ${colorScheme}`)
      await page.setViewportSize({ width: 320, height: 640 })
      const { width, within } = await page.evaluate(() => {
        const sheet = document.querySelector('dialog.dialog') ?? document.documentElement
        return { width: document.documentElement.scrollWidth, within: sheet.scrollWidth <= sheet.clientWidth }
      })
      assert.deepEqual({ width, within }, { width: 320, within: true }, `${name} at 320 pixels`)
      await page.setViewportSize({ width: 1280, height: 800 })
      if (button !== undefined) {
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        assert.equal(
          await page.evaluate(() => document.activeElement?.textContent || document.activeElement?.ariaLabel),
          button.startsWith('Change') ? 'Change' : button.startsWith('Manage') ? 'Manage' : button,
        )
      }
    }
})

test('axe finds no fault in the playground’s notes, signed out and in, light and dark, and nothing is cut off at 320 pixels', async () => {
  await using server = await startDev()
  await using browser = await launchChromium()
  const page = await openNotes(browser.context, server.playground)
  const looked = async (name: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      assert.deepEqual(await faults(page), [], `${name}, ${colorScheme}`)
      await page.setViewportSize({ width: 320, height: 640 })
      assert.deepEqual(await faults(page), [], `${name}, ${colorScheme}, narrow`)
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, `${name} at 320 pixels`)
      await page.setViewportSize({ width: 1280, height: 800 })
    }
  }
  await looked('signed out, without a note')
  await writeNote(page, 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft', 'Words')
  await looked('signed out, with a note')

  // By keyboard alone: from the note to the list, and to another note.
  await page.getByRole('button', { name: 'New note' }).focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Delete/ }).press('Enter')
  await page.getByRole('button', { name: /^Really delete/ }).waitFor()
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: /^Delete/ }).waitFor()

  await signUpFrom(page, 'Ada Lovelace')
  await cardIn(page).getByRole('button', { name: 'Keep in my account' }).click()
  await page.locator('.counted').waitFor()
  await looked('signed in')
})
