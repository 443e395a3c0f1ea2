import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { after, before, test } from 'node:test'
import type { RouteBody } from '@deputy/contract/api'
import { disconnectApp } from '@deputy/contract/api-apps'
import { beatNode, listNodes, openTunnel, readTunnelQuota, readTunnelUse, registerNode } from '@deputy/contract/api-tunnel'
import { run } from '@deputy/cli'
import { TUNNEL_VERSION } from '@deputy/contract/tunnel-wire'
import { FRAME, type Dial, type StreamEnd } from '@deputy/tunnel'
import { fetchFrom, startTestServer, type TestServer } from '../../support/start-test-server.ts'
import { connectApp, ok, signUp } from '../../support/test-accounts.ts'
import { dialAt, dialServer, exchangeBytes } from '../../support/tunnel-client.ts'
import { planNode, runNode, type NodeProcess, type PlannedNode } from '../../support/tunnel-nodes.ts'
import { until } from '../../support/until.ts'

let server: TestServer
let north: PlannedNode
let south: PlannedNode
/** Stands in the configuration; the tests speak for it. */
let paper: PlannedNode
const running: NodeProcess[] = []
let echo: Server
let token: string
let account: Awaited<ReturnType<typeof signUp>>
const app = 'web:https://app.example'

before(async () => {
  ;[north, south, paper] = await Promise.all([planNode('north'), planNode('south'), planNode('paper')])
  server = await startTestServer({
    tunnel: { allow: ['127.0.0.0/8'], beat: '200ms', silence: '2s', day: '4MiB', nodes: [north.entry, south.entry, paper.entry] },
  })
  running.push(...(await Promise.all([runNode(north, server.origins.api), runNode(south, server.origins.api)])))
  echo = createServer({ allowHalfOpen: true }, socket => socket.on('error', () => undefined).pipe(socket))
  await new Promise<void>(resolve => echo.listen(0, '127.0.0.1', resolve))
  account = await signUp(server)
  ;({ token } = await connectApp(server, account.token, app))
})
after(async () => {
  for (const node of running) await node[Symbol.asyncDispose]()
  echo?.close()
  await server?.close()
})

const ids = async (): Promise<string[]> =>
  ok(await server.call(listNodes, {}, token))
    .nodes.map(({ id }) => id)
    .toSorted()
const listed = (...expected: string[]): Promise<void> => until(async () => (await ids()).join() === expected.toSorted().join())
const tokenFor = async (node: PlannedNode, session = token): Promise<string> => ok(await server.call(openTunnel, { node: node.id, only: true }, session)).token
const dial = async (node: PlannedNode, options: Parameters<typeof dialAt>[2] = {}, session = token): Promise<Dial> => {
  const bearer = await tokenFor(node, session)
  return dialAt(node, async () => bearer, options)
}
const exchange = (tunnel: Dial, bytes: number): Promise<number | string> => exchangeBytes(tunnel, (echo.address() as AddressInfo).port, bytes)
const asNode = ({ id, secret }: Pick<PlannedNode, 'id' | 'secret'>): string => `${id}.${secret}`
const instance = 'an instance of the paper node'
const introduction = { instance, version: TUNNEL_VERSION, title: 'Paper' }
const pulse = (more: Partial<RouteBody<typeof beatNode>> = {}): RouteBody<typeof beatNode> => ({
  instance,
  state: 'open',
  load: 1000,
  sessions: 0,
  sockets: 0,
  held: [],
  ...more,
})

test('nodes that have registered are handed out, with their own keys', { timeout: 60_000 }, async () => {
  await listed('local', 'north', 'south')
  const { nodes } = ok(await server.call(listNodes, {}, token))
  assert.deepEqual(
    nodes.find(({ id }) => id === 'north'),
    { id: 'north', title: 'Node north', origin: north.origin },
  )
  const tunnel = await dial(north)
  assert.equal((await tunnel.welcomed).node, 'north')
  assert.equal(await exchange(tunnel, 1000), 1000)
  tunnel.close()
  const foreign = dialAt(south, () => tokenFor(north))
  await assert.rejects(foreign.welcomed, (why: StreamEnd) => why.code === 'EACCES')
  // The server's own node takes no token of another either.
  const elsewhere = dialServer(
    server,
    token,
    () => undefined,
    () => tokenFor(north),
  )
  await assert.rejects(elsewhere.welcomed, (why: StreamEnd) => why.code === 'EACCES')
})

