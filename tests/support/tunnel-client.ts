import { openTunnel } from '@deputy/contract/api-tunnel'
import { TUNNEL_PATH, TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { dialTunnel, FRAME, toJson, type Dial, type DialOptions, type Stream, type StreamEnd } from '@deputy/tunnel'
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

/** Opens a stream to a port of the node's machine. */
export const openTo = (dial: Dial, port: number): Stream => dial.session.open(FRAME.open, toJson({ host: '127.0.0.1', port }))

/** Sends bytes to a port of the node's machine and ends; answers all that came back, or the code it broke with. */
export const sendTo = (dial: Dial, port: number, sent: Uint8Array<ArrayBuffer>): Promise<Buffer | string> =>
  new Promise(resolve => {
    const stream = openTo(dial, port)
    const back: Uint8Array[] = []
    stream.hear({
      data: bytes => {
        back.push(bytes)
        stream.consumed(bytes.byteLength)
      },
      end: () => resolve(Buffer.concat(back)),
      reset: ({ code }) => resolve(code),
    })
    stream.write(sent)
    stream.end()
  })

/** Sends so many bytes; answers how many came back, or the code it broke with. */
export async function exchangeBytes(dial: Dial, port: number, count: number): Promise<number | string> {
  const back = await sendTo(dial, port, new Uint8Array(count))
  return typeof back === 'string' ? back : back.byteLength
}
