import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchChromium } from '../support/chromium.ts'
import { startDev } from '../support/dev-server.ts'
import { signUpByHand } from '../support/playground.ts'

const media = join(import.meta.dirname, '../support/media')

/** Shares a file and answers its link. */
async function shareFile(page: Page, name: string): Promise<string> {
  await page.locator('input[type=file]').setInputFiles(join(media, name))
  await page.locator('.upload', { hasText: name }).getByRole('button', { name: 'Copy link' }).waitFor()
  return (await page.locator('.upload a').getAttribute('href')) ?? ''
}

test('a page without a backend signs a person in and shares a photo and a video that another browser opens and seeks in', async () => {
  await using server = await startDev()
  await using mine = await launchChromium({ world: 'chrome' })
  const page = await mine.context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`${server.playground}/files`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await signUpByHand(mine.context, page)
  await page.getByText('Signed in as').waitFor()
  const photo = await shareFile(page, 'photo.jpg')
  const video = await shareFile(page, 'video.mp4')
  await page.locator('.objects li').nth(1).waitFor()
  await page.getByText('What left the browser').first().click()
  await page.getByText('3,813,136').waitFor()

  // Another browser, where nobody is signed in, and whose cookies are blocked besides.
  await using theirs = await launchChromium({ world: 'blocked' })
  const viewer = await theirs.context.newPage()
  viewer.setDefaultTimeout(30_000)
  await viewer.goto(photo)
  const width = await viewer.locator('img.media').evaluate(async (image: HTMLImageElement) => {
    await image.decode()
    return image.naturalWidth
  })
  assert.equal(width, 1600)

  const saved = viewer.waitForEvent('download')
  await viewer.getByRole('button', { name: 'Save' }).click()
  const [hash, original] = await Promise.all([(await saved).path().then(path => readFile(path)), readFile(join(media, 'photo.jpg'))])
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  assert.equal(sha256(hash), sha256(original))

  const ranges: string[] = []
  viewer.context().on('request', request => {
    const range = request.headers()['range']
    if (range !== undefined && /cdn\.localhost/.test(request.url())) ranges.push(range)
  })
  await viewer.goto('about:blank')
  await viewer.goto(video)
  const seen = await viewer.locator('video').evaluate(async (player: HTMLVideoElement) => {
    const once = (type: string) => new Promise(resolve => player.addEventListener(type, resolve, { once: true }))
    if (player.readyState < 1) await once('loadedmetadata')
    player.currentTime = 20
    await once('seeked')
    return { duration: Math.round(player.duration), at: player.currentTime, error: player.error?.message ?? null }
  })
  assert.deepEqual(seen, { duration: 24, at: 20, error: null })
  assert.ok(ranges.length > 0, 'the video was read by ranges')

  await page
    .getByRole('button', { name: /^Delete/ })
    .first()
    .click()
  await page.locator('.objects li').nth(1).waitFor({ state: 'detached' })
  await viewer.goto('about:blank')
  await viewer.goto(video)
  await viewer.getByRole('alert').getByText('not-found').waitFor()
})
