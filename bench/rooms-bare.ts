// A bare `ws` server that calls send() for each member: the first message of a socket names its room, every other is handed to all in it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

const server = createServer()
const sockets = new WebSocketServer({ server, perMessageDeflate: false })
const rooms = new Map<string, Set<WebSocket>>()
sockets.on('connection', socket => {
  let room: Set<WebSocket> | undefined
  socket.on('message', data => {
    const text = (data as Buffer).toString()
    if (room === undefined) {
      room = rooms.get(text) ?? new Set()
      rooms.set(text, room.add(socket))
      return
    }
    for (const member of room) member.send(text)
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`))
