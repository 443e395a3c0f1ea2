import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { sendBody } from './body.ts'
import type { WaitingBody } from './tickets.ts'

let server: Server
let next: WaitingBody
before(async () => {
  server = createServer((_request, response) => void sendBody(next, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
after(() => {
  server.closeAllConnections()
  server.close()
})
const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
const chunks = Array.from({ length: 20 }, (_, index) => Buffer.alloc(100_000, index))

test('every chunk is counted once, and holds the next back for as long as the account is over its rate', async () => {
  const counted: number[] = []
  next = {
    body: Readable.from(chunks),
    length: undefined,
    reader: undefined,
    passed: bytes => {
      counted.push(bytes)
      return 10
    },
  }
  const begun = performance.now()
  const body = await (await fetch(address())).arrayBuffer()
  assert.ok(performance.now() - begun >= 5 * (chunks.length - 1))
  assert.ok(Buffer.concat(chunks).equals(Buffer.from(body)))
  assert.deepEqual(
    counted,
    chunks.map(({ byteLength }) => byteLength),
  )
})

test('a body goes no further than its reader takes it', async () => {
  let passed = 0
  const endless = new Readable({
    highWaterMark: 65_536,
    read() {
      this.push(Buffer.alloc(65_536))
    },
  })
  next = { body: endless, length: undefined, reader: undefined, passed: bytes => ((passed += bytes), 0) }
  const giveUp = new AbortController()
  const closed = new Promise(resolve => endless.once('close', resolve))
  await fetch(address(), { signal: giveUp.signal })
  // Until nothing moves any more: what the two ends of a connection and the reader hold is bounded.
  for (let before = -1; before !== passed;) {
    before = passed
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  assert.ok(passed < 64 * 2 ** 20, `${passed} bytes`)
  giveUp.abort()
  await closed
})
