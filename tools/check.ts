import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { concurrently } from './concurrently.ts'

// npm run check [-- --all] [-- <gate>…]: every gate, as many at a time as there are cores; with --all the tests too.

const tool = (name: string) => [process.execPath, '--conditions=source', `tools/${name}.ts`]

/** Each gate's command; it passes with exit code 0. The slow ones come first. */
const gates: Readonly<Record<string, readonly string[]>> = {
  packages: tool('packages'),
  lint: ['oxlint', '--type-aware', '--deny-warnings'],
  types: ['tsc', '-p', '.'],
  unused: ['knip', '--no-progress'],
  'docs examples': tool('docs-examples'),
  size: tool('bundle-size'),
  'lock file': ['npm', 'ci', '--dry-run', '--ignore-scripts'],
  format: ['oxfmt', '--check'],
  imports: tool('import-directions'),
  contract: tool('contract-coverage'),
  settings: [...tool('settings'), '--check'],
  licences: tool('licences'),
  'own words': tool('own-words'),
}

/** Runs a command to its end; answers whether it went well, and all it wrote. */
function outcome([command = '', ...args]: readonly string[]): Promise<{ passed: boolean; output: string }> {
  return new Promise(ended => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.on('error', error => ended({ passed: false, output: String(error) }))
    child.on('close', code => ended({ passed: code === 0, output }))
  })
}

const all = process.argv.includes('--all')
const named = process.argv.slice(2).filter(word => !word.startsWith('--'))
const unknown = named.filter(name => !(name in gates))
if (unknown.length > 0) throw new Error(`no gate is called ${unknown.join(', ')}; there are: ${Object.keys(gates).join(', ')}`)
const chosen = Object.entries(gates).filter(([name]) => named.length === 0 || named.includes(name))

let [passed, failed] = [0, 0]
const run = async ([name, command]: readonly [string, readonly string[]]) => {
  const started = performance.now()
  const { passed: fine, output } = await outcome(command)
  if (fine) passed++
  else failed++
  const [last = ''] = output.trim().split('\n').slice(-1)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${fine ? '✔' : '✖'} ${name} (${seconds} s)${fine && command.includes('--conditions=source') ? `: ${last}` : ''}`)
  if (!fine) console.log(output.trim().replace(/^/gm, '    '))
}
// By itself: it builds into the packages and clears up after, which the others would see come and go.
const [building, reading] = [chosen.filter(([name]) => name === 'packages'), chosen.filter(([name]) => name !== 'packages')]
await concurrently(building, 1, run)
await concurrently(reading, availableParallelism(), run)
// After the gates, not beside them: the browser tests need the cores for themselves.
if (all) await run(['tests', tool('test')])

process.exitCode = failed > 0 || passed === 0 ? 1 : 0
console.log(`\n${passed} passed, ${failed} failed`)
