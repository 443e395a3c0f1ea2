import type { ServerResponse } from 'node:http'
import type { OpenedBytes } from '../bytes/bytes.ts'

/** Sends a range chunk by chunk, each once the one before has left: its buffer is used again. A reader that goes away ends it. */
export async function sendBytes({ chunks, close }: OpenedBytes, outgoing: ServerResponse): Promise<void> {
  try {
    for await (const chunk of chunks) if (!(await written(outgoing, chunk))) return
    outgoing.end()
  } finally {
    await close()
  }
}

const written = (outgoing: ServerResponse, chunk: Uint8Array): Promise<boolean> =>
  new Promise(resolve => {
    if (outgoing.destroyed) {
      resolve(false)
      return
    }
    const closed = (): void => resolve(false)
    outgoing.once('close', closed)
    outgoing.write(chunk, error => {
      outgoing.off('close', closed)
      resolve(error === null || error === undefined)
    })
  })
