import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { readConfig, startServer } from '@deputy/server'
import type { ConfigFile } from './start-test-server.ts'

/** Starts a server on the folder of a process that has ended, 25 hours later, for the rest of the test; one sweep leaves nothing to the next. */
export async function startDayLater(t: TestContext, folder: string, file: ConfigFile): ReturnType<typeof startServer> {
  const server = { ...file.server, hosts: ['127.0.0.1'], folder: join(folder, 'data') }
  const later = await startServer(readConfig({ file: { ...file, server } }), { clock: { now: () => Date.now() + 25 * 3_600_000 }, logTo: () => {} })
  t.after(() => later.close())
  await later.sweep()
  assert.deepEqual(await later.sweep(), { expired: 0, cleared: 0, strays: 0, missing: 0 })
  return later
}
