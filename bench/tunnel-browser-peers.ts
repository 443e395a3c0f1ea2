// A child process of bench/tunnel-browser.ts: an HTTP site, or a bare relay of WebSockets to a TCP port. Says its port.
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

const [role = '', to = '0'] = process.argv.slice(2)
const chunk = Buffer.alloc(65_536, 7)
const unsentMost = 1024 * 1024

const server = createServer((request, response) => {
  const count = Number(/^\/bytes\/(\d+)/.exec(request.url ?? '')?.[1] ?? 0)
  response.writeHead(200, {
    'access-control-allow-origin': '*',
    'cache-control': 'no-store',
    'content-type': 'application/octet-stream',
    'content-length': String(count),
  })
  let left = count
  const more = (): void => {
    while (left > 0) {
      const size = Math.min(left, chunk.length)
      left -= size
      if (!response.write(size === chunk.length ? chunk : chunk.subarray(0, size))) return void response.once('drain', more)
    }
    response.end()
  }
  if (count <= chunk.length) response.end(chunk.subarray(0, count))
  else more()
})
if (role === 'relay')
  new WebSocketServer({ server, perMessageDeflate: false }).on('connection', near => {
    const far = connect({ port: Number(to), host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    far.on('data', data => {
      near.send(data, () => {
        if (far.isPaused() && near.bufferedAmount < unsentMost / 2) far.resume()
      })
      if (near.bufferedAmount > unsentMost) far.pause()
    })
    far.on('error', () => near.terminate())
    near.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) far.end()
      else if (!far.write(data)) near.pause()
    })
    far.on('drain', () => near.resume())
    near.on('close', () => far.destroy())
  })
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
process.send?.({ port: (server.address() as AddressInfo).port })
process.on('disconnect', () => process.exit(0))
