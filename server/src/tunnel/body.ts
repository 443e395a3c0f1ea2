import type { ServerResponse } from 'node:http'
import { TUNNEL_BODIES, TUNNEL_BODY } from '@deputy/contract/tunnel-wire'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { rawHandler, refuse, type Refusal } from '../http/handler.ts'
import { giverOf } from './lent.ts'
import { ticketText, type Exchange } from './ticket-text.ts'
import type { Tickets, WaitingBody } from './tickets.ts'

/** Bytes that may wait to leave. */
const aheadMost = 512 * 1024
const noBody = refuse('not-found', 'there is no such body')

/**
 * Streams a body as the answer, as fast as its reader takes it and its account may have it. A body that breaks breaks the answer off, so that nobody takes
 * what came for all of it; a reader that goes away ends the body.
 */
export function sendBody({ body, length, passed }: WaitingBody, outgoing: ServerResponse, headers: Readonly<Record<string, string>> = {}): Response {
  outgoing.writeHead(200, {
    'content-type': 'application/octet-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(length === undefined ? {} : { 'content-length': length }),
    ...headers,
  })
  let held: NodeJS.Timeout | undefined
  const goOn = (): void => {
    if (held === undefined && outgoing.writableLength <= aheadMost) body.resume()
  }
  body.on('data', (chunk: Buffer) => {
    const wait = passed(chunk.byteLength)
    outgoing.write(chunk, giverOf(chunk))
    if (wait > 0) {
      body.pause()
      clearTimeout(held)
      held = setTimeout(() => {
        held = undefined
        goOn()
      }, wait)
    } else if (outgoing.writableLength > aheadMost) body.pause()
  })
  body.on('end', () => outgoing.end())
  body.on('error', () => outgoing.destroy())
  body.on('close', () => {
    clearTimeout(held)
    if (!body.readableEnded) outgoing.destroy()
  })
  outgoing.on('drain', goOn)
  outgoing.on('close', () => body.destroy())
  return RESPONSE_ALREADY_SENT
}

/** Answers the POST of a ticket with its body; an empty one with nothing, as a sign that the node is reached. `origin` as of `Presented`. */
export async function exchangeTicket(
  tickets: Pick<Tickets, 'take'>,
  exchange: Exchange,
  origin: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response | Refusal> {
  const ticket = await ticketText(exchange)
  if (typeof ticket !== 'string') return ticket
  if (ticket === '') return new Response(null, { status: 204, headers: { 'cache-control': 'no-store', ...headers } })
  const found = tickets.take(ticket, { origin })
  return found === undefined ? noBody : sendBody(found, exchange.outgoing, headers)
}

/** The body of a ticket, once. Whoever holds the ticket was told it within a session. */
export const body = rawHandler(
  { method: 'GET', path: `${TUNNEL_BODIES}:ticket`, name: 'tunnel/body', access: 'anyone', pace: 'none' },
  async (request, { tunnel }) => {
    const found = tunnel.tickets.take(request.req.param('ticket') ?? '', 'path')
    return found === undefined ? noBody : sendBody(found, request.env.outgoing)
  },
)

/** The same for the app's own pages and the broker's, which keep the ticket out of the url. */
export const bodyByTicket = rawHandler(
  { method: 'POST', path: TUNNEL_BODY, name: 'tunnel/body-by-ticket', access: 'anyone', pace: 'none', callers: 'any' },
  async ({ env }, { tunnel, origins }) => {
    const { origin } = env.incoming.headers
    return exchangeTicket(tunnel.tickets, env, origin === origins.broker ? undefined : origin)
  },
)
