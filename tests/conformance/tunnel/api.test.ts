import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { disconnectApp } from '@deputy/contract/api-apps'
import { endSession, renewSession } from '@deputy/contract/api-sessions'
import { listNodes, openTunnel, readTunnelQuota, readTunnelUse } from '@deputy/contract/api-tunnel'
import { FRAME, toJson, type Dial, type StreamEnd } from '@deputy/tunnel'
import { startTestServer } from '../../support/start-test-server.ts'
import { connectApp, signUp } from '../../support/test-accounts.ts'
import { dialServer } from '../../support/tunnel-client.ts'

const app = 'web:https://app.example'

const echoOnce = (tunnel: Dial, port: number, bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  new Promise(resolve => {
    const stream = tunnel.session.open(FRAME.open, toJson({ host: '127.0.0.1', port }))
    let received = 0
    stream.hear({
      data: chunk => {
        received += chunk.byteLength
        stream.consumed(chunk.byteLength)
      },
      end: () => resolve(`${received}`),
      reset: ({ code }) => resolve(code),
    })
    stream.write(bytes)
    stream.end()
  })

test('NET-11: what passes the tunnel is metered by account, app and day, and told by quota', async () => {
  const server = await startTestServer({ tunnel: { allow: ['127.0.0.0/8'] } })
  const echo = createServer({ allowHalfOpen: true }, socket => socket.pipe(socket))
  await new Promise<void>(resolve => echo.listen(0, '127.0.0.1', resolve))
  try {
    const account = await signUp(server)
    const { token } = await connectApp(server, account.token, app)
    const { answer: listed } = await server.call(listNodes, {}, token)
    assert.deepEqual(listed, { nodes: [{ id: 'local', title: 'This server', origin: server.origins.api }] })
    assert.equal((await server.call(openTunnel, { node: 'elsewhere', only: true }, token)).error, 'not-found')
    assert.equal((await server.call(openTunnel, {}, account.token)).error, 'denied')
    const tunnel = dialServer(server, token)
    assert.equal((await tunnel.welcomed).node, 'local')
    assert.equal(await echoOnce(tunnel, (echo.address() as AddressInfo).port, new Uint8Array(300_000)), '300000')
    const { answer: quota } = await server.call(readTunnelQuota, {}, token)
    assert.deepEqual(
      { ...quota, bytesPerSecond: 0, limitBytes: 0, remaining: 0 },
      { bytesPerSecond: 0, limitBytes: 0, overQuota: false, premium: true, remaining: 0, usedBytes: 600_000 },
    )
    const { answer: use } = await server.call(readTunnelUse, {}, account.token)
    const today = new Date().toISOString().slice(0, 10)
    assert.deepEqual(use, { days: [{ day: today, app, sent: 300_000, received: 300_000 }] })
    tunnel.close()
  } finally {
    echo.close()
    await server.close()
  }
})

test('a session that is renewed keeps its tunnel, and one that is ended loses it', async () => {
  const server = await startTestServer({ tunnel: { allow: ['127.0.0.0/8'] } })
  const echo = createServer({ allowHalfOpen: true }, socket => socket.pipe(socket))
  await new Promise<void>(resolve => echo.listen(0, '127.0.0.1', resolve))
  try {
    const account = await signUp(server)
    const session = await connectApp(server, account.token, app)
    const over = Promise.withResolvers<StreamEnd>()
    const tunnel = dialServer(server, session.token, over.resolve)
    await tunnel.welcomed
    const stream = tunnel.session.open(FRAME.open, toJson({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port }))
    let back = 0
    const came = Promise.withResolvers<string>()
    stream.hear({ data: bytes => (back += bytes.byteLength) === 6 && came.resolve('came back'), reset: ({ code }) => came.resolve(code) })
    stream.write(Buffer.from('one'))
    const { answer: renewed } = await server.call(renewSession, {}, session.token)
    assert.ok(renewed !== undefined)
    const { answer: other } = await server.call(openTunnel, {}, renewed.token)
    assert.ok(other !== undefined)
    assert.equal(await echoOnce(tunnel, (echo.address() as AddressInfo).port, new Uint8Array(1000)), '1000')
    stream.write(Buffer.from('two'))
    assert.equal(await came.promise, 'came back')
    await server.call(endSession, {}, renewed.token)
    assert.equal((await over.promise).code, 'ETUNNEL')
  } finally {
    echo.close()
    await server.close()
  }
})

test('disconnecting the app ends its tunnel, and its token opens no other', async () => {
  const server = await startTestServer({ tunnel: { allow: ['127.0.0.0/8'] } })
  try {
    const account = await signUp(server)
    const { token } = await connectApp(server, account.token, app)
    const over = Promise.withResolvers<StreamEnd>()
    const tunnel = dialServer(server, token, over.resolve)
    await tunnel.welcomed
    const stream = tunnel.session.open(FRAME.bind, toJson({ type: 'udp4', address: '127.0.0.1', port: 0 }))
    const lost = new Promise<string>(resolve => stream.hear({ reset: ({ code }) => resolve(code) }))
    await server.call(disconnectApp, { app }, account.token)
    assert.equal(await lost, 'ETUNNEL')
    assert.equal((await server.call(openTunnel, {}, token)).error, 'unauthorized')
    tunnel.close()
  } finally {
    await server.close()
  }
})
