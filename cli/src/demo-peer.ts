import { createSocket } from 'node:dgram'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { answerPage } from './demo-pages.ts'
import { serveStore } from './demo-store.ts'

/** Ports of the peer, all at `127.0.0.1`. */
export interface DemoPorts {
  readonly http: number
  /** TCP: a little store that is spoken to by lines. */
  readonly store: number
  /** TCP: takes everything and says nothing. */
  readonly discard: number
  /** TCP: says something without an end. */
  readonly chargen: number
  /** UDP: sends back what comes. */
  readonly echo: number
}

/** Somebody for the playground's network demo to talk to, on a machine that has nobody else. */
export interface DemoPeer {
  readonly ports: DemoPorts
  /** The places of the peer, for the tunnel's policy to allow: these ports and no others. */
  readonly places: readonly string[]
  close(): Promise<void>
}

const host = '127.0.0.1'
const chunk = Buffer.from(Array.from({ length: 64 * 1024 }, (_, at) => 32 + (at % 95)))

/** Starts the peer on free ports of the loopback address. For development alone: whoever can reach it may use it. */
export async function startDemoPeer(): Promise<DemoPeer> {
  const live = new Set<Socket>()
  const tcp = (serve: (socket: Socket) => void): Server =>
    createServer({ allowHalfOpen: true, noDelay: true }, socket => {
      // A caller that breaks off breaks off.
      socket.on('error', () => undefined)
      serve(socket)
    })
  const servers = {
    http: createHttpServer(answerPage),
    store: tcp(serveStore),
    discard: tcp(socket => socket.resume().on('end', () => socket.end())),
    chargen: tcp(socket => {
      socket.resume().on('end', () => socket.end())
      const fill = (): void => {
        while (socket.writable && socket.write(chunk)) continue
      }
      socket.on('drain', fill)
      fill()
    }),
  }
  for (const server of Object.values<Server>(servers))
    server.on('connection', socket => {
      live.add(socket)
      socket.on('close', () => live.delete(socket))
    })
  const echo = createSocket('udp4')
  echo.on('message', (data, { port, address }) => echo.send(data, port, address))
  const portOf = async (server: Server): Promise<number> => {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
    return (server.address() as AddressInfo).port
  }
  await new Promise<void>((resolve, reject) => echo.once('error', reject).bind(0, host, resolve))
  const ports: DemoPorts = {
    http: await portOf(servers.http),
    store: await portOf(servers.store),
    discard: await portOf(servers.discard),
    chargen: await portOf(servers.chargen),
    echo: echo.address().port,
  }
  return {
    ports,
    places: Object.values<number>({ ...ports }).map(port => `${host}:${port}`),
    close: async () => {
      const closed = Object.values<Server>(servers).map(server => new Promise(resolve => server.close(resolve)))
      for (const socket of live) socket.destroy()
      echo.close()
      await Promise.all(closed)
    },
  }
}
