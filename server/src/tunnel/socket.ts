import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { MESSAGE_BYTES, type Message } from '@deputy/tunnel'
import { type WebSocket, WebSocketServer } from 'ws'
import { addressOf } from '../http/address.ts'
import { callerOf } from '../http/cors.ts'
import { makeLimits } from '../http/limits.ts'
import type { Upgrade } from '../http/listen.ts'
import { liveSockets, upgradeBy } from '../http/web-sockets.ts'
import type { Services } from '../services.ts'
import type { Sessions } from './sessions.ts'

const helloTime = 10_000

/** The WebSockets of a node. */
export interface TunnelSockets {
  readonly upgrade: Upgrade
  close(): void
}

/** Sends a message as one binary WebSocket frame, its parts from where they are: the library would have to copy them into one piece. */
function sendFrame(raw: Duplex, { parts, bytes }: Message): void {
  let header: Buffer
  if (bytes < 126) header = Buffer.from([0x82, bytes])
  else if (bytes < 65_536) header = Buffer.from([0x82, 126, bytes >> 8, bytes & 0xff])
  else {
    header = Buffer.alloc(10)
    header[0] = 0x82
    header[1] = 127
    header.writeUInt32BE(bytes, 6)
  }
  raw.cork()
  raw.write(header)
  for (const part of parts) raw.write(part)
  raw.uncork()
}

/** Takes WebSockets for the sessions, from the broker's pages and from callers that are no browser. */
export function tunnelSockets({ config, origins, log }: Pick<Services, 'config' | 'origins' | 'log'>, sessions: Pick<Sessions, 'take'>): TunnelSockets {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES,
    handleProtocols: protocols => (protocols.has(TUNNEL_PROTOCOL) ? TUNNEL_PROTOCOL : false),
  })
  const limits = makeLimits(config)
  const host = new URL(origins.api).host
  const live = liveSockets()

  const admit = async (request: IncomingMessage, raw: Duplex): Promise<number | ((socket: WebSocket) => void)> => {
    if ((request.headers.host ?? '').toLowerCase() !== host) return 421
    if (callerOf(request.headers.origin, origins.broker) === 'foreign') return 403
    if (request.headers['sec-websocket-protocol']?.split(',').some(name => name.trim() === TUNNEL_PROTOCOL) !== true) return 400
    return (await limits.address(addressOf(request, config.server.proxies))) === null ? socket => take(socket, raw) : 429
  }
  const take = (socket: WebSocket, raw: Duplex): void => {
    live.add(socket)
    const ears = sessions.take({
      send: message => {
        if (socket.readyState === socket.OPEN) sendFrame(raw, message)
      },
      close: () => socket.close(),
    })
    let begun = false
    const late = setTimeout(() => begun || socket.terminate(), helloTime)
    socket.on('message', (data, isBinary) => {
      begun = true
      if (!isBinary || !Buffer.isBuffer(data)) return socket.terminate()
      ears.message(data as Buffer<ArrayBuffer>)
    })
    socket.on('close', () => {
      clearTimeout(late)
      ears.lost()
    })
  }

  return { upgrade: upgradeBy(server, admit, log), close: live.close }
}