test('deputy node secret prints what the node and the server need', async () => {
  const printed: string[] = []
  const surroundings = { env: {}, out: (text: string) => void printed.push(text), err: (text: string) => void printed.push(text) }
  assert.equal(await run(['node', 'secret', 'west', 'https://west.example'], surroundings), 0)
  const secret = /DEPUTY_NODE_SECRET=(\S+)/.exec(printed.join())?.[1] ?? ''
  const entry = JSON.parse(/\{.*\}/.exec(printed.join())?.[0] ?? '') as { hash: string }
  assert.deepEqual(entry, { id: 'west', origin: 'https://west.example', hash: createHash('sha256').update(secret).digest('base64url') })
  assert.equal(secret.length, 43)
  assert.equal(await run(['node', 'secret', 'west', 'https://west.example/path'], surroundings), 2)
  printed.length = 0
  assert.equal(await run(['node'], { ...surroundings, env: { DEPUTY_NODE_ID: 'a b', DEPUTY_NODE_API: 'http://api.example', DEPUTY_NODE_SECRET: 'short' } }), 1)
  for (const fault of ['node.id', 'node.origin', 'node.api', 'node.secret']) assert.match(printed.join(), new RegExp(`${fault}:`))
  assert.ok(!printed.join().includes('short'))
})

test('the health page, and an address that says what it is', { timeout: 60_000 }, async () => {
  const at = async (url: string, method = 'GET'): Promise<readonly [number, string]> => {
    const { status, text } = await fetchFrom(north.port, url, { method })
    return [status, text]
  }
  assert.deepEqual(await at('http://anything/livez'), [200, '{"alive":true}'])
  assert.deepEqual(await at('http://anything/readyz'), [200, '{"ready":true,"checks":{"api":true,"open":true}}'])
  const [status, words] = await at(`${north.origin}/`)
  assert.equal(status, 200)
  assert.ok(words.includes(server.origins.broker))
  assert.equal((await at('http://anything/'))[0], 421)
  assert.equal((await at(`${north.origin}/`, 'POST'))[0], 405)
  for (const path of ['/v1/tunnel/bodies/', `/v1/tunnel/bodies/${'A'.repeat(32)}`, '/v1/tunnel', '/v1/tunnel/nodes', '/frame']) {
    const answer = await fetchFrom(north.port, `${north.origin}${path}`, { headers: { origin: server.origins.broker } })
    assert.equal(answer.status, 404, path)
    assert.equal(answer.headers['access-control-allow-origin'], server.origins.broker)
  }
  for (const [ticket, expected] of [
    ['', 204],
    ['A'.repeat(32), 404],
    ['A'.repeat(1000), 413],
  ] as const) {
    const answer = await fetchFrom(north.port, `${north.origin}/v1/tunnel/body`, { method: 'POST', body: ticket, headers: { origin: 'https://app.example' } })
    assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [expected, '*'])
  }
})

