import type { RequestListener, Server, ServerOptions } from 'node:http'
import type * as nodeNet from 'node:net'
import type { HttpUnderTest } from './http-suite.ts'

/** What every case of a server of `http` begins with. */
export interface HttpServerScene {
  readonly title: (words: string) => string
  /** Runs with a server that listens, and lets everything go afterwards. */
  readonly served: (options: ServerOptions, listener: RequestListener, use: (port: number, server: Server) => Promise<void>) => Promise<void>
  /** What a server answers to raw bytes until it closes; with `until`, the connection is closed once that was answered. */
  readonly rawly: (port: number, bytes: string, until?: RegExp) => Promise<string>
}

export const closing = 'Connection: close\r\n'
/** A request as it is sent. */
export const getOf = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`

/** The scene of the modules under test. */
export function httpServerScene(under: () => HttpUnderTest, name: string): HttpServerScene {
  const title = (words: string): string => `LIB-13: ${name}: ${words}`
  const served: HttpServerScene['served'] = async (options, listener, use) => {
    const server = under().server.createServer(options, listener)
    await new Promise<void>(resolve => void server.listen(0, under().host, resolve))
    try {
      await use((server.address() as nodeNet.AddressInfo).port, server)
    } finally {
      const over = new Promise(resolve => void server.close(resolve))
      server.closeAllConnections()
      await over
    }
  }
  const rawly: HttpServerScene['rawly'] = (port, bytes, until) =>
    new Promise(resolve => {
      const socket = under().raw.connect(port, under().host)
      let all = ''
      socket.on('data', data => {
        all += data.toString('latin1')
        if (until?.test(all) === true) socket.destroy()
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(all))
      socket.write(bytes, 'latin1')
    })
  return { title, served, rawly }
}
