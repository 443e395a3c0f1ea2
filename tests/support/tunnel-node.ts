import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { TUNNEL_LANES, TUNNEL_PATH, TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { originsOf, readConfig } from '@deputy/server'
import {
  openLanes,
  openMeters,
  openTickets,
  signerFor,
  tokensBy,
  tunnelNode,
  tunnelSockets,
  type Holder,
  type NodeNeeds,
  type Use,
} from '@deputy/server/tunnel'
import { dialTunnel, type Dial, type DialOptions } from '@deputy/tunnel'
import { WebSocket } from 'ws'

/** A tunnel node on a port of its own, as a server holds one. */
export interface TestNode {
  readonly port: number
  /** What was metered so far. */
  readonly uses: Use[]
  readonly sessions: number
  /** Lanes that are open. */
  readonly lanes: number
  token(holder?: Partial<Holder>): string
  /** Dials the node; `cut` breaks the connection, as a lost network does. */
  dial(options?: Partial<DialOptions> & { readonly holder?: Partial<Holder> }): Dial & { cut(): void }
  revoke(ids: readonly string[]): void
  flush(): Promise<void>
  close(): Promise<void>
}

const quiet = { error: () => undefined, warn: () => undefined, info: () => undefined } as never

/** Starts a node that may reach and bind loopback addresses; `host` is the address it is dialled at, `look` how often lanes are looked at (ms). */
export async function startTunnelNode(of: Partial<NodeNeeds> = {}, host = '127.0.0.1', look?: number): Promise<TestNode> {
  const uses: Use[] = []
  const meters = openMeters({ now: Date.now, used: async () => 0, record: async (_day, some) => void uses.push(...some) })
  const tokens = tokensBy(signerFor('a secret of thirty-two characters', 'tunnel'))
  const node = tunnelNode({
    node: 'test',
    tokens,
    tickets: openTickets(),
    meters,
    allowanceOf: () => ({ rate: 0, day: 0, premium: false }),
    now: Date.now,
    lives: async () => true,
    rules: { allow: ['127.0.0.0/8', '::1'], deny: [], ports: ['25'], listen: ['127.0.0.1', '::1'], own: ['api.example'] },
    caps: { sockets: 4096, listeners: 32, udp: 128 },
    sessions: 64,
    hold: 5000,
    connect: 10_000,
    idle: 60_000,
    ...of,
  })
  const lanes = openLanes(look)
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const open = request.url === TUNNEL_LANES ? lanes.take(await text(request)) : undefined
    if (open === undefined) response.writeHead(404).end()
    else open(response)
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const config = readConfig({ file: { limits: { address: 10_000_000 } } })
  const sockets = tunnelSockets({ config, origins: { ...originsOf(config, port), api: origin }, log: quiet }, node, lanes)
  server.on('upgrade', sockets.upgrade)
  const token = (holder: Partial<Holder> = {}): string =>
    tokens.issue({ account: 'ada', app: 'web:https://app.example', node: 'test', session: 's', premium: false, ...holder }, Date.now() + 60_000)
  return {
    port,
    uses,
    get sessions() {
      return node.size
    },
    get lanes() {
      return lanes.open
    },
    token,
    dial: ({ holder, ...options } = {}) => {
      let last: WebSocket | undefined
      const dial = dialTunnel({
        token: async () => token(holder),
        socket: () => (last = new WebSocket(`ws://127.0.0.1:${port}${TUNNEL_PATH}`, TUNNEL_PROTOCOL)),
        incoming: stream => stream.reset({ code: 'ECONNRESET' }),
        over: () => undefined,
        ...options,
      })
      return { ...dial, cut: () => last?.terminate() }
    },
    revoke: ids => node.revoke(ids),
    flush: () => meters.flush(),
    close: async () => {
      node.close()
      sockets.close()
      await meters.close()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
