import { once } from 'node:events'
import type * as nodeHttps from 'node:https'
import type { AddressInfo } from 'node:net'
import type * as nodeNet from 'node:net'
import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls'
import type * as nodeTls from 'node:tls'
import { authority, server as serverOf, type Issued, type Press } from '../../support/certificates.ts'

/** What the suite of `tls` runs on: the client's modules. Servers are Node's. */
export interface TlsUnderTest {
  readonly tls: typeof nodeTls
  readonly net: typeof nodeNet
  readonly https: typeof nodeHttps
}

/** Where the servers listen. */
export const host = '127.0.0.9'

/** What every case begins with: an authority and a server of it. */
export interface Trust {
  readonly root: Issued
  readonly server: Issued
  readonly person: Issued
}
export function trustOf(press: Press): Trust {
  const root = press.issue({ name: 'Root of the suite', extensions: authority })
  return {
    root,
    server: press.issue({ name: 'server', by: root, extensions: serverOf('DNS:server.test', 'DNS:*.wild.test', `IP:${host}`) }),
    person: press.issue({ name: 'person', by: root, extensions: ['extendedKeyUsage=clientAuth'] }),
  }
}

/** Runs a server of Node's while it is used; whatever fails at its end is written down, not thrown. */
export async function serving(
  options: TlsOptions,
  accept: (socket: TLSSocket) => void,
  use: (port: number, seen: { readonly faults: string[] }, server: Server) => Promise<void>,
): Promise<void> {
  const faults: string[] = []
  const server = createServer(options, socket => {
    socket.on('error', (error: NodeJS.ErrnoException) => faults.push(error.code ?? error.message))
    accept(socket)
  })
  const sockets = new Set<nodeNet.Socket>()
  server.on('connection', (socket: nodeNet.Socket) => sockets.add(socket))
  server.on('tlsClientError', (error: NodeJS.ErrnoException) => faults.push(error.code ?? error.message))
  server.listen(0, host)
  await once(server, 'listening')
  try {
    await use((server.address() as AddressInfo).port, { faults }, server)
  } finally {
    for (const socket of sockets) socket.destroy()
    const over = once(server, 'close')
    server.close()
    await over
  }
}

/** How a connection came about: secured, or the code it failed with. */
export function outcome(socket: TLSSocket): Promise<'secure' | NodeJS.ErrnoException> {
  return new Promise(resolve => {
    socket.once('secureConnect', () => resolve('secure'))
    socket.once('error', resolve)
  })
}
export const closed = (socket: nodeNet.Socket): Promise<void> =>
  socket.closed ? Promise.resolve() : new Promise(resolve => void socket.once('close', () => resolve()))
export const textOf = async (socket: AsyncIterable<unknown>): Promise<string> => {
  let all = ''
  for await (const part of socket) all += String(part)
  return all
}
