// What a service of the same kind costs at least: node:http that keeps bodies in files and flushes them, reads ranges of files, and
// answers JSON. Prints its port.
import { createReadStream, createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const [folder = '.'] = process.argv.slice(2)

const server = createServer((request, response) => {
  void (async () => {
    const file = join(folder, (request.url ?? '/').slice(1).replaceAll(/[^a-z0-9]/g, '_'))
    if (request.method === 'PUT') {
      await pipeline(request, createWriteStream(file, { flush: true }))
      response.end()
    } else if (request.method === 'GET') {
      const [start = 0, end = 0] =
        /^bytes=(\d+)-(\d+)$/
          .exec(request.headers.range ?? '')
          ?.slice(1)
          .map(Number) ?? []
      response.writeHead(206, { 'content-length': end - start + 1 })
      await pipeline(createReadStream(file, { start, end, highWaterMark: 2 ** 20 }), response)
    } else {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const read: unknown = JSON.parse(Buffer.concat(chunks).toString())
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ read }))
    }
  })()
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.stdout.write(`${address?.port}\n`)
})
