import { TUNNEL_LANES } from '@deputy/contract/tunnel-wire'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { rawHandler, refuse, type Refusal } from '../http/handler.ts'
import type { Lanes } from './lanes.ts'
import { ticketText, type Exchange } from './ticket-text.ts'

/** Answers the POST of a ticket with its lane. */
export async function exchangeLane(
  lanes: Pick<Lanes, 'take'>,
  exchange: Exchange,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response | Refusal> {
  const ticket = await ticketText(exchange)
  if (typeof ticket !== 'string') return ticket
  const open = lanes.take(ticket)
  if (open === undefined) return refuse('not-found', 'there is no such lane')
  open(exchange.outgoing, headers)
  return RESPONSE_ALREADY_SENT
}

/** Opens a lane by its ticket, which came over the session's own connection. */
export const lane = rawHandler({ method: 'POST', path: TUNNEL_LANES, name: 'tunnel/lane', access: 'anyone', pace: 'none' }, async ({ env }, { tunnel }) =>
  exchangeLane(tunnel.lanes, env),
)
