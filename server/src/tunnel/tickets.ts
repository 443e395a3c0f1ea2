import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'

/** Bodies that wait to be fetched over a connection of their own, each once. */
export interface Tickets {
  /** Gives a body a path; it is destroyed when nobody comes for it. */
  offer(body: Readable, length: number | undefined, passed: (bytes: number) => number): string
  /** The body of a ticket, and its length where known; a second time there is none. */
  take(ticket: string): { readonly stream: ReadableStream<Uint8Array>; readonly length: number | undefined } | undefined
  close(): void
}

const patience = 30_000

/** Tickets of one node. */
export function openTickets(): Tickets {
  const waiting = new Map<string, { body: Readable; length: number | undefined; passed: (bytes: number) => number; late: NodeJS.Timeout }>()
  return {
    offer: (body, length, passed) => {
      const ticket = randomBytes(24).toString('base64url')
      const late = setTimeout(() => {
        waiting.delete(ticket)
        body.destroy()
      }, patience)
      waiting.set(ticket, { body, length, passed, late })
      return ticket
    },
    take: ticket => {
      const found = waiting.get(ticket)
      if (found === undefined) return undefined
      waiting.delete(ticket)
      clearTimeout(found.late)
      const { body, length, passed } = found
      async function* paced(): AsyncGenerator<Uint8Array> {
        for await (const chunk of body as AsyncIterable<Buffer>) {
          const wait = passed(chunk.byteLength)
          yield chunk
          if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
        }
      }
      const passing = Readable.from(paced(), { objectMode: false, highWaterMark: 262_144 })
      // A generator that waits for the next chunk cannot be ended: the body has to be.
      passing.on('close', () => body.destroy())
      return { stream: Readable.toWeb(passing) as ReadableStream<Uint8Array>, length }
    },
    close: () => {
      for (const { body, late } of waiting.values()) {
        clearTimeout(late)
        body.destroy()
      }
      waiting.clear()
    },
  }
}
