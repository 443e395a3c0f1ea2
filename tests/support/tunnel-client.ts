import { openTunnel } from '@deputy/contract/api-tunnel'
import { TUNNEL_PATH, TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { dialTunnel, type Dial, type StreamEnd } from '@deputy/tunnel'
import { WebSocket } from 'ws'
import type { TestServer } from './start-test-server.ts'

/** Dials the server's node with a session of an app. */
export function dialServer(server: TestServer, session: string, over: (why: StreamEnd) => void = () => undefined): Dial {
  return dialTunnel({
    token: async () => {
      const { answer } = await server.call(openTunnel, {}, session)
      if (answer === undefined) throw new Error('no token')
      return answer.token
    },
    socket: () =>
      new WebSocket(`ws://127.0.0.1:${server.port}${TUNNEL_PATH}`, TUNNEL_PROTOCOL, {
        headers: { host: new URL(server.origins.api).host },
      }),
    incoming: stream => stream.reset({ code: 'ECONNRESET' }),
    over,
  })
}
