import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

// The longest test of this package, 5 to 20 s.
test('a stream of 2 GiB is sealed and opened at once within 64 MiB more memory', async context => {
  const size = 2 ** 31
  const script = fileURLToPath(new URL('memory-run.test-support.ts', import.meta.url))
  const { stdout } = await run(process.execPath, ['--conditions=source', script, String(size)])
  const { read, seconds, rss, buffers } = JSON.parse(stdout) as Record<'read' | 'seconds' | 'rss' | 'buffers', number>
  context.diagnostic(`${seconds.toFixed(1)} s, ${rss.toFixed(0)} MiB more resident, ${buffers.toFixed(0)} MiB of it buffers`)
  assert.equal(read, size)
  assert.ok(rss < 64, `${rss} MiB more resident`)
  assert.ok(buffers < 32, `${buffers} MiB more in buffers`)
})
