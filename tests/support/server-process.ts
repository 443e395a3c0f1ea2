import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Origins } from '@deputy/server'
import type { ConfigFile } from './start-test-server.ts'

/** A server in a process of its own. */
export interface ServerProcess {
  readonly pid: number
  readonly port: number
  readonly origins: Origins
  /** What it wrote to standard error: its log. */
  readonly log: string[]
  /** Whether it still runs. */
  alive(): boolean
  /** Ends it with the signal and waits until it is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

/** Starts a server process on a folder, its clock so many ms ahead; resolves once it listens. @throws when it ends before. */
export async function startServerProcess(folder: string, file: ConfigFile = {}, ahead = 0): Promise<ServerProcess> {
  const config = join(folder, 'config.json')
  await writeFile(config, JSON.stringify({ ...file, server: { hosts: ['127.0.0.1'], port: 0, folder: join(folder, 'data'), ...file.server } }))
  const entry = fileURLToPath(new URL('./run-server.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=source', entry], {
    env: { PATH: process.env['PATH'], DEPUTY_CONFIG: config, CLOCK_AHEAD: String(ahead) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const gone = once(child, 'exit')
  const log: string[] = []
  createInterface(child.stderr).on('line', line => log.push(line))
  const first = await Promise.race([once(createInterface(child.stdout), 'line'), gone])
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) throw new Error(`the server ended at its start: ${log.join('\n')}`)
  const { port, origins } = JSON.parse(String(first[0])) as { port: number; origins: Origins }
  return {
    pid: child.pid,
    port,
    origins,
    log,
    alive: () => child.exitCode === null && child.signalCode === null,
    end: async signal => {
      child.kill(signal)
      await gone
    },
  }
}

/** A port that was free a moment ago, for a server that must come back on the same one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('a port was expected')
  return address.port
}
