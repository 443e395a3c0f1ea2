import assert from 'node:assert/strict'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { after, before, test } from 'node:test'
import type { RouteInput, RouteOutput } from '@deputy/contract/api'
import type { beatNode } from '@deputy/contract/api-tunnel'
import type { Dial, StreamEnd } from '@deputy/tunnel'
import { dialAt, exchangeBytes, openTo } from '../../../tests/support/tunnel-client.ts'
import { readConfig } from '../config/read.ts'
import { tokenSigner, tokensBy } from '../tunnel/token.ts'
import { startNode, type RunningNode } from './start.ts'

const key = 'k'.repeat(43)
const secret = 's'.repeat(43)
type Beat = RouteInput<typeof beatNode>

/** What the API answers to beats; an error is its status. */
let answers: (beat: Beat) => Omit<RouteOutput<typeof beatNode>, 'now'> | number = () => ({ ended: [], grants: [] })
const beats: Beat[] = []
const headers: (string | undefined)[] = []
let registrations = 0
const api = createHttpServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => serve(request, response, Buffer.concat(chunks).toString()))
})
function serve(request: IncomingMessage, response: ServerResponse, text: string): void {
  headers.push(request.headers.authorization)
  const answer = (status: number, value: unknown): void => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  if (request.url === '/v1/tunnel/register') {
    registrations += 1
    return answer(200, { key, broker: 'http://broker.localhost', own: ['broker.localhost'], every: 50 })
  }
  const beat = JSON.parse(text) as Beat
  beats.push(beat)
  const said = answers(beat)
  if (typeof said === 'number') answer(said, { error: said === 404 ? 'not-found' : 'unavailable', message: '' })
  else answer(200, { now: Date.now(), ...said })
}
let node: RunningNode
let echo: Server
before(async () => {
  await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve))
  echo = createServer({ allowHalfOpen: true }, socket => socket.on('error', () => undefined).pipe(socket))
  await new Promise<void>(resolve => echo.listen(0, '127.0.0.1', resolve))
  const config = readConfig({
    file: {
      server: { port: 0, hosts: ['127.0.0.1'] },
      tunnel: { allow: ['127.0.0.0/8'] },
      operations: { log: 'silent' },
      node: { id: 'north', origin: 'http://north.localhost', api: `http://127.0.0.1:${(api.address() as AddressInfo).port}`, secret },
    },
  })
  node = await startNode(config)
})
after(async () => {
  await node?.close()
  echo?.close()
  api.closeAllConnections()
  api.close()
})

const tokens = tokensBy(tokenSigner(key))
const dial = (account: string, lease: number | null): Dial => {
  const holder = { account, app: 'web:https://app.example', node: 'north', session: `of ${account}`, premium: false, grant: { rate: 0, lease } }
  return dialAt({ port: node.port, origin: 'http://north.localhost' }, async () => tokens.issue(holder, Date.now() + 60_000))
}
const echoPort = (): number => (echo.address() as AddressInfo).port
const exchange = (tunnel: Dial, bytes: number): Promise<number | string> => exchangeBytes(tunnel, echoPort(), bytes)
/** Waits for a beat of which this holds. */
const heard = async (is: (beat: Beat) => boolean): Promise<Beat> => {
  const from = beats.length
  for (;;) {
    const found = beats.slice(from).find(is)
    if (found !== undefined) return found
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

test('a node registers and beats with its secret', { timeout: 30_000 }, async () => {
  const beat = await heard(({ state }) => state === 'open')
  assert.ok(beat.load >= 0 && beat.load <= 1000)
  assert.deepEqual(new Set(headers), new Set([`Bearer north.${secret}`]))
})

test('an account that has used its lease up opens nothing more until it is granted more', { timeout: 30_000 }, async () => {
  const tunnel = dial('ada', 30_000)
  assert.equal(await exchange(tunnel, 20_000), 20_000)
  assert.equal(await exchange(tunnel, 1), 'EQUOTA')
  const granted = { account: 'ada', rate: 0, premium: false, lease: 1_000_000 }
  answers = ({ held }) => ({ ended: [], grants: held.includes('of ada') ? [granted] : [] })
  await heard(({ held }) => held.includes('of ada'))
  await heard(() => true)
  assert.equal(await exchange(tunnel, 20_000), 20_000)
  answers = () => ({ ended: [], grants: [{ ...granted, lease: 0 }] })
  await heard(() => true)
  await heard(() => true)
  assert.equal(await exchange(tunnel, 1), 'EQUOTA')
  answers = () => ({ ended: [], grants: [] })
  tunnel.close()
})

test('use is reported until the API has taken it, and a node that was forgotten registers again', { timeout: 30_000 }, async () => {
  const tunnel = dial('grace', null)
  answers = () => 503
  await exchange(tunnel, 1000)
  const { report } = await heard(beat => beat.report?.uses.some(({ account }) => account === 'grace') === true)
  const again = await heard(beat => beat.report !== undefined)
  assert.deepEqual(again.report, report)
  assert.equal(registrations, 1)
  answers = () => 404
  await heard(() => true)
  answers = () => ({ ended: [], grants: [] })
  const taken = await heard(beat => beat.report !== undefined)
  assert.deepEqual(taken.report, report)
  assert.ok(registrations > 1)
  await exchange(tunnel, 500)
  const next = await heard(beat => beat.report?.sequence === (report?.sequence ?? 0) + 1)
  assert.deepEqual(next.report?.uses, [{ account: 'grace', app: 'web:https://app.example', sent: 500, received: 500 }])
  tunnel.close()
})

test('a session that is over ends its tunnel and opens no other', { timeout: 30_000 }, async () => {
  const tunnel = dial('joan', null)
  await tunnel.welcomed
  const stream = openTo(tunnel, echoPort())
  const over = new Promise<string>(resolve => stream.hear({ reset: ({ code }) => resolve(code) }))
  answers = ({ held }) => ({ ended: held.filter(session => session === 'of joan'), grants: [] })
  assert.equal(await over, 'ETUNNEL')
  await heard(({ held }) => !held.includes('of joan'))
  await assert.rejects(dial('joan', null).welcomed, (why: StreamEnd) => why.code === 'EACCES')
})