test('who is no node, and a node that says what does not fit, is refused', { timeout: 60_000 }, async () => {
  const say = { ...introduction, origin: paper.origin }
  for (const bearer of [undefined, token, 'paper', `paper.${'A'.repeat(43)}`, `nobody.${paper.secret}`, `north.${paper.secret}`, `paper.${paper.secret}x`]) {
    assert.equal((await server.call(registerNode, say, bearer)).error, 'unauthorized', bearer)
    assert.equal((await server.call(beatNode, pulse(), bearer)).error, 'unauthorized', bearer)
  }
  assert.equal((await server.call(listNodes, {}, asNode(paper))).error, 'unauthorized')
  const bearer = asNode(paper)
  assert.equal((await server.call(beatNode, pulse(), bearer)).error, 'not-found')
  assert.equal((await server.call(registerNode, { ...say, origin: 'https://evil.example' }, bearer)).error, 'invalid')
  assert.equal((await server.call(registerNode, { ...say, version: 99 }, bearer)).error, 'invalid')
  const use = { account: account.session.account.id, app, sent: 1, received: 1 }
  const misshapen: unknown[] = [
    null,
    [],
    'pulse',
    { ...pulse(), held: Array.from({ length: 501 }, (_, index) => `s${index}`) },
    { ...pulse(), held: [1] },
    { ...pulse(), load: -1 },
    { ...pulse(), load: 1001 },
    { ...pulse(), state: 'sleeping' },
    { ...pulse(), instance: '' },
    { ...pulse(), report: { sequence: 0, uses: [use] } },
    { ...pulse(), report: { sequence: 1.5, uses: [use] } },
    { ...pulse(), report: { sequence: 1, uses: [{ ...use, sent: -5 }] } },
    { ...pulse(), report: { sequence: 1, uses: [{ ...use, received: 2 ** 53 }] } },
    { ...pulse(), report: { sequence: 1, uses: Array.from({ length: 257 }, () => use) } },
  ]
  ok(await server.call(registerNode, say, bearer))
  for (const body of misshapen) assert.equal((await server.call(beatNode, body as never, bearer)).error, 'invalid', JSON.stringify(body)?.slice(0, 80))
  assert.equal((await server.call(beatNode, pulse({ instance: 'another instance of it' }), bearer)).error, 'conflict')
  assert.ok(!(await ids()).includes('paper'), 'a node is handed out from its first beat on')
})

test('a report is counted once, also by a server that has started again', { timeout: 60_000 }, async () => {
  const bearer = asNode(paper)
  const say = { ...introduction, origin: paper.origin }
  const person = await signUp(server, 'Grace')
  const session = await connectApp(server, person.token, app)
  const used = async () => ok(await server.call(readTunnelQuota, {}, session.token)).usedBytes
  const report = (sequence: number) =>
    pulse({
      state: 'draining',
      report: { sequence, uses: [{ account: person.session.account.id, app, sent: 1000, received: 500 }] },
      held: [session.id, 'gone'],
    })
  ok(await server.call(registerNode, say, bearer))
  const heard = ok(await server.call(beatNode, report(1), bearer))
  assert.deepEqual(heard.ended, ['gone'])
  // The report was counted before the lease was reckoned.
  assert.deepEqual(heard.grants, [{ account: person.session.account.id, rate: 0, premium: false, lease: 4 * 2 ** 20 - 1500 }])
  assert.ok(Math.abs(heard.now - Date.now()) < 60_000)
  ok(await server.call(beatNode, report(1), bearer))
  assert.equal(await used(), 1500)
  ok(await server.call(beatNode, report(2), bearer))
  assert.equal(await used(), 3000)
  const before = server.port
  await server.restart({ server: { port: before } })
  assert.equal((await server.call(beatNode, report(2), bearer)).error, 'not-found')
  ok(await server.call(registerNode, say, bearer))
  ok(await server.call(beatNode, report(2), bearer))
  assert.equal(await used(), 3000)
  // Whoever is nobody's account is left out.
  const stray = { account: 'nobody', app, sent: 1, received: 1 }
  ok(await server.call(beatNode, pulse({ state: 'gone', report: { sequence: 3, uses: [stray] } }), bearer))
  // The others find the server again by themselves.
  await listed('local', 'north', 'south')
})

test('NET-11: what passes several nodes is summed in the quota', { timeout: 60_000 }, async () => {
  const person = await signUp(server, 'Emmy')
  const session = await connectApp(server, person.token, app)
  const used = async () => ok(await server.call(readTunnelQuota, {}, session.token)).usedBytes
  const [one, other] = await Promise.all([dial(north, {}, session.token), dial(south, {}, session.token)])
  const own = dialServer(server, session.token)
  const tunnels = [one, other, own]
  // Twice, so that the server has heard of use elsewhere before its own, after it and with it.
  for (const rounds of [1, 2]) {
    assert.deepEqual(await Promise.all([exchange(one, 300_000), exchange(other, 50_000), exchange(own, 7000)]), [300_000, 50_000, 7000])
    let now = 0
    await until(async () => (now = await used()) >= rounds * 714_000)
    assert.equal(now, rounds * 714_000)
  }
  const { days } = ok(await server.call(readTunnelUse, {}, person.token))
  assert.deepEqual(
    days.map(({ sent, received }) => [sent, received]),
    [[714_000, 714_000]],
  )
  for (const tunnel of tunnels) tunnel.close()
})

