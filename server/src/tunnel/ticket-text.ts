import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody } from '../http/body.ts'
import type { Refusal } from '../http/handler.ts'

/** A request with its answer, as they came. */
export interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

const limits = { body: 256, bodyTime: 10_000 } as const

/** The ticket that is the text of a POST, or why it was not read: then the connection is not used again. */
export async function ticketText({ incoming, outgoing }: Exchange): Promise<string | Refusal> {
  const said = await readBody(incoming, limits)
  if (Buffer.isBuffer(said)) return said.toString('latin1')
  outgoing.setHeader('connection', 'close')
  return said
}
