import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runTestFile } from './test-file.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deputy-tools-'))
})
after(() => rm(folder, { recursive: true }))

async function run(source: string, limit = 60_000) {
  const path = join(folder, `${crypto.randomUUID()}.test.ts`)
  await writeFile(path, `import { test, describe } from 'node:test'\n${source}`)
  const { passed, failed, skipped, report } = await runTestFile(path, limit)
  return { counts: { passed, failed, skipped }, report }
}

test('counts what passed, failed and was skipped, with where, why and the reason', async () => {
  const { counts, report } = await run(`
    test('good', () => {})
    test('bad', () => { throw new Error('boom') })
    test('later', { skip: 'needs a moon' }, () => {})
    describe('group', () => { test('inner', () => {}); test('inner bad', () => { throw new Error('crash') }) })`)
  assert.deepEqual(counts, { passed: 2, failed: 2, skipped: 1 })
  assert.match(report, /bad\n.*\.test\.ts:4\n.*boom/)
  assert.match(report, /later: needs a moon/)
  assert.match(report, /inner bad\n/)
})

test('a file without a test fails', async () => {
  const { counts, report } = await run(`console.log('only words')`)
  assert.deepEqual(counts, { passed: 0, failed: 1, skipped: 0 })
  assert.match(report, /no test ran/)
  assert.match(report, /only words/)
})

test('a file that cannot load fails', async () => {
  const { counts, report } = await run(`await import('./absent.ts')`)
  assert.equal(counts.failed, 1)
  assert.match(report, /absent/)
})

test('a file that hangs is ended at its limit, with what it started', async () => {
  const { counts, report } = await run(
    `
    import { spawn } from 'node:child_process'
    test('hangs', async () => { await new Promise(done => spawn('sleep', ['600']).on('exit', done)) })`,
    1000,
  )
  assert.equal(counts.passed, 0)
  assert.ok(counts.failed >= 1)
  assert.match(report, /longer than 1 s/)
})
