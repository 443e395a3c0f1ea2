import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { TUNNEL_LANES } from '@deputy/contract/tunnel-wire'
import type { TestApp, TestDeputy } from '../support/deputy.ts'
import type { TestPerson } from '../support/test-accounts.ts'
import { allowSockets, openTunnelApp, startTunnelDeputy, tcpOrigin } from '../support/tunnel-scene.ts'

let deputy: TestDeputy
let ada: TestPerson
/** An app that may use sockets. */
let home: TestApp
/** Lanes its frame has opened. */
let lanes = 0
before(async () => {
  ;({ deputy, ada } = await startTunnelDeputy())
  home = await openTunnelApp(deputy, 'home', ada)
  home.page.on('request', request => (lanes += Number(request.url().endsWith(TUNNEL_LANES))))
  await allowSockets(home)
})
after(() => deputy?.[Symbol.asyncDispose]())

test('NET-5: a TCP socket tells both of its ends, and bytes come back whole', async () => {
  let peer: number | undefined
  await using origin = await tcpOrigin(socket => {
    peer = socket.remotePort
    socket.pipe(socket)
  })
  const { ends, digest } = await home.page.evaluate(async port => {
    const socket = net.kept.tcp[await net.connect('127.0.0.1', port)]!
    const { remoteAddress, remoteFamily, remotePort, localAddress, localFamily, localPort } = socket
    const sent = app.bytes(3_000_000, 7)
    const back = app.drain(socket.dataReadableStream)
    const writer = socket.dataWritableStream.getWriter()
    for (let at = 0; at < sent.byteLength; at += 100_000) await writer.write(sent.slice(at, at + 100_000))
    await writer.close()
    const got = await back
    return {
      ends: { remoteAddress, remoteFamily, remotePort, localAddress, localFamily, localPort },
      digest: [await app.sha256(sent), got instanceof Uint8Array ? await app.sha256(got) : got],
    }
  }, origin.port)
  assert.deepEqual(ends, { ...ends, remoteAddress: '127.0.0.1', remoteFamily: 'IPv4', remotePort: origin.port, localAddress: '127.0.0.1', localFamily: 'IPv4' })
  assert.equal(ends.localPort, peer, 'the local port is the one the peer sees')
  assert.equal(digest[1], digest[0])
})

test('much that comes down comes by a lane beside the WebSocket, whole and in order', async () => {
  const sent = randomBytes(48 * 1024 * 1024)
  await using origin = await tcpOrigin(socket => void socket.end(sent))
  for (let round = 0; round < 2; round += 1) {
    const digest = await home.page.evaluate(async port => {
      const got = await app.drain(net.kept.tcp[await net.connect('127.0.0.1', port)]!.dataReadableStream)
      return got instanceof Uint8Array ? app.sha256(got) : got
    }, origin.port)
    assert.equal(digest, createHash('sha256').update(sent).digest('hex'))
  }
  assert.ok(lanes > 0)
})

test('NET-6: end closes this half only, and what the peer says afterwards arrives', async () => {
  const heard: string[] = []
  await using origin = await tcpOrigin(socket => {
    socket.on('data', data => heard.push(data.toString()))
    socket.on('end', () => {
      heard.push('end')
      socket.end('after your end')
    })
  })
  const ending = await home.page.evaluate(async port => {
    const socket = net.kept.tcp[await net.connect('127.0.0.1', port)]!
    await net.write(socket, 'before')
    await socket.end()
    return net.ending(socket.dataReadableStream)
  }, origin.port)
  assert.deepEqual(ending, { text: 'after your end', bytes: 14 })
  assert.deepEqual([heard.join(' '), origin.sockets.length], ['before end', 1])
})

test('NET-6: resetAndDestroy sends a reset, destroy an end, and both end the streams here', async () => {
  const ends: Promise<unknown>[] = []
  await using origin = await tcpOrigin(socket => {
    socket.resume()
    ends.push(
      new Promise(resolve => {
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
        socket.on('end', () => resolve('end'))
      }),
    )
  })
  for (const [how, seen] of [
    ['resetAndDestroy', 'ECONNRESET'],
    ['destroy', 'end'],
  ] as const) {
    const mine = await home.page.evaluate(
      async ([port, way]) => {
        const socket = net.kept.tcp[await net.connect('127.0.0.1', port)]!
        await net.write(socket, 'x')
        await socket[way]()
        const { code } = await net.ending(socket.dataReadableStream)
        const written = await socket.dataWritableStream.getWriter().closed.then(
          () => 'written',
          () => 'failed',
        )
        return [code, written]
      },
      [origin.port, how] as const,
    )
    assert.equal(await ends.at(-1), seen, how)
    assert.deepEqual(mine, [how === 'destroy' ? 'aborted' : 'ECONNRESET', 'failed'])
  }
})

test('NET-6: destroySoon delivers what was written before it ends the socket', async () => {
  const whole = Promise.withResolvers<string>()
  await using origin = await tcpOrigin(socket => {
    const digest = createHash('sha256')
    socket.pause()
    socket.on('data', data => digest.update(data))
    socket.on('end', () => whole.resolve(digest.digest('hex')))
    // A reader that begins late, so that the node has something left to write.
    setTimeout(() => socket.resume(), 300)
  })
  const sent = await home.page.evaluate(async port => {
    const socket = net.kept.tcp[await net.connect('127.0.0.1', port)]!
    const bytes = app.bytes(900_000, 3)
    const digest = await app.sha256(bytes)
    const writer = socket.dataWritableStream.getWriter()
    await writer.write(bytes)
    await writer.close()
    await socket.destroySoon()
    return digest
  }, origin.port)
  assert.equal(await whole.promise, sent)
})

