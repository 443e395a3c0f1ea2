import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Route, RouteBody } from '@deputy/contract/api'
import { beatNode, listNodes, registerNode } from '@deputy/contract/api-tunnel'
import { TUNNEL_VERSION } from '@deputy/contract/tunnel-wire'
import type { TestApp, TestDeputy } from '../support/deputy.ts'
import { ok, type TestPerson } from '../support/test-accounts.ts'
import { planNode, runNode, type NodeProcess, type PlannedNode } from '../support/tunnel-nodes.ts'
import { allowSockets, httpOrigin, openTunnelApp, startTunnelDeputy, tcpOrigin, type Origin } from '../support/tunnel-scene.ts'

const large = Buffer.alloc(2_000_000, 'large')
let deputy: TestDeputy
let ada: TestPerson
let home: TestApp
/** Stands in the configuration, and nobody listens there. */
let paper: PlannedNode
let north: NodeProcess
let south: NodeProcess
let origin: Origin & { readonly url: string }
/** The connections requests came over. Each node has its own. */
const cameBy: Socket[] = []

before(async () => {
  const [one, other, third] = await Promise.all([planNode('north'), planNode('south'), planNode('paper')])
  paper = third
  ;({ deputy, ada } = await startTunnelDeputy({ embedded: false, beat: '200ms', silence: '3s', nodes: [one.entry, other.entry, third.entry] }))
  origin = await httpOrigin((request, response) => {
    // Kept open by the site, so that a node uses its connection again.
    request.socket.setTimeout(0)
    cameBy.push(request.socket)
    response.setHeader('keep-alive', 'timeout=60')
    response.end(request.url === '/large' ? large : 'small')
  })
  ;[north, south] = await Promise.all([runNode(one, deputy.server.origins.api), runNode(other, deputy.server.origins.api)])
  home = await openTunnelApp(deputy, 'home', ada)
  const { token } = await home.session()
  while (ok(await deputy.server.call(listNodes, {}, token)).nodes.length < 2) await delay(50)
})
after(async () => {
  await north?.[Symbol.asyncDispose]()
  await south?.[Symbol.asyncDispose]()
  await origin?.[Symbol.asyncDispose]()
  await deputy?.[Symbol.asyncDispose]()
})

/** Has the person choose a node; answers the words of the card, and what the app is told. */
async function choose(of: TestApp, node: string): Promise<{ words: string; told: unknown }> {
  const told = of.page.evaluate(() => app.broker.relay.prompt())
  const card = of.frame().locator('.card[data-ready=true]')
  await card.waitFor()
  const words = await card.innerText()
  await card.locator(`input[value=${node}]`).check()
  await card.locator('[data-answer=use]').press('Enter', { delay: 40 })
  return { words, told: await told }
}
/** Fetches one after the other; answers the nodes named, and which of the connections each request came by. */
async function fetches(of: TestApp, count: number, spread: boolean): Promise<{ named: (string | null)[]; by: Socket[] }> {
  cameBy.length = 0
  const named = await of.page.evaluate(
    async ([url, times, init]) => {
      const names: (string | null)[] = []
      for (let time = 0; time < times; time += 1) {
        const response = net.won(await app.broker.cloud.fetch(url, init))
        await response.text()
        names.push(response.headers.get('svc-node'))
      }
      return names
    },
    [`${origin.url}/small`, count, { spread }] as const,
  )
  return { named, by: [...cameBy] }
}

test('PRM-2: the person chooses among the nodes there are, and the choice is kept', async () => {
  const { words, told } = await choose(home, 'south')
  assert.match(words, /Node north/)
  assert.match(words, /Node south/)
  assert.equal(told, 'south')
  assert.deepEqual((await fetches(home, 1, false)).named, ['south'])
  await home.page.close()
  home = await openTunnelApp(deputy, 'home')
  assert.deepEqual((await fetches(home, 1, false)).named, ['south'])
})

