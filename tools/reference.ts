/**
 * Writes docs/reference from the values of the contract; with `--check` writes nothing and fails when a page is missing,
 * stale or not one of them.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { referencePages } from './reference-pages.ts'

const folder = new URL('../docs/reference/', import.meta.url)
const pages = referencePages()

/** Names of pages that differ from what the contract says, and of files that are no page. */
async function stale(): Promise<readonly string[]> {
  const there = await readdir(folder).catch(() => [])
  const known = new Set(pages.map(page => page.name))
  const texts = await Promise.all(pages.map(page => readFile(new URL(page.name, folder), 'utf8').catch(() => null)))
  return [...pages.filter((page, index) => texts[index] !== page.text).map(page => page.name), ...there.filter(name => !known.has(name))]
}

const wrong = await stale()
if (process.argv.includes('--check')) {
  if (wrong.length > 0) {
    console.error(`docs/reference is stale: ${wrong.join(', ')}. Run node --conditions=source tools/reference.ts`)
    process.exitCode = 1
  }
} else {
  await mkdir(folder, { recursive: true })
  const known = new Set(pages.map(page => page.name))
  await Promise.all(wrong.filter(name => !known.has(name)).map(name => rm(new URL(name, folder), { recursive: true })))
  await Promise.all(pages.map(page => writeFile(new URL(page.name, folder), page.text)))
  console.log(`docs/reference: ${pages.length} pages, ${wrong.length} changed`)
}