test('NET-6: a reset of the peer fails both streams with ECONNRESET, after what had come', async () => {
  await using origin = await tcpOrigin(socket => {
    socket.once('data', () => socket.resetAndDestroy())
    socket.write('hello')
  })
  const ending = await home.page.evaluate(async port => {
    const socket = net.kept.tcp[await net.connect('127.0.0.1', port)]!
    const said = await net.take(socket, 5)
    await net.write(socket, 'go')
    return { said, ...(await net.ending(socket.dataReadableStream)) }
  }, origin.port)
  assert.deepEqual(ending, { said: 'hello', text: '', bytes: 0, code: 'ECONNRESET' })
})

test('NET-5: refusals name what happened: refused, not found, malformed, not reachable through the tunnel', async () => {
  await using origin = await tcpOrigin(socket => socket.destroy())
  const { port } = origin
  const codes = await home.page.evaluate(
    async ports => {
      const code = async (remoteAddress: string, remotePort: number) => {
        const answer = await app.broker.webvpn.tcpSocket({ remoteAddress, remotePort })
        return 'error' in answer ? answer.error : 'connected'
      }
      return {
        refused: await code('127.0.0.1', 1),
        unknown: await code('nowhere.invalid', 80),
        malformed: await code('a b', 80),
        link: await code('169.254.169.254', 80),
        mapped: await code('::ffff:10.0.0.1', 80),
        blockedPort: await code('127.0.0.1', 25),
        fine: await code('127.0.0.1', ports.port),
      }
    },
    { port },
  )
  assert.deepEqual(codes, {
    refused: 'ECONNREFUSED',
    unknown: 'ENOTFOUND',
    malformed: 'invalid',
    link: 'EACCES',
    mapped: 'EACCES',
    blockedPort: 'EACCES',
    fine: 'connected',
  })
})

test('NET-7: options are taken, and the connection goes on', async () => {
  await using origin = await tcpOrigin(socket => socket.pipe(socket))
  const back = await home.page.evaluate(async port => {
    const socket = net.kept.tcp[await net.connect('127.0.0.1', port)]!
    await socket.setOption({ noDelay: false, keepAlive: true, keepAliveInitialDelay: 1000 })
    await socket.setOption({ noDelay: true })
    await net.write(socket, 'still here')
    const said = await net.take(socket, 10)
    await socket.destroy()
    return said
  }, origin.port)
  assert.equal(back, 'still here')
})

test('NET-8: a listener tells where it listens, and another tab connects to it', async () => {
  const listening = await home.page.evaluate(async () => {
    const listener = net.won(
      await app.broker.webvpn.tcpSocketListener({
        localAddress: '127.0.0.1',
        localPort: 0,
        onConnection: async socket => {
          const { remoteAddress, remotePort, localPort } = socket
          net.kept.told.push({ remoteAddress, remotePort, localPort })
          const writer = socket.dataWritableStream.getWriter()
          await writer.write(new TextEncoder().encode('welcome'))
          writer.releaseLock()
          await socket.dataReadableStream.pipeTo(socket.dataWritableStream)
        },
        onClose: async error => void net.kept.told.push(error ?? 'closed'),
      }),
    )
    net.kept.listeners.push(listener)
    const { localAddress, localFamily, localPort } = listener
    return { localAddress, localFamily, localPort }
  })
  assert.deepEqual(listening, { ...listening, localAddress: '127.0.0.1', localFamily: 'IPv4' })
  assert.ok(listening.localPort > 0)

  const other = await openTunnelApp(deputy, 'other', ada)
  await allowSockets(other)
  const { said, local } = await other.page.evaluate(async port => {
    const socket = net.kept.tcp[await net.connect('127.0.0.1', port)]!
    const greeting = await net.take(socket, 7)
    await net.write(socket, 'over the tunnel')
    const echoed = await net.take(socket, 15)
    await socket.end()
    const { text } = await net.ending(socket.dataReadableStream)
    return { said: [greeting, echoed, text], local: socket.localPort }
  }, listening.localPort)
  assert.deepEqual(said, ['welcome', 'over the tunnel', ''])
  await other.page.close()
  assert.deepEqual(await home.page.evaluate(() => net.kept.told), [{ remoteAddress: '127.0.0.1', remotePort: local, localPort: listening.localPort }])

  // Many at once, each answered once.
  const greetings = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = connect(listening.localPort, '127.0.0.1')
      const [data] = (await once(socket, 'data')) as [Buffer]
      socket.end()
      await once(socket, 'close')
      return data.toString()
    }),
  )
  assert.deepEqual(new Set(greetings), new Set(['welcome']))

  await home.page.evaluate(() => net.kept.listeners[0]!.close())
  await home.page.waitForFunction(() => net.kept.told.includes('closed'))
  const late = connect(listening.localPort, '127.0.0.1')
  const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException]
  assert.equal(error.code, 'ECONNREFUSED')
})

test('NET-8: a place that cannot be bound is refused by its reason', async () => {
  await using origin = await tcpOrigin(socket => socket.destroy())
  const codes = await home.page.evaluate(async taken => {
    const code = async (localAddress: string, localPort: number) => {
      const answer = await app.broker.webvpn.tcpSocketListener({ localAddress, localPort, onConnection: async () => undefined })
      return 'error' in answer ? answer.error : 'listens'
    }
    return [await code('127.0.0.1', taken), await code('192.0.2.1', 0), await code('127.0.0.1', 80), await code('no address', 0)]
  }, origin.port)
  assert.deepEqual(codes, ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'invalid'])
})
