import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'

/** A body as it is meant, and whether that took undoing an encoding. What breaks within is heard on the answered stream. */
export async function decodeBody(body: Readable, encoding: string | undefined): Promise<{ readonly body: Readable; readonly decoded: boolean }> {
  const names = (encoding ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '' && name !== 'identity')
  // Nobody encodes twice but to cost the one who decodes.
  if (names.length !== 1) return { body, decoded: false }
  switch (names[0]) {
    case 'gzip':
    case 'x-gzip':
      return { body: through(body, createGunzip({ flush: 2, finishFlush: 2 })), decoded: true }
    case 'br':
      return { body: through(body, createBrotliDecompress({ flush: 1, finishFlush: 1 })), decoded: true }
    case 'zstd':
      return { body: through(body, createZstdDecompress()), decoded: true }
    case 'deflate': {
      // Some sites send the raw form; the first byte tells.
      const first = await firstChunk(body)
      const isWrapped = first !== undefined && ((first[0] ?? 0) & 0x0f) === 8
      return { body: through(body, isWrapped ? createInflate() : createInflateRaw()), decoded: true }
    }
    default:
      return { body, decoded: false }
  }
}

const through = (body: Readable, decoder: NodeJS.ReadWriteStream & Readable): Readable => {
  pipeline(body, decoder, () => undefined)
  return decoder
}

/** Looks at the first chunk and leaves it in place. */
function firstChunk(body: Readable): Promise<Buffer | undefined> {
  return new Promise(resolve => {
    const look = (): void => {
      const chunk = body.read() as Buffer | null
      if (chunk === null) {
        if (body.readableEnded || body.destroyed) resolve(undefined)
        else body.once('readable', look)
        return
      }
      body.unshift(chunk)
      resolve(chunk)
    }
    body.once('end', () => resolve(undefined))
    body.once('error', () => resolve(undefined))
    body.once('readable', look)
  })
}
