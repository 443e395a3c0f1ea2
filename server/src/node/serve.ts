import { TUNNEL_BODIES, TUNNEL_BODY, TUNNEL_LANES } from '@deputy/contract/tunnel-wire'
import type { Config } from '../config/schema.ts'
import { answer, isRefusal, refusalAnswer } from '../http/answer.ts'
import { openCors } from '../http/cors.ts'
import type { Serve } from '../http/dispatch.ts'
import type { Limits } from '../http/limits.ts'
import { addressOf } from '../http/address.ts'
import { exchangeTicket, sendBody } from '../tunnel/body.ts'
import { exchangeLane } from '../tunnel/lane.ts'
import type { Lanes } from '../tunnel/lanes.ts'
import type { Tickets } from '../tunnel/tickets.ts'

/** What the HTTP side of a node stands on. */
export interface NodeSiteNeeds {
  readonly config: Config
  readonly tickets: Pick<Tickets, 'take'>
  readonly lanes: Pick<Lanes, 'take'>
  readonly limits: Pick<Limits, 'address'>
  /** Origin of the broker; null while the node has not registered. */
  readonly broker: () => string | null
  readonly health: () => Readonly<Record<string, boolean>>
}

const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const

/** Serves `/livez` and `/readyz` on every host, and on the node's own the bodies of tickets and a page that says what it is. */
export function nodeSite({ config, tickets, lanes, limits, broker, health }: NodeSiteNeeds): Serve {
  const host = new URL(config.node.origin).host
  return async (request, bindings) => {
    const { incoming, outgoing } = bindings
    const path = new URL(request.url).pathname
    if (path === '/livez') return answer({ alive: true })
    if (path === '/readyz') {
      const checks = health()
      const ready = Object.values(checks).every(Boolean)
      return answer({ ready, checks }, ready ? 200 : 503)
    }
    if ((incoming.headers.host ?? '').toLowerCase() !== host) return new Response('this host is not served here\n', { status: 421, headers: plain })
    if ((await limits.address(addressOf(incoming, config.server.proxies))) !== null)
      return new Response('too many requests\n', { status: 429, headers: { ...plain, 'retry-after': '1' } })
    const origin = broker()
    if (request.method === 'POST' && path === TUNNEL_BODY) {
      const from = incoming.headers.origin
      const found = await exchangeTicket(tickets, bindings, from === origin ? undefined : from, openCors)
      return isRefusal(found) ? refusalAnswer(found, openCors) : found
    }
    const cors: Record<string, string> = origin === null ? {} : { 'access-control-allow-origin': origin, vary: 'origin' }
    if (request.method === 'POST' && path === TUNNEL_LANES) {
      const found = await exchangeLane(lanes, bindings, cors)
      return isRefusal(found) ? refusalAnswer(found, cors) : found
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return new Response('only GET\n', { status: 405, headers: { ...plain, ...cors, allow: 'GET' } })
    if (path === '/') return new Response(about(origin, config.node.contact), { headers: plain })
    const ticket = request.method === 'GET' && path.startsWith(TUNNEL_BODIES) ? path.slice(TUNNEL_BODIES.length) : ''
    const found = ticket === '' ? undefined : tickets.take(ticket, 'path')
    return found === undefined ? new Response('there is nothing here\n', { status: 404, headers: { ...plain, ...cors } }) : sendBody(found, outgoing, cors)
  }
}

const about = (broker: string | null, contact: string): string =>
  [
    `This is a tunnel node${broker === null ? '' : ` of ${broker}`}: apps of people who have an account there reach the internet from this address.`,
    ...(contact === '' ? [] : [`Contact: ${contact}`]),
    '',
  ].join('\n')
