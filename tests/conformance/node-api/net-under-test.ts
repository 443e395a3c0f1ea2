import type { AddressInfo, Server, ServerOpts, Socket } from 'node:net'
import type * as nodeNet from 'node:net'

/** What the suite of `net` runs on: the module that connects, the module that listens, and where. */
export interface NetUnderTest {
  readonly name: string
  readonly client: typeof nodeNet
  readonly server: typeof nodeNet
  readonly host: string
}

const eventNames = ['lookup', 'connect', 'ready', 'data', 'end', 'finish', 'timeout', 'error', 'close'] as const
/** Writes down the events of a socket. */
export function written(socket: Socket, into: string[] = [], isFlowing = true): string[] {
  for (const name of eventNames) {
    if (name === 'data' && !isFlowing) continue
    socket.on(name, (...of: unknown[]) => {
      const [first] = of
      const detail = name === 'data' ? String(first) : name === 'close' ? String(first) : name === 'error' ? String((first as NodeJS.ErrnoException).code) : ''
      into.push(detail === '' ? name : `${name} ${detail}`)
    })
  }
  return into
}
/** Resolves once it is closed. */
export const closed = (socket: Socket | Server): Promise<void> => new Promise(resolve => void socket.once('close', () => resolve()))
/** The first argument of the next event of that name. */
export const eventOf = async <T>(of: NodeJS.EventEmitter, name: string): Promise<T> => {
  const { promise, resolve } = Promise.withResolvers<T>()
  of.once(name, resolve)
  return promise
}
/** What every case of `net` begins with. */
export interface NetScene {
  readonly title: (text: string) => string
  /** Runs with a server that listens, and lets everything go afterwards. */
  readonly served: (options: ServerOpts, accept: (socket: Socket) => void, use: (port: number, server: Server) => Promise<void>) => Promise<void>
  readonly connect: (port: number, options?: Partial<nodeNet.TcpNetConnectOpts>) => Socket
}

/** The scene of the modules under test. */
export function netScene(under: () => NetUnderTest, name: string): NetScene {
  const title = (text: string): string => `LIB-13: ${name}: ${text}`
  async function served(options: ServerOpts, accept: (socket: Socket) => void, use: (port: number, server: Server) => Promise<void>): Promise<void> {
    const { server: module, host } = under()
    const server = module.createServer(options, accept)
    const sockets = new Set<Socket>()
    server.on('connection', socket => sockets.add(socket))
    server.listen(0, host)
    await eventOf(server, 'listening')
    try {
      await use((server.address() as AddressInfo).port, server)
    } finally {
      for (const socket of sockets) socket.destroy()
      if (server.listening) {
        server.close()
        await closed(server)
      }
    }
  }
  const connect = (port: number, options: Partial<nodeNet.TcpNetConnectOpts> = {}): Socket => under().client.connect({ port, host: under().host, ...options })
  return { title, served, connect }
}
