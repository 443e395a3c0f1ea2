// A child process of bench/cloud-files.ts: what a service of the same kind costs at least, bodies in files, flushed before they are answered. Says its port.
import { createReadStream, createWriteStream } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const [folder = ''] = process.argv.slice(2)
const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-methods', '*')
  response.setHeader('access-control-max-age', '600')
  const file = join(folder, (request.url ?? '/').replaceAll(/[^a-z0-9]/g, '_'))
  if (request.method === 'PUT') await pipeline(request, createWriteStream(file, { flush: true, highWaterMark: 2 ** 20 }))
  else if (request.method === 'GET') return pipeline(createReadStream(file, { highWaterMark: 2 ** 20 }), response)
  response.end()
}
const server = createServer((request, response) => void serve(request, response))
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
process.send?.({ port: (server.address() as AddressInfo).port })
process.on('disconnect', () => process.exit(0))
