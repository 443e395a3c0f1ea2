import { STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { MESSAGE_BYTES } from '@deputy/tunnel'
import { type WebSocket, WebSocketServer } from 'ws'
import { addressOf } from '../http/address.ts'
import { callerOf } from '../http/cors.ts'
import { makeLimits } from '../http/limits.ts'
import type { Services } from '../services.ts'
import type { Sessions } from './sessions.ts'

const pingEvery = 30_000
const helloTime = 10_000

/** The WebSockets of a node. */
export interface TunnelSockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): void
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
  const alive = new Map<WebSocket, boolean>()
  const pings = setInterval(() => {
    for (const [socket, answered] of alive) {
      if (!answered) socket.terminate()
      else {
        alive.set(socket, false)
        socket.ping()
      }
    }
  }, pingEvery)
  pings.unref()

  const admit = async (request: IncomingMessage): Promise<number | undefined> => {
    if ((request.headers.host ?? '').toLowerCase() !== host) return 421
    if (callerOf(request.headers.origin, origins.broker) === 'foreign') return 403
    if (request.headers['sec-websocket-protocol']?.split(',').some(name => name.trim() === TUNNEL_PROTOCOL) !== true) return 400
    return (await limits.address(addressOf(request, config.server.proxies))) === null ? undefined : 429
  }
  const take = (socket: WebSocket): void => {
    alive.set(socket, true)
    const ears = sessions.take({
      send: message => {
        if (socket.readyState === socket.OPEN) socket.send(message, { binary: true })
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
    socket.on('pong', () => alive.set(socket, true))
    // What is wrong with the socket is told by its closing.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(late)
      alive.delete(socket)
      ears.lost()
    })
  }

  return {
    upgrade: (request, socket, head) => {
      socket.on('error', () => socket.destroy())
      admit(request).then(
        refused => {
          if (socket.destroyed) return
          if (refused === undefined) server.handleUpgrade(request, socket, head, take)
          else socket.end(`HTTP/1.1 ${refused} ${STATUS_CODES[refused] ?? ''}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
        },
        () => {
          log.error('upgrade-failed')
          socket.destroy()
        },
      )
    },
    close: () => {
      clearInterval(pings)
      for (const socket of alive.keys()) socket.terminate()
    },
  }
}