test('an account that has used its day up at one node opens nothing at another', { timeout: 60_000 }, async () => {
  const person = await signUp(server, 'Rosa')
  const session = await connectApp(server, person.token, app)
  const [one, other] = await Promise.all([dial(north, {}, session.token), dial(south, {}, session.token)])
  assert.equal(await exchange(other, 1), 1)
  assert.equal(await exchange(one, 2_100_000), 2_100_000)
  assert.equal(await exchange(one, 1), 'EQUOTA')
  await until(async () => (await exchange(other, 1)) === 'EQUOTA')
  const own = dialServer(server, session.token)
  assert.equal(await exchange(own, 1), 'EQUOTA')
  assert.equal(ok(await server.call(readTunnelQuota, {}, session.token)).overQuota, true)
  for (const tunnel of [one, other, own]) tunnel.close()
})

test('a node ends the tunnels of a session that is over, and takes its token no more', { timeout: 60_000 }, async () => {
  const person = await signUp(server, 'Mary')
  const session = await connectApp(server, person.token, app)
  const { token: bearer } = ok(await server.call(openTunnel, { node: 'south', only: true }, session.token))
  const over = Promise.withResolvers<StreamEnd>()
  const tunnel = dialAt(south, async () => bearer, { over: over.resolve })
  await tunnel.welcomed
  ok(await server.call(disconnectApp, { app }, person.token))
  assert.equal((await over.promise).code, 'ETUNNEL')
  await assert.rejects(dialAt(south, async () => bearer).welcomed, (why: StreamEnd) => why.code === 'EACCES')
})

test('a node that is told to stop is handed out no more, lets its clients go on and reports before it ends', { timeout: 60_000 }, async () => {
  const person = await signUp(server, 'Joan')
  const session = await connectApp(server, person.token, app)
  const { token: bearer } = ok(await server.call(openTunnel, { node: 'south', only: true }, session.token))
  const away = Promise.withResolvers<void>()
  const tunnel = dialAt(south, async () => bearer, { told: type => type === FRAME.goaway && away.resolve() })
  await tunnel.welcomed
  const [, leaving] = running
  const ended = leaving!.end('SIGTERM')
  await listed('local', 'north')
  await away.promise
  assert.equal(ok(await server.call(openTunnel, { node: 'south' }, session.token)).node.id === 'south', false)
  assert.equal(ok(await server.call(openTunnel, { node: 'south', only: true }, session.token)).node.id, 'south', 'to resume, it is')
  assert.equal(await exchange(tunnel, 12_345), 12_345)
  tunnel.close()
  await ended
  assert.equal(await leaving!.ended, 0)
  assert.equal(ok(await server.call(readTunnelQuota, {}, session.token)).usedBytes, 24_690)
})

test('a node that was killed is handed out no more once it has been silent, and is when it comes back', { timeout: 60_000 }, async () => {
  await running[0]!.end('SIGKILL')
  await listed('local')
  assert.equal(ok(await server.call(openTunnel, { node: 'north' }, token)).node.id, 'local')
  assert.equal((await server.call(openTunnel, { node: 'north', only: true }, token)).error, 'not-found')
  running[0] = await runNode(north, server.origins.api)
  await listed('local', 'north')
  assert.equal(ok(await server.call(openTunnel, { node: 'north' }, token)).node.id, 'north')
  assert.equal(ok(await server.call(openTunnel, { node: 'north', avoid: ['north'] }, token)).node.id, 'local')
})

test('a process whose name another has taken ends', { timeout: 60_000 }, async () => {
  ok(await server.call(registerNode, { ...introduction, origin: north.origin }, asNode(north)))
  assert.equal(await running[0]!.ended, 1)
  assert.ok(running[0]!.log.some(line => line.includes('node-replaced')))
})
