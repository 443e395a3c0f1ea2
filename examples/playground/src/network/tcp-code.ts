import { connect } from '@deputy/client/net'

export interface Heard {
  connected(): void
  data(bytes: Uint8Array): void
  /** The other side has ended its half; ours goes on. */
  ended(): void
  failed(error: Error): void
  closed(): void
}

/** A TCP connection, in the shape of Node’s own `net`. */
export function dial(host: string, port: number, heard: Heard) {
  const socket = connect({ host, port, allowHalfOpen: true })
  socket.on('connect', heard.connected)
  socket.on('data', heard.data)
  socket.on('end', heard.ended)
  socket.on('error', heard.failed)
  socket.on('close', heard.closed)
  return socket
}
