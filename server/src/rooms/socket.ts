import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { ROOM_CLOSE, ROOMS_PATH } from '@deputy/contract/room-wire'
import { type WebSocket, WebSocketServer } from 'ws'
import { addressOf } from '../http/address.ts'
import { callerOf } from '../http/cors.ts'
import { makeLimits } from '../http/limits.ts'
import type { Upgrade } from '../http/listen.ts'
import { liveWebSockets, upgradeBy, type Take } from '../http/web-sockets.ts'
import type { Services } from '../services.ts'
import type { RoomService } from './service.ts'
import type { Wire } from './wire.ts'

const frameRoom = 8192
const small = 16_384

/** The sockets of the rooms. */
export interface RoomSockets {
  /** Answers an upgrade request of the port. */
  readonly upgrade: Upgrade
  close(): void
}

/** Writes whole frames, built once for all members, past the library and at frame borders. */
class SocketWire implements Wire {
  readonly #socket: WebSocket
  readonly #raw: Duplex
  constructor(socket: WebSocket, raw: Duplex) {
    this.#socket = socket
    this.#raw = raw
  }

  write(frames: readonly Buffer[]): void {
    const [first] = frames
    const raw = this.#raw
    if (!raw.writable || first === undefined) return
    if (frames.length === 1) raw.write(first)
    else if (frames.reduce((sum, frame) => sum + frame.length, 0) <= small) raw.write(Buffer.concat(frames))
    else {
      raw.cork()
      for (const frame of frames) raw.write(frame)
      raw.uncork()
    }
  }

  waiting(): number {
    return this.#raw.writableLength
  }

  close(code: number): void {
    this.#socket.close(code)
  }

  cut(): void {
    this.#socket.terminate()
  }
}

/** Takes WebSockets for the room service, from the broker's pages and from callers that are no browser. */
export function roomSockets({ config, origins, log }: Pick<Services, 'config' | 'origins' | 'log'>, service: Pick<RoomService, 'serve'>): RoomSockets {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    skipUTF8Validation: false,
    maxPayload: config.rooms.messageLargest + frameRoom,
  })
  const limits = makeLimits(config)
  const host = new URL(origins.api).host
  const open = new Map<string, number>()
  const live = liveWebSockets()

  const admit = async (request: IncomingMessage): Promise<number | Take> => {
    if ((request.headers.host ?? '').toLowerCase() !== host) return 421
    if ((request.url ?? '').split('?')[0] !== ROOMS_PATH) return 404
    if (callerOf(request.headers.origin, origins.broker) === 'foreign') return 403
    const address = addressOf(request, config.server.proxies)
    if ((await limits.address(address)) !== null || (open.get(address) ?? 0) >= config.rooms.sockets) return 429
    return (_request, raw, head) => server.handleUpgrade(request, raw, head, socket => take(socket, raw, address))
  }

  const take = (socket: WebSocket, raw: Duplex, address: string): void => {
    open.set(address, (open.get(address) ?? 0) + 1)
    live.add(socket)
    const connection = service.serve(new SocketWire(socket, raw))
    raw.on('drain', () => connection.drained())
    socket.on('message', (data, isBinary) => {
      if (isBinary || !Buffer.isBuffer(data)) connection.leave(ROOM_CLOSE.malformed)
      else connection.receive(data.toString('utf8'))
    })
    socket.on('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
      connection.closed()
    })
  }

  return { upgrade: upgradeBy(admit, log), close: live.close }
}
