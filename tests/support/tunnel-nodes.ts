import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { mintNodeSecret } from '@deputy/server/node'
import { freePort } from './server-process.ts'

/** A node as the operator plans it: what the server's configuration lists, and what the node is told. */
export interface PlannedNode {
  readonly id: string
  readonly origin: string
  readonly port: number
  readonly secret: string
  /** Its entry in `tunnel.nodes`. */
  readonly entry: { readonly id: string; readonly origin: string; readonly hash: string }
}

/** Plans a node on a free port of this machine. */
export async function planNode(id: string): Promise<PlannedNode> {
  const port = await freePort()
  const origin = `http://${id}.localhost:${port}`
  const { secret, hash } = mintNodeSecret()
  return { id, origin, port, secret, entry: { id, origin, hash } }
}

/** A node in a process of its own. */
export interface NodeProcess extends AsyncDisposable {
  /** What it wrote to standard error: its log. */
  readonly log: string[]
  /** The code it ended with. */
  readonly ended: Promise<number | null>
  /** Ends it with the signal and waits until it is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

/** Runs `deputy node` for a planned node; it may reach loopback addresses. Resolves once it listens. */
export async function runNode(of: PlannedNode, api: string, env: Readonly<Record<string, string>> = {}): Promise<NodeProcess> {
  const entry = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=source', entry, 'node'], {
    env: {
      PATH: process.env['PATH'],
      DEPUTY_NODE_ID: of.id,
      DEPUTY_NODE_ORIGIN: of.origin,
      DEPUTY_NODE_API: api,
      DEPUTY_NODE_SECRET: of.secret,
      DEPUTY_NODE_TITLE: `Node ${of.id}`,
      DEPUTY_SERVER_PORT: String(of.port),
      DEPUTY_SERVER_HOSTS: '127.0.0.1',
      DEPUTY_TUNNEL_ALLOW: '127.0.0.0/8',
      DEPUTY_TUNNEL_HOLD: '20s',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const gone = once(child, 'exit') as Promise<[number | null]>
  const log: string[] = []
  createInterface(child.stderr).on('line', line => log.push(line))
  await Promise.race([once(createInterface(child.stdout), 'line'), gone])
  if (child.exitCode !== null) throw new Error(`the node ended at its start: ${log.join('\n')}`)
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    child.kill(signal)
    await gone
  }
  return {
    log,
    ended: gone.then(([code]) => code),
    end,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) await end('SIGKILL')
    },
  }
}
