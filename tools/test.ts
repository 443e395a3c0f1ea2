import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { ensureChromium } from '../tests/support/chromium.ts'
import { concurrently } from './concurrently.ts'
import { endRunning, type FileResult, runTestFile } from './test-file.ts'

// npm test [-- <pattern>…]: all test files, or those whose path contains a pattern. Quick files first; then those that drive a browser or a whole system, fewer at
// a time, because they need the cores for themselves.

const patterns = process.argv.slice(2)
const found = globSync(['*/src/**/*.test.{ts,tsx}', 'examples/*/src/**/*.test.{ts,tsx}', 'tests/**/*.test.ts', '{tools,bench}/*.test.ts'])
const files = found.filter(path => patterns.length === 0 || patterns.some(pattern => path.includes(pattern))).toSorted()
const isSlow = (path: string) => path.startsWith('tests/e2e/') || path.endsWith('.browser.test.ts')
const slow = files.filter(isSlow)
const quick = files.filter(path => !isSlow(path))

if (slow.length > 0) await ensureChromium()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    endRunning()
    process.exit(1)
  })
}

const results: FileResult[] = []
// On a busy machine a browser or a process may lose a race that a person would not notice: so few files are run a second time, and it is said.
let again = 5
const unsteady: string[] = []
const show = async (path: string, limit: number) => {
  let result = await runTestFile(path, limit)
  if (result.failed > 0 && again-- > 0) {
    console.log(`↻ ${path} failed and is run again\n${result.report}`)
    result = await runTestFile(path, limit)
    if (result.failed === 0) unsteady.push(path)
  }
  results.push(result)
  console.log(
    `${result.failed > 0 ? '✖' : '✔'} ${path} (${result.passed + result.failed + result.skipped} tests, ${(result.milliseconds / 1000).toFixed(1)} s)`,
  )
  if (result.report) console.log(result.report)
}
// Many of them wait for servers to come and go: one more than there are cores.
await concurrently(quick, availableParallelism() + 1, path => show(path, 180_000))
await concurrently(slow, Math.max(1, Math.floor(availableParallelism() / 2)), path => show(path, 300_000))

const sum = (count: (result: FileResult) => number) => results.reduce((total, result) => total + count(result), 0)
const [passed, failed, skipped] = [sum(result => result.passed), sum(result => result.failed), sum(result => result.skipped)]
const failing = results.filter(result => result.failed > 0).map(result => `  ${result.path}`)
if (failing.length > 0) console.log(`\nfailed in:\n${failing.join('\n')}`)
if (unsteady.length > 0) console.log(`\npassed in a second run only:\n${unsteady.map(path => `  ${path}`).join('\n')}`)
if (passed + failed === 0) console.log('no test ran')
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