test('NET-2: all requests leave from the node of the session, and long bodies come from it', async () => {
  const { named, by } = await fetches(home, 4, false)
  assert.deepEqual(named, ['south', 'south', 'south', 'south'])
  assert.equal(new Set(by).size, 1)
  const bytes = await home.page.evaluate(async url => {
    const response = net.won(await app.broker.cloud.fetch(url, {}))
    return (await response.arrayBuffer()).byteLength
  }, `${origin.url}/large`)
  assert.equal(bytes, large.byteLength)
})

test('NET-3: with spread requests leave from each node in its turn, and none is named', async () => {
  // The first of each opens its connection.
  await fetches(home, 2, true)
  const { named, by } = await fetches(home, 6, true)
  assert.deepEqual(
    named,
    Array.from({ length: 6 }, () => null),
  )
  const [one, other] = by
  assert.notEqual(one, other)
  assert.deepEqual(
    by.map(socket => (socket === one ? 'one' : socket === other ? 'other' : 'a third')),
    ['one', 'other', 'one', 'other', 'one', 'other'],
  )
})

test('a node that is said to be healthy and cannot be reached is passed over', { timeout: 60_000 }, async () => {
  const call = <R extends Route>(route: R, body: RouteBody<R>) => deputy.server.call(route, body, `${paper.id}.${paper.secret}`)
  const instance = 'a node that nobody serves'
  ok(await call(registerNode, { instance, version: TUNNEL_VERSION, title: 'Paper', origin: paper.origin }))
  const beat = () => call(beatNode, { instance, state: 'open', load: 0, sessions: 0, sockets: 0, held: [] })
  ok(await beat())
  const beats = setInterval(() => void beat(), 500)
  try {
    const lost = await openTunnelApp(deputy, 'lost', ada)
    assert.equal((await choose(lost, 'paper')).told, 'paper')
    const [named] = (await fetches(lost, 1, false)).named
    assert.ok(named === 'north' || named === 'south', String(named))
    const { named: none, by } = await fetches(lost, 4, true)
    assert.deepEqual([none, by.length], [[null, null, null, null], 4])
    await lost.page.close()
  } finally {
    clearInterval(beats)
    ok(await call(beatNode, { instance, state: 'gone', load: 0, sessions: 0, sockets: 0, held: [] }))
  }
})

test('a node that is killed ends its own sockets with ETUNNEL, and no others', { timeout: 60_000 }, async () => {
  await using echo = await tcpOrigin(socket => socket.pipe(socket))
  const away = await openTunnelApp(deputy, 'away', ada)
  await choose(away, 'north')
  await allowSockets(away)
  await home.page.bringToFront()
  await allowSockets(home)
  const connect = (of: TestApp): Promise<string> =>
    of.page.evaluate(async port => {
      const socket = net.kept.tcp[await net.connect('127.0.0.1', port)]!
      await net.write(socket, 'there')
      return net.take(socket, 5)
    }, echo.port)
  assert.deepEqual([await connect(away), await connect(home)], ['there', 'there'])
  assert.deepEqual((await fetches(away, 1, false)).named, ['north'])
  const ending = away.page.evaluate(() => net.ending(net.kept.tcp[0]!.dataReadableStream))
  await north.end('SIGKILL')
  // Both frames had a connection to it, and have heard of its end.
  for (const page of [away, home]) await page.frame().waitForFunction(() => tunnelSockets.some(socket => socket.readyState === WebSocket.CLOSED))
  // What is opened next goes to another node, long before the sockets of the lost one are given up.
  assert.equal(await connect(away), 'there')
  assert.deepEqual((await fetches(away, 2, false)).named, ['south', 'south'])
  const { named, by } = await fetches(home, 4, true)
  assert.deepEqual([named.length, by.length], [4, 4], 'requests in turn pass over the node that is gone')
  assert.deepEqual(await ending, { text: '', bytes: 0, code: 'ETUNNEL' })
  const still = await home.page.evaluate(async () => {
    await net.write(net.kept.tcp[0]!, 'still here')
    return net.take(net.kept.tcp[0]!, 10)
  })
  assert.equal(still, 'still here')
})
