import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openClient, signInClient } from '../support/client-page.ts'
import type { TestApp, TestDeputy } from '../support/deputy.ts'
import type { TestPerson } from '../support/test-accounts.ts'
import { allowSockets, cutTunnel, openTunnelApp, startTunnelDeputy, tcpOrigin } from '../support/tunnel-scene.ts'
import { bundle } from '../support/web-origins.ts'

let deputy: TestDeputy
let ada: TestPerson
let home: TestApp
before(async () => {
  ;({ deputy, ada } = await startTunnelDeputy())
  home = await openTunnelApp(deputy, 'home', ada)
  await allowSockets(home)
})
after(() => deputy?.[Symbol.asyncDispose]())

/** A UDP peer that sends everything back, twice where it is asked to. */
async function udpEcho(): Promise<{ readonly port: number; readonly socket: Socket } & AsyncDisposable> {
  const socket = createSocket('udp4')
  socket.on('message', (data, { port, address }) => socket.send(data, port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: socket.address().port, socket, [Symbol.asyncDispose]: () => new Promise(resolve => socket.close(resolve)) }
}

test('NET-9: datagrams go both ways with their addresses; connect, disconnect and close', async () => {
  await using echo = await udpEcho()
  const seen = await home.page.evaluate(async port => {
    const socket = net.won(await app.broker.webVpnUdpSocket({ address: '127.0.0.1', port: 0, type: 'udp4' }))
    const reader = socket.dataReadableStream.getReader()
    const text = (words: string) => new TextEncoder().encode(words).buffer
    await socket.send('127.0.0.1', text('first'), port)
    const { value } = await reader.read()
    const connected = net.won(await socket.connect('127.0.0.1', port))
    await socket.send('127.0.0.1', text('second'), port)
    const second = await reader.read()
    await socket.disconnect()
    const refused = await socket.connect('169.254.169.254', 80)
    const malformed = await socket.send('not an address', text('x'), port)
    await socket.setOption({ ttl: 10 })
    await socket.close()
    return {
      first: { ...value!, data: new TextDecoder().decode(value!.data) },
      second: new TextDecoder().decode(second.value!.data),
      connected,
      refused: 'error' in refused ? refused.error : 'connected',
      malformed,
      closed: await socket.closed,
      ended: (await reader.read()).done,
      numbers: [socket.localAddress, socket.localFamily, socket.localPort > 0, Number.isInteger(socket.socketId), socket.dataPort === undefined],
    }
  }, echo.port)
  assert.deepEqual(seen, {
    first: { address: '127.0.0.1', family: 'IPv4', port: echo.port, size: 5, data: 'first' },
    second: 'second',
    connected: { address: '127.0.0.1', family: 'IPv4', local: false, port: echo.port },
    refused: 'EACCES',
    malformed: { error: 'invalid', message: 'cloud: the address is malformed' },
    closed: { reason: 'closed' },
    ended: true,
    numbers: ['127.0.0.1', 'IPv4', true, true, true],
  })
})

test('NET-10: with a data port datagrams come in numbered batches, and what is not acknowledged stops them at 1 MiB', async () => {
  await using echo = await udpEcho()
  const seen = await home.page.evaluate(async port => {
    const socket = net.won(await app.broker.webvpn.udpSocket({ address: '127.0.0.1', port: 0, type: 'udp4', dataPort: true }))
    const batches: { seq: number; datagrams: { size: number; data: ArrayBuffer }[] }[] = []
    let wake = (): void => undefined
    socket.dataPort!.onmessage = ({ data }: MessageEvent<(typeof batches)[number]>) => {
      batches.push(data)
      wake()
    }
    const sizes = () => batches.flatMap(({ datagrams }) => datagrams.map(({ size }) => size))
    const until = async (count: number) => {
      while (sizes().length < count) await new Promise<void>(resolve => (wake = resolve))
    }
    // Each is answered before the next, so that nothing is lost on the way: 20 of 60,000 bytes are more than 1 MiB.
    for (let count = 1; count <= 17; count += 1) {
      await socket.send('127.0.0.1', new ArrayBuffer(60_000), port)
      await until(count)
    }
    const held = sizes().length
    await socket.send('127.0.0.1', new ArrayBuffer(60_000), port)
    socket.dataPort!.postMessage({ ack: batches.at(-1)!.seq })
    await socket.send('127.0.0.1', new ArrayBuffer(7), port)
    while (!sizes().includes(7)) await new Promise<void>(resolve => (wake = resolve))
    await socket.close()
    return { acks: socket.dataPortAcks, held, seqs: batches.map(({ seq }) => seq), moved: batches[0]!.datagrams[0]!.data.byteLength }
  }, echo.port)
  assert.deepEqual([seen.acks, seen.held, seen.moved], [true, 17, 60_000])
  assert.deepEqual(
    seen.seqs,
    seen.seqs.map((_, index) => index + 1),
  )
})

test('NET-5: a connection to the node that is cut again and again loses no byte of a transfer', async () => {
  await using origin = await tcpOrigin(socket => socket.pipe(socket))
  const transfer = home.page.evaluate(async port => {
    const socket = net.kept.tcp[await net.connect('127.0.0.1', port)]!
    const bytes = app.bytes(16_000_000, 11)
    const back = app.drain(socket.dataReadableStream)
    const writer = socket.dataWritableStream.getWriter()
    for (let at = 0; at < bytes.byteLength; at += 250_000) {
      await writer.write(bytes.slice(at, at + 250_000))
      // Waits until the connection was cut, with bytes under way in both directions.
      if (at % 4_000_000 === 2_000_000) await new Promise<void>(resolve => net.kept.told.push(resolve))
    }
    await writer.close()
    const got = await back
    return [await app.sha256(bytes), got instanceof Uint8Array ? await app.sha256(got) : got]
  }, origin.port)
  for (let cuts = 1; cuts <= 4; cuts += 1) {
    await home.page.waitForFunction(count => net.kept.told.length === count, cuts)
    await cutTunnel(home)
    await home.page.evaluate(() => (net.kept.told.at(-1) as () => void)())
  }
  const [sent, got] = await transfer
  assert.equal(got, sent)
  assert.ok((await home.frame().evaluate(() => tunnelSockets.length)) >= 5, 'each cut was followed by a new connection')
})

test('LIB-11: a worker opens sockets over its page’s line, and they end with it', async () => {
  const closed = Promise.withResolvers<void>()
  await using origin = await tcpOrigin(socket => {
    socket.on('close', () => closed.resolve())
    socket.pipe(socket)
  })
  const source = `
import { byteStreams, learn, workerLink } from '@deputy/channel'
import { broker } from '@deputy/contract/broker'
learn(byteStreams)
const link = workerLink({ wants: broker })
addEventListener('message', async ({ data }) => {
  if (data?.port === undefined) return
  const tree = await link.remote
  const socket = await tree.webvpn.tcpSocket({ remoteAddress: '127.0.0.1', remotePort: data.port })
  if ('error' in socket) return postMessage(socket.error)
  globalThis.kept = socket
  const writer = socket.dataWritableStream.getWriter()
  await writer.write(new TextEncoder().encode('from a worker'))
  const { value } = await socket.dataReadableStream.getReader().read()
  postMessage(new TextDecoder().decode(value))
})`
  deputy.web.serve('works', '/worker.js', await bundle({ source, folder: join(import.meta.dirname, '../../client/src') }))
  const page = await openClient(deputy, 'works')
  await page.evaluate(() => realm.client.account.info())
  await signInClient(deputy, page, ada)
  const asked = page.evaluate(async port => {
    const worker = new Worker('/worker.js', { type: 'module' })
    Object.assign(globalThis, { worker })
    const said = new Promise(resolve => worker.addEventListener('message', ({ data }) => typeof data === 'string' && resolve(data)))
    await realm.client.relayWorker(worker)
    worker.postMessage({ port })
    return said
  }, origin.port)
  const frame = page.frames().find(one => one.url().startsWith(`${deputy.server.origins.broker}/frame`))!
  const card = frame.locator('.card[data-ready=true]')
  await card.waitFor()
  await card.locator('[data-answer=session]').press('Enter', { delay: 40 })
  assert.equal(await asked, 'from a worker')
  await page.close()
  await closed.promise
})

test('a node that starts again ends its sockets with ETUNNEL, and the next ones are opened anew', async () => {
  await using origin = await tcpOrigin(socket => socket.pipe(socket))
  const ending = home.page.evaluate(async port => {
    const socket = net.kept.tcp[await net.connect('127.0.0.1', port)]!
    await net.write(socket, 'there')
    const said = await net.take(socket, 5)
    net.kept.told.push('connected')
    return { said, ...(await net.ending(socket.dataReadableStream)) }
  }, origin.port)
  await home.page.waitForFunction(() => net.kept.told.includes('connected'))
  await deputy.server.restart({ server: { port: deputy.server.port } })
  assert.deepEqual(await ending, { said: 'there', text: '', bytes: 0, code: 'ETUNNEL' })
  const again = await home.page.evaluate(async port => {
    const socket = net.kept.tcp[await net.connect('127.0.0.1', port)]!
    await net.write(socket, 'again')
    return net.take(socket, 5)
  }, origin.port)
  assert.equal(again, 'again')
})
