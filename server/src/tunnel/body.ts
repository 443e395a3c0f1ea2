import { TUNNEL_BODIES } from '@deputy/contract/tunnel-wire'
import { rawHandler, refuse } from '../http/handler.ts'
import type { Tickets } from './tickets.ts'

/** The answer that streams a body. */
export const bodyAnswer = ({ stream, length }: NonNullable<ReturnType<Tickets['take']>>, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(stream, {
    headers: {
      'content-type': 'application/octet-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(length === undefined ? {} : { 'content-length': String(length) }),
      ...headers,
    },
  })

/** The body of a ticket, once. Whoever holds the ticket was told it within a session. */
export const body = rawHandler(
  { method: 'GET', path: `${TUNNEL_BODIES}:ticket`, name: 'tunnel/body', access: 'anyone', pace: 'none' },
  async (request, { tunnel }) => {
    const found = tunnel.tickets.take(request.req.param('ticket') ?? '')
    return found === undefined ? refuse('not-found', 'there is no such body') : bodyAnswer(found)
  },
)
