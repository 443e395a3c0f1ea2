import { openTunnel } from '@deputy/contract/api-tunnel'
import { TUNNEL_PATH, TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { dialTunnel, type Dial, type DialOptions, type StreamEnd } from '@deputy/tunnel'
import { WebSocket } from 'ws'
import type { TestServer } from './start-test-server.ts'

/** Dials a node at a port of this machine. */
export const dialAt = (
  { port, origin }: { readonly port: number; readonly origin: string },
  token: DialOptions['token'],
  options: Partial<DialOptions> = {},
): Dial =>
  dialTunnel({
    token,
    socket: () => new WebSocket(`ws://127.0.0.1:${port}${TUNNEL_PATH}`, TUNNEL_PROTOCOL, { headers: { host: new URL(origin).host } }),
    incoming: stream => stream.reset({ code: 'ECONNRESET' }),
    over: () => undefined,
    ...options,
  })

/** Dials the server's node with a session of an app. */
export function dialServer(
  server: TestServer,
  session: string,
  over: (why: StreamEnd) => void = () => undefined,
  token = async (): Promise<string> => {
    const { answer } = await server.call(openTunnel, { node: 'local', only: true }, session)
    if (answer === undefined) throw new Error('no token')
    return answer.token
  },
): Dial {
  return dialAt({ port: server.port, origin: server.origins.api }, token, { over })
}
