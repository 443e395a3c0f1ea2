import type { IncomingMessage } from 'node:http'
import { TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { MESSAGE_BYTES } from '@deputy/tunnel'
import { addressOf } from '../http/address.ts'
import { callerOf } from '../http/cors.ts'
import { makeLimits } from '../http/limits.ts'
import type { Upgrade } from '../http/listen.ts'
import { liveSockets, upgradeBy, type Take } from '../http/web-sockets.ts'
import type { Services } from '../services.ts'
import type { Lanes } from './lanes.ts'
import type { Sessions } from './sessions.ts'
import { asksForWebSocket, webSocketLine, type WebSocketLine } from './web-socket.ts'

const helloTime = 10_000

/** The WebSockets of a node. */
export interface TunnelSockets {
  readonly upgrade: Upgrade
  close(): void
}

/** Takes WebSockets for the sessions, from the broker's pages and from callers that are no browser. */
export function tunnelSockets(
  { config, origins, log }: Pick<Services, 'config' | 'origins' | 'log'>,
  sessions: Pick<Sessions, 'take'>,
  lanes: Pick<Lanes, 'beside'>,
): TunnelSockets {
  const limits = makeLimits(config)
  const host = new URL(origins.api).host
  const live = liveSockets<WebSocketLine>()

  const admit = async (request: IncomingMessage): Promise<number | Take> => {
    if ((request.headers.host ?? '').toLowerCase() !== host) return 421
    if (callerOf(request.headers.origin, origins.broker) === 'foreign') return 403
    if (!asksForWebSocket(request) || request.headers['sec-websocket-protocol']?.split(',').some(name => name.trim() === TUNNEL_PROTOCOL) !== true) return 400
    return (await limits.address(addressOf(request, config.server.proxies))) === null ? take : 429
  }
  const take: Take = (request, raw, head) => {
    let begun = false
    const line: WebSocketLine = webSocketLine(request, raw, head, TUNNEL_PROTOCOL, MESSAGE_BYTES, {
      message: parts => {
        begun = true
        if (!laned.hears(parts)) carrier.message(...parts)
      },
      answered: () => live.answered(line),
      closed: () => {
        clearTimeout(late)
        live.gone(line)
        laned.lost()
        carrier.lost()
      },
    })
    const laned = lanes.beside(line)
    const carrier = sessions.take(laned)
    const late = setTimeout(() => begun || line.terminate(), helloTime)
    live.add(line)
  }

  return { upgrade: upgradeBy(admit, log), close: live.close }
}
