import { createServer, type AddressInfo, type Socket } from 'node:net'

/** Runs a TCP server of the loopback address while it is used; `live` are the connections that are open. */
export async function withPeer(run: (socket: Socket) => void, use: (port: number, live: ReadonlySet<Socket>) => Promise<void>): Promise<void> {
  const live = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
    live.add(socket)
    socket.on('close', () => live.delete(socket))
    socket.on('error', () => socket.destroy())
    run(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', 4096, resolve))
  try {
    await use((server.address() as AddressInfo).port, live)
  } finally {
    for (const socket of live) socket.destroy()
    await new Promise(resolve => server.close(resolve))
  }
}
