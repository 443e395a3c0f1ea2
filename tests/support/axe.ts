import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Frame, Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe finds in a document, one line each (WCAG 2.2 AA and best practice). */
export async function faults(realm: Page | Frame): Promise<string[]> {
  // Evaluated, not injected: the page's content policy stays as it is.
  if (!(await realm.evaluate(() => 'axe' in globalThis))) await realm.evaluate(axe)
  const { violations, passes } = await realm.evaluate(
    tags =>
      (globalThis as unknown as { axe: { run(root: Document, options: unknown): Promise<AxeResults> } }).axe.run(document, {
        runOnly: tags,
        rules: { 'page-has-heading-one': { enabled: false } },
      }),
    rules,
  )
  assert.ok(passes.length > 5, 'axe looked at something')
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`)
}
