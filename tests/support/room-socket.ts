import { once } from 'node:events'
import type { Origins } from '@deputy/server'
import { ROOMS_PATH } from '@deputy/contract/room-wire'
import { WebSocket } from 'ws'
import { roomClient, type RoomClient } from './room-client.ts'

/** A client on a real socket. */
export interface SocketClient extends RoomClient {
  readonly socket: WebSocket
  /** The close code, once the socket is closed. */
  readonly closed: Promise<number>
}

/** Where a server listens. */
export type Listening = { readonly port: number; readonly origins: Origins }

/** Opens a raw socket to the rooms of a server, as the broker's pages do unless another origin is said. */
export const roomSocket = ({ port, origins }: Listening, origin = origins.broker): WebSocket =>
  new WebSocket(`ws://127.0.0.1:${port}${ROOMS_PATH}`, { headers: { host: new URL(origins.api).host, origin }, perMessageDeflate: false })

/** Opens a socket and says hello; resolves once welcomed. @throws when the server closes it before. */
export async function connectRooms(
  server: Listening,
  { app = 'web:https://chat.example', token }: { app?: string; token?: string } = {},
): Promise<SocketClient> {
  const socket = roomSocket(server)
  const closed = new Promise<number>(resolve => {
    socket.on('close', resolve)
  })
  socket.on('error', () => undefined)
  const client = Object.assign(
    roomClient(text => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    }),
    { socket, closed },
  )
  const welcomed = new Promise<void>((resolve, reject) => {
    socket.on('message', data => {
      client.take((data as Buffer).toString('utf8'))
      if (client.challenge !== '') resolve()
    })
    void closed.then(code => reject(new Error(`the socket was closed with ${code}`)))
  })
  welcomed.catch(() => undefined)
  await Promise.race([once(socket, 'open'), closed])
  if (socket.readyState !== WebSocket.OPEN) throw new Error('the socket was refused')
  socket.send(JSON.stringify({ type: 'hello', app, ...(token === undefined ? {} : { token }) }))
  await welcomed
  return client
}
