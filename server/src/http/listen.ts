import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { Config } from '../config/schema.ts'
import type { Serve } from './dispatch.ts'

/** The port is in use. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken'
  constructor(port: number, host: string) {
    super(`port ${port} on ${host} is in use: stop the program that holds it, or name another port in DEPUTY_SERVER_PORT`)
  }
}

/** Answers requests to become a WebSocket. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** The open port. */
export interface Listening {
  readonly port: number
  /** Puts the answering side in place; before it every request is answered 503, and every WebSocket is refused. */
  serve(by: Serve, upgrade: Upgrade): void
  /** Takes no more connections, lets requests in flight finish, and cuts what remains after `deadline` ms. */
  close(deadline: number): Promise<void>
}

interface Port {
  readonly server: Server
  readonly connections: ReadonlySet<Socket>
}

/** Opens one port on every configured address that the machine has. @throws {PortTaken} */
export async function listen({ server: { port, hosts } }: Config): Promise<Listening> {
  let by: Serve = () => new Response('starting\n', { status: 503, headers: { 'retry-after': '1' } })
  let upgrade: Upgrade = (_request, socket) => socket.destroy()
  let closing = false
  const listener = getRequestListener(
    (request, bindings) => {
      const own = bindings as HttpBindings
      if (closing) own.outgoing.setHeader('connection', 'close')
      return by(request, own)
    },
    { overrideGlobalObjects: false },
  )
  const servers: Port[] = []
  let taken = port
  const closeAll = async (deadline: number): Promise<void> => {
    closing = true
    await Promise.all(servers.map(one => closeOne(one, deadline)))
  }
  for (const host of hosts) {
    const server = createServer(
      {
        maxHeaderSize: 16_384,
        headersTimeout: 15_000,
        requestTimeout: 15 * 60_000,
        keepAliveTimeout: 65_000,
        connectionsCheckingInterval: 5000,
        noDelay: true,
      },
      (incoming, outgoing) => {
        void listener(incoming, outgoing)
      },
    )
    const connections = new Set<Socket>()
    server.on('connection', socket => {
      connections.add(socket)
      socket.once('close', () => connections.delete(socket))
    })
    server.on('upgrade', (request, socket, head) => {
      if (closing) socket.destroy()
      else upgrade(request, socket, head)
    })
    try {
      server.listen(taken, host)
      await once(server, 'listening')
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      // A machine without this address family serves on the other.
      if ((code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') && hosts.length > 1) continue
      await closeAll(0)
      throw code === 'EADDRINUSE' ? new PortTaken(taken, host) : error
    }
    servers.push({ server, connections })
    taken = (server.address() as AddressInfo).port
  }
  if (servers.length === 0) throw new Error(`none of the addresses ${hosts.join(', ')} can be listened on`)
  return {
    port: taken,
    serve: (next, nextUpgrade) => {
      by = next
      upgrade = nextUpgrade
    },
    close: closeAll,
  }
}

function closeOne({ server, connections }: Port, deadline: number): Promise<void> {
  const letGo = (): void => {
    server.closeIdleConnections()
    // Browsers open some ahead of need; for `node:http` those are no idle ones.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }
  return new Promise(resolve => {
    // A connection that was busy when the port closed stays open for its next request; it is let go as soon as it is idle.
    const idle = setInterval(letGo, 50)
    const cut = setTimeout(() => server.closeAllConnections(), deadline)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(cut)
      resolve()
    })
    letGo()
  })
}
