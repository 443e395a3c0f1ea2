import { rawHandler, refuse } from '../http/handler.ts'

/** The body of a ticket, once. Whoever holds the ticket was told it within a session. */
export const body = rawHandler(
  { method: 'GET', path: '/v1/tunnel/bodies/:ticket', name: 'tunnel/body', access: 'anyone', pace: 'none' },
  async (request, { tunnel }) => {
    const found = tunnel.tickets.take(request.req.param('ticket') ?? '')
    if (found === undefined) return refuse('not-found', 'there is no such body')
    return new Response(found.stream, {
      headers: {
        'content-type': 'application/octet-stream',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        ...(found.length === undefined ? {} : { 'content-length': String(found.length) }),
      },
    })
  },
)
