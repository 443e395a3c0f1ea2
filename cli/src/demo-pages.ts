import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

const longest = 1024 * 1024
const chunk = Buffer.alloc(64 * 1024, 'deputy ')
const text = { 'content-type': 'text/plain; charset=utf-8' }
const index = `Pages of the demo peer.

/            this list
/said        what was said: method, headers, body
/gzip        a compressed answer
/redirect    leads to /said
/slow        one line after another, to be broken off
/bytes?n=1000000   so many bytes
/sink        takes a body of any length
`

/** The pages of the demo peer; they say the same to whoever asks. */
export function answerPage(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://peer')
  // Whoever breaks off has broken off.
  request.on('error', () => undefined)
  response.on('error', () => undefined)
  switch (url.pathname) {
    case '/':
      return void response.writeHead(200, text).end(index)
    case '/said':
      return void said(request, response).catch(() => response.destroy())
    case '/gzip':
      return void response
        .writeHead(200, { ...text, 'content-encoding': 'gzip' })
        .end(gzipSync('This came compressed, and the tunnel’s node has decoded it.\n'))
    case '/redirect':
      return void response.writeHead(302, { location: '/said' }).end()
    case '/slow':
      return drip(response)
    case '/bytes':
      return pour(response, Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(Number(url.searchParams.get('n') ?? 1_000_000)) || 0)))
    case '/sink':
      return sink(request, response)
    default:
      return void response.writeHead(404, text).end(`There is no ${url.pathname.slice(0, 100)} here.\n\n${index}`)
  }
}

async function said(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.byteLength
    if (length <= longest) chunks.push(piece)
  }
  const { method, headers } = request
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(`${JSON.stringify({ method, headers, length, body: Buffer.concat(chunks).toString() }, null, 2)}\n`)
}

function drip(response: ServerResponse): void {
  response.writeHead(200, text)
  let line = 0
  const next = (): void => {
    line += 1
    response.write(`line ${line}\n`)
    if (line === 100) response.end()
  }
  next()
  const timer = setInterval(next, 300)
  response.on('close', () => clearInterval(timer))
}

function pour(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': String(bytes) })
  let left = bytes
  const fill = (): void => {
    let more = true
    while (left > 0 && more) {
      const piece = left < chunk.byteLength ? chunk.subarray(0, left) : chunk
      left -= piece.byteLength
      more = response.write(piece)
    }
    if (left === 0) response.end()
  }
  response.on('drain', fill)
  fill()
}

function sink(request: IncomingMessage, response: ServerResponse): void {
  let length = 0
  request.on('data', (piece: Buffer) => (length += piece.byteLength))
  request.on('end', () => response.writeHead(200, text).end(`${length} bytes were taken\n`))
}
