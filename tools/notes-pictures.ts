import type { BrowserContext, Page } from 'playwright-core'
import { brokerIn, lineIn, listed, openNotes, writeNote } from '../tests/support/notes-page.ts'

/** Scenes of the playground’s notes by name: signed in as whoever `mine` is, and signed out. A conflict is shown and put off. */
export async function notesScenes(
  mine: BrowserContext,
  theirs: BrowserContext,
  playground: string,
): Promise<Record<string, readonly [of: Page, show?: () => Promise<void>]>> {
  const out = await openNotes(theirs, playground)
  await writeNote(out, 'Shopping', 'Rye bread\nButter')
  const page = await openNotes(mine, playground)
  await writeNote(page, 'The lake in November', 'The boat lies at the old pier. The key hangs behind the door of the boathouse.')
  await writeNote(page, '', 'Ask for the price of the frame until Friday')
  await writeNote(
    page,
    'Film evening',
    'Who brings what:\n\n- Ada: the projector, and the long cable\n- Bob: bread, cheese, apples\n- Charles: the film, if the post is kind\n\nWe begin at seven. Whoever comes late rings twice.',
  )
  await lineIn(page, 'In your account.').waitFor()
  await page.locator('.counted').waitFor()
  const list = await openNotes(mine, playground)
  await listed(list, 'Film evening').waitFor()
  return {
    'notes-signed-out': [out],
    notes: [page],
    'notes-list': [list],
    'notes-conflict': [
      page,
      async () => {
        await page.getByRole('button', { name: 'Change “Film evening” on two devices' }).click()
        await brokerIn(page).getByRole('dialog').getByRole('button', { name: 'Keep both for now' }).waitFor()
      },
    ],
  }
}
