import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServerProcess } from '../tests/support/server-process.ts'
import { callServer, fetchFrom, type ConfigFile, type TestServer } from '../tests/support/start-test-server.ts'

/** A server in a process of its own, as it runs anywhere: in that of a bench its memory would be collected together with a bundler's. */
export async function serverApart(file: ConfigFile): Promise<Pick<TestServer, 'port' | 'origins' | 'call' | 'fetch' | 'close'>> {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-bench-'))
  const { port, origins, end } = await startServerProcess(folder, file)
  return {
    port,
    origins,
    fetch: (url, options) => fetchFrom(port, url, options),
    call: (route, body, token) => callServer({ port, origins }, route, body, token),
    close: async () => {
      await end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
