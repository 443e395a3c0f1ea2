import { createServer, type Socket } from '@deputy/client/net'

export interface Told {
  listening(address: string, port: number): void
  connection(socket: Socket): void
  failed(error: Error): void
  closed(): void
}

/** Accepts connections on the node: a page that is a server. Without a port any free one is taken. */
export function listen(port: number, told: Told) {
  const server = createServer({ allowHalfOpen: true }, told.connection)
  server.on('error', told.failed)
  server.on('close', told.closed)
  server.listen(port, () => {
    const at = server.address()
    if (at !== null) told.listening(at.address, at.port)
  })
  return server
}
