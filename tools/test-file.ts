import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestLine } from './test-events.ts'

/** What a test file did. */
export interface FileResult {
  readonly path: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly milliseconds: number
  /** What to print: the skipped tests with their reasons, and of each failure what failed and what the file wrote. */
  readonly report: string
}

const running = new Set<number>()

/** Ends the test files that still run, with all they started. */
export function endRunning(): void {
  for (const pid of running) signal(pid, 'SIGTERM')
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name)
  } catch {
    // Already gone, with its whole group.
  }
}

/**
 * Runs one test file in a process of its own. A file that takes longer than `limit` ms is ended and fails, as does one in which no test ran or whose process
 * ends badly though its tests passed.
 */
export async function runTestFile(path: string, limit: number): Promise<FileResult> {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-tests-'))
  const events = join(folder, 'events')
  const started = performance.now()
  const reporter = join(import.meta.dirname, 'test-events.ts')
  const child = spawn(process.execPath, ['--conditions=source', `--test-reporter=${reporter}`, `--test-reporter-destination=${events}`, path], {
    detached: true,
    // Set by an outer node:test, it would turn the reporter off.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const pid = child.pid ?? 0
  running.add(pid)
  let late = false
  const ending = setTimeout(() => {
    late = true
    signal(pid, 'SIGTERM')
  }, limit)
  const killing = setTimeout(() => signal(pid, 'SIGKILL'), limit + 5000)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(ending)
  clearTimeout(killing)
  signal(pid, 'SIGKILL')
  running.delete(pid)
  const text = await readFile(events, 'utf8').catch(() => '')
  await rm(folder, { recursive: true })
  const lines = text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as TestLine)
  return summary(path, lines, { code, late, limit, output, milliseconds: performance.now() - started })
}

/** How the process of a test file ended. */
export interface Ending {
  readonly code: number | null
  readonly late: boolean
  readonly limit: number
  readonly output: string
  readonly milliseconds: number
}

/** Sums up a test file from its events and how its process ended. */
export function summary(path: string, lines: readonly TestLine[], ending: Ending): FileResult {
  const of = (result: TestLine['result']) => lines.filter(line => line.result === result)
  const faults = of('failed').map(({ name, reason }) => `  ✖ ${name}\n${(reason ?? '').replace(/^/gm, '      ')}`)
  let failed = faults.length
  const fault = (what: string) => {
    failed++
    faults.push(`  ✖ ${what}`)
  }
  if (ending.late) fault(`took longer than ${ending.limit / 1000} s`)
  else if (lines.length === 0) fault('no test ran in this file')
  else if (ending.code !== 0 && failed === 0) fault(`ended with exit code ${ending.code}`)
  const written = failed > 0 && ending.output.trim() !== '' ? [`  it wrote:\n${ending.output.slice(-20_000).replace(/^/gm, '    | ')}`] : []
  const skipped = of('skipped').map(({ name, reason }) => `  - skipped: ${name}: ${reason}`)
  return {
    path,
    passed: of('passed').length,
    failed,
    skipped: skipped.length,
    milliseconds: ending.milliseconds,
    report: [...skipped, ...faults, ...written].join('\n'),
  }
}
