import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Fail } from '@deputy/contract/shape'
import { readApart, reaches, type BodyApart } from './body-apart.ts'
import type { RemoteError } from './errors.ts'

const whole = Buffer.alloc(100_000, 'whole ')
const said: string[] = []
let server: Server
let from = ''
before(async () => {
  server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', piece => (text += piece))
    request.on('end', () => {
      said.push(`${request.method} ${text}`)
      if (text === '') response.writeHead(204).end()
      else if (text === 'whole') response.end(whole)
      else if (text === 'short') response.write(whole.subarray(0, 60_000), () => response.end())
      else if (text === 'cut') response.writeHead(200, { 'content-length': whole.length }).write(whole.subarray(0, 60_000), () => response.destroy())
      else if (text === 'holds') response.writeHead(200).write(whole)
      else response.writeHead(404).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
after(() => {
  server.closeAllConnections()
  server.close()
})

const read = (ticket: string, length: number | null, over: BodyApart['over']) => readApart({ from, ticket, length, over }, fetch)
const never = new Promise<never>(() => undefined)
const ofAll = Promise.resolve({ bytes: whole.length })
const lost: Fail = { error: 'ETUNNEL', message: 'cloud: the tunnel was lost' }
const ending = async (body: ReadableStream<Uint8Array<ArrayBuffer>> | undefined): Promise<unknown> => {
  try {
    return Buffer.from(await new Response(body).arrayBuffer()).equals(whole)
  } catch (error) {
    return (error as RemoteError).code
  }
}

test('a body is whole with the bytes that were said before, or that the other side says it had', async () => {
  assert.equal(await ending(await read('whole', whole.length, never)), true)
  assert.equal(await ending(await read('whole', null, ofAll)), true)
  assert.deepEqual(said.splice(0), ['POST whole', 'POST whole'])
})

test('an end that looks like one is none before all bytes are there', async () => {
  assert.equal(await ending(await read('short', null, ofAll)), 'ECONNRESET')
  assert.equal(await ending(await read('short', whole.length, ofAll)), 'ECONNRESET')
  assert.equal(await ending(await read('cut', whole.length, Promise.resolve(lost))), 'ETUNNEL')
  assert.equal(await ending(await read('short', null, Promise.reject(new Error('the other side is gone')))), 'ETUNNEL')
})

test('the word of an end cuts a body that is still coming', async () => {
  const over = Promise.withResolvers<Fail>()
  const reader = (await read('holds', null, over.promise))?.getReader()
  assert.ok(((await reader?.read())?.value?.byteLength ?? 0) > 0)
  over.resolve(lost)
  await assert.rejects(
    async () => {
      for (;;) if ((await reader?.read())?.done !== false) return
    },
    { code: 'ETUNNEL' },
  )
})

test('what cannot be reached, and what somebody else answered, is told from a body; asking whether it can uses nothing up', async () => {
  said.length = 0
  assert.equal(await reaches(fetch, from), true)
  assert.deepEqual(said, ['POST '])
  assert.equal(await reaches(fetch, 'http://127.0.0.1:1/'), false)
  assert.equal(await reaches(async () => new Response(null, { status: 204 }), from), false)
  assert.equal(await read('unknown', null, never), undefined)
})
