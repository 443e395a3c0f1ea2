import type { IncomingMessage, ServerResponse } from 'node:http'
import { TUNNEL_LANES } from '@deputy/contract/tunnel-wire'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { readBody } from '../http/body.ts'
import { rawHandler, refuse, type Refusal } from '../http/handler.ts'
import type { Lanes } from './lanes.ts'

const ticketLimits = { body: 256, bodyTime: 10_000 } as const

/** Answers the POST of a ticket with its lane. */
export async function exchangeLane(
  lanes: Pick<Lanes, 'take'>,
  { incoming, outgoing }: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse },
  headers: Readonly<Record<string, string>> = {},
): Promise<Response | Refusal> {
  const said = await readBody(incoming, ticketLimits)
  if (!Buffer.isBuffer(said)) {
    outgoing.setHeader('connection', 'close')
    return said
  }
  const open = lanes.take(said.toString('latin1'))
  if (open === undefined) return refuse('not-found', 'there is no such lane')
  open(outgoing, headers)
  return RESPONSE_ALREADY_SENT
}

/** Opens a lane by its ticket, which came over the session's own connection. */
export const lane = rawHandler({ method: 'POST', path: TUNNEL_LANES, name: 'tunnel/lane', access: 'anyone', pace: 'none' }, async ({ env }, { tunnel }) =>
  exchangeLane(tunnel.lanes, env),
)
