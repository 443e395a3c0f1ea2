import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { signInClient } from '../support/client-page.ts'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { signUp } from '../support/test-accounts.ts'

const run = promisify(execFile)
const examples = join(import.meta.dirname, '../../examples')

let deputy: TestDeputy
before(async () => {
  deputy = await startDeputy()
})
after(() => deputy?.[Symbol.asyncDispose]())

/** Builds an example as its README's command does, serves what came out on an origin of its own, and opens it with its app signed in. */
async function open(name: string, { page: html, root }: { readonly page: string; readonly root: string }): Promise<Page> {
  const folder = join(examples, name)
  await run('npm', ['run', 'build'], { cwd: folder })
  const files = await readdir(join(folder, root), { recursive: true, withFileTypes: true })
  for (const file of files.filter(file => file.isFile() && /\.(js|css)$/.test(file.name) && !file.parentPath.includes('node_modules'))) {
    const path = join(file.parentPath, file.name)
    deputy.web.serve(name, path.slice(join(folder, root).length), await readFile(path))
  }
  const text = await readFile(join(folder, html), 'utf8')
  deputy.web.serve(name, '/', text.replace('http://broker.localhost:4400', deputy.server.origins.broker))
  const page = await deputy.context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(deputy.web.origin(name))
  return page
}

/** Lets the page make its broker frame by its own means, then signs its app in. */
async function signIn(page: Page, touch: () => Promise<void>): Promise<void> {
  await touch()
  await page.locator('iframe[data-deputy-broker]').waitFor({ state: 'attached' })
  await page.waitForFunction(() => frames.length > 0)
  await page.frameLocator('iframe[data-deputy-broker]').locator('body').waitFor({ state: 'attached' })
  await signInClient(deputy, page, await signUp(deputy.server, 'Ada'))
}

const file = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('a note') }

test('the plain script page signs in and stores a file', async () => {
  const page = await open('plain', { page: 'index.html', root: '.' })
  const click = () => page.getByRole('button', { name: 'Sign in' }).click()
  await signIn(page, click)
  await page.getByText('Hello, Ada').or(page.getByText('Not signed in.')).waitFor()
  await page.getByLabel('File to share').setInputFiles(file)
  await page.getByText('Stored at').waitFor()
})

test('the React app follows the account and uploads with its hooks', async () => {
  const page = await open('vite-react', { page: 'dist/index.html', root: 'dist' })
  await signIn(page, () => page.getByRole('button', { name: 'Sign in' }).waitFor())
  await page.getByText('Signed in as Ada').waitFor()
  await page.getByLabel('File to share').setInputFiles(file)
  await page.getByText(`Stored at ${deputy.server.origins.cdn}`).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
})

test('the worker stores what it made through its page’s broker', async () => {
  const page = await open('worker', { page: 'index.html', root: '.' })
  const store = () => page.getByRole('button', { name: 'Store the numbers' }).click()
  await signIn(page, store)
  await page.getByText('8000 bytes at').waitFor()
  assert.match(await page.getByRole('status').innerText(), new RegExp(`^8000 bytes at ${deputy.server.origins.cdn}/`))
})
