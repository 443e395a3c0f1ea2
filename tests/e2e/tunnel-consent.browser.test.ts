import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDeputy } from '../support/deputy.ts'
import { signUp, type TestPerson } from '../support/test-accounts.ts'
import { answerCard, openTunnelApp, startTunnelDeputy, tcpOrigin } from '../support/tunnel-scene.ts'

let deputy: TestDeputy
let ada: TestPerson
before(async () => {
  ;({ deputy, ada } = await startTunnelDeputy())
})
after(() => deputy?.[Symbol.asyncDispose]())

const notAllowed = { error: 'denied', message: 'cloud: the person did not allow the app to use the network' }

test('sockets are asked for once, with the host that is wanted and that any other is covered', async () => {
  await using origin = await tcpOrigin(socket => socket.pipe(socket))
  const home = await openTunnelApp(deputy, 'once', ada)
  const first = home.page.evaluate(async port => {
    const answers = await Promise.all([
      app.broker.webvpn.tcpSocket({ remoteAddress: '127.0.0.1', remotePort: port }),
      app.broker.webvpn.udpSocket({ address: '127.0.0.1', port: 0, type: 'udp4' }),
      app.broker.webVpnTcpSocketListener({ localAddress: '127.0.0.1', localPort: 0, onConnection: async () => undefined }),
    ])
    return answers.map(answer => ('error' in answer ? answer.error : 'open'))
  }, origin.port)
  const words = await answerCard(home, 'session')
  assert.match(words, /127\.0\.0\.1/)
  assert.match(words, /every further host/)
  assert.deepEqual(await first, ['open', 'open', 'open'], 'one yes answers all that asked')
  const later = await home.page.evaluate(() => app.broker.webvpn.tcpSocket({ remoteAddress: 'nowhere.invalid', remotePort: 80 }))
  assert.equal('error' in later && later.error, 'ENOTFOUND', 'another host is not asked for')

  const bar = home.frame().getByRole('region', { name: 'Permissions of this app' })
  await bar.getByText('127.0.0.1 and any other host').waitFor()
  await bar.getByText('3 connections, 0 bytes out, 0 bytes in').waitFor()
  await home.page.evaluate(async port => {
    const index = await net.connect('127.0.0.1', port)
    await net.write(net.kept.tcp[index]!, 'x'.repeat(2048))
    await net.take(net.kept.tcp[index]!, 2048)
  }, origin.port)
  await bar.getByText('4 connections, 2 kB out, 2 kB in').waitFor()
  await home.page.close()
})

test('a no refuses sockets, and the grant of one account is not that of another', async () => {
  const home = await openTunnelApp(deputy, 'no', ada)
  const ask = () => home.page.evaluate(() => app.broker.webvpn.tcpSocket({ remoteAddress: '127.0.0.1', remotePort: 1 }))
  const refused = ask()
  await answerCard(home, 'deny')
  assert.deepEqual(await refused, notAllowed)
  const allowed = ask()
  await answerCard(home, 'session')
  assert.equal(((await allowed) as { error: string }).error, 'ECONNREFUSED')
  await home.signIn(await signUp(deputy.server, 'Ben'))
  await home.page.evaluate(() => app.changed(2))
  const other = ask()
  await answerCard(home, 'deny')
  assert.deepEqual(await other, notAllowed)
  await home.page.close()
})

test('without an account nobody is asked', async () => {
  const home = await openTunnelApp(deputy, 'nobody')
  const answer = await home.page.evaluate(() => app.broker.webvpn.tcpSocket({ remoteAddress: '127.0.0.1', remotePort: 1 }))
  assert.deepEqual(answer, { error: 'denied', message: 'cloud: the tunnel needs an account' })
  await home.page.close()
})

test('removing the grant closes every socket within a second, here and at the other end, and leaves fetches alone', async () => {
  const closed: Promise<number>[] = []
  await using origin = await tcpOrigin(socket => {
    socket.resume()
    closed.push(new Promise(resolve => socket.on('close', () => resolve(performance.now()))))
    socket.on('end', () => socket.end())
  })
  const home = await openTunnelApp(deputy, 'removed', ada)
  const opening = home.page.evaluate(async port => {
    const [one, two] = [await net.connect('127.0.0.1', port), await net.connect('127.0.0.1', port)]
    const udp = net.won(await app.broker.webvpn.udpSocket({ address: '127.0.0.1', port: 0, type: 'udp4' }))
    const closing = new Promise(resolve => {
      void app.broker.webvpn.tcpSocketListener({
        localAddress: '127.0.0.1',
        localPort: 0,
        onConnection: async () => undefined,
        onClose: async error => resolve(error?.code),
      })
    })
    const timed = <T>(ending: Promise<T>) => ending.then(how => ({ how, at: performance.timeOrigin + performance.now() }))
    net.kept.endings = [one, two]
      .map(index => timed(net.ending(net.kept.tcp[index]!.dataReadableStream).then(({ code }) => code)))
      .concat([timed(udp.closed.then(({ reason }) => reason)), timed(closing as Promise<string>)] as never)
    return net.kept.tcp.length
  }, origin.port)
  await answerCard(home, 'session')
  assert.equal(await opening, 2)
  await home.frame().getByText('4 connections,').waitFor()
  const removing = home.frame().getByRole('button', { name: /^Remove: Use the network/ })
  const before = performance.timeOrigin + performance.now()
  await removing.click()
  const endings = (await home.page.evaluate(() => Promise.all(net.kept.endings))) as { how: string; at: number }[]
  assert.deepEqual(
    endings.map(({ how }) => how),
    ['denied', 'denied', 'denied', 'denied'],
  )
  for (const { at } of endings) assert.ok(at - before < 1000, `ended after ${at - before} ms`)
  for (const at of await Promise.all(closed)) assert.ok(performance.timeOrigin + at - before < 1000)
  const again = home.page.evaluate(port => app.broker.webvpn.tcpSocket({ remoteAddress: '127.0.0.1', remotePort: port }), origin.port)
  await answerCard(home, 'deny')
  assert.deepEqual(await again, notAllowed)
  const found = await home.page.evaluate(() => app.broker.cloud.dns.lookup('127.0.0.1'))
  assert.deepEqual(found, { address: '127.0.0.1', family: 4 })
  await home.page.close()
})

test('PRM-2: the person picks the node of the tunnel, or none', async () => {
  const home = await openTunnelApp(deputy, 'node', ada)
  const card = home.frame().locator('.card[data-ready=true]')
  for (const [answer, told] of [
    ['use', 'local'],
    ['deny', ''],
  ] as const) {
    const picked = home.page.evaluate(() => app.broker.relay.prompt())
    await card.getByRole('radio', { name: /This server/ }).waitFor()
    await card.locator(`[data-answer=${answer}]`).press('Enter', { delay: 40 })
    assert.equal(await picked, told)
    await card.waitFor({ state: 'detached' })
  }
  await home.page.close()
})

test('signing out ends every socket', async () => {
  await using origin = await tcpOrigin(socket => socket.resume())
  const home = await openTunnelApp(deputy, 'out', ada)
  const opening = home.page.evaluate(port => net.connect('127.0.0.1', port), origin.port)
  await answerCard(home, 'session')
  await opening
  const code = await home.page.evaluate(async () => {
    const ending = net.ending(net.kept.tcp[0]!.dataReadableStream)
    await app.broker.account.logout()
    return (await ending).code
  })
  // Whichever comes first: the grant is no longer this account's, or there is no tunnel.
  assert.ok(code === 'ETUNNEL' || code === 'denied', String(code))
  await home.page.close()
})
