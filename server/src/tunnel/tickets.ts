import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'

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
      const chunks = (body as AsyncIterable<Buffer<ArrayBuffer>>)[Symbol.asyncIterator]()
      let wait = 0
      const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
        {
          pull: async controller => {
            if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
            const next = await chunks.next()
            if (next.done === true) return controller.close()
            const { value } = next
            wait = passed(value.byteLength)
            controller.enqueue(value)
          },
          // Not by the iterator, which would first wait for another chunk.
          cancel: () => void body.destroy(),
        },
        new ByteLengthQueuingStrategy({ highWaterMark: 262_144 }),
      )
      return { stream, length }
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
