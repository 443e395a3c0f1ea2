import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'

/** A body that waits to be fetched over a connection of its own. */
export interface WaitingBody {
  readonly body: Readable
  readonly length: number | undefined
  /** Counts bytes that are handed on; answers how many milliseconds the next are to be held back. */
  readonly passed: (bytes: number) => number
  /** Origin of the pages that may exchange the ticket, beside the broker's; undefined for one that stands in a path, as older brokers ask for. */
  readonly reader: string | undefined
}

/** How a ticket is presented: in a path, or in a body by a page of that origin; the broker's pages and what is no browser have none. */
export type Presented = 'path' | { readonly origin: string | undefined }

/** Bodies that wait to be fetched over a connection of their own, each once. */
export interface Tickets {
  /** Gives a body a ticket; it is destroyed when nobody comes for it. */
  offer(body: WaitingBody): string
  /** The body of a ticket; a second time there is none. */
  take(ticket: string, presented: Presented): WaitingBody | undefined
  close(): void
}

const patience = 30_000

/** Tickets of one node; a body waits for `wait` ms. */
export function openTickets(wait = patience): Tickets {
  const waiting = new Map<string, { offered: WaitingBody; late: NodeJS.Timeout }>()
  return {
    offer: offered => {
      const ticket = randomBytes(24).toString('base64url')
      const late = setTimeout(() => {
        waiting.delete(ticket)
        offered.body.destroy()
      }, wait)
      waiting.set(ticket, { offered, late })
      // What breaks while it waits is nobody's any more.
      const gone = (): void => {
        clearTimeout(late)
        waiting.delete(ticket)
      }
      offered.body.on('error', gone).on('close', gone)
      return ticket
    },
    take: (ticket, presented) => {
      const found = waiting.get(ticket)
      if (found === undefined || !fits(found.offered, presented)) return undefined
      waiting.delete(ticket)
      clearTimeout(found.late)
      return found.offered
    },
    close: () => {
      for (const { offered, late } of waiting.values()) {
        clearTimeout(late)
        offered.body.destroy()
      }
      waiting.clear()
    },
  }
}

const fits = ({ reader }: WaitingBody, presented: Presented): boolean =>
  presented === 'path' ? reader === undefined : reader !== undefined && (presented.origin === undefined || presented.origin === reader)
