import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { incomingFrame, listeningFrame, openedFrame } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { FRAME, fromJson, toJson, type Dial, type Stream } from '@deputy/tunnel'
import { startTunnelNode, type TestNode } from '../../support/tunnel-node.ts'

let node: TestNode
before(async () => {
  node = await startTunnelNode()
})
after(() => node.close())

/** A stream with what it heard, told in order. */
function listen(stream: Stream): { readonly heard: string[]; readonly chunks: Uint8Array[]; until(what: string): Promise<void> } {
  const heard: string[] = []
  const chunks: Uint8Array[] = []
  const waiting: { what: string; resolve(): void }[] = []
  const tell = (what: string): void => {
    heard.push(what)
    for (const one of waiting) if (what.startsWith(one.what)) one.resolve()
  }
  stream.hear({
    frame: (type, payload) => tell(`frame ${type} ${JSON.stringify(fromJson(payload))}`),
    data: bytes => {
      chunks.push(bytes)
      stream.consumed(bytes.byteLength)
      tell('data')
    },
    end: () => tell('end'),
    reset: ({ code }) => tell(`reset ${code}`),
  })
  return {
    heard,
    chunks,
    until: what => (heard.some(one => one.startsWith(what)) ? Promise.resolve() : new Promise(resolve => waiting.push({ what, resolve }))),
  }
}
const open = (dial: Dial, port: number, host = '127.0.0.1'): Stream => dial.session.open(FRAME.open, toJson({ host, port }))

async function withPeer(run: (socket: Socket) => void, use: (port: number, server: Server) => Promise<void>): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, run)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    await use((server.address() as AddressInfo).port, server)
  } finally {
    await new Promise(resolve => server.close(resolve))
  }
}

test('NET-5: a connection tells both of its ends, carries bytes both ways and half-closes', async () => {
  const peerHeard: string[] = []
  await withPeer(
    socket => {
      socket.on('data', data => peerHeard.push(data.toString()))
      socket.on('end', () => {
        peerHeard.push('end')
        socket.end('after your end')
      })
    },
    async port => {
      const dial = node.dial()
      const stream = open(dial, port)
      const ear = listen(stream)
      stream.write(Buffer.from('early'))
      await ear.until('frame')
      const { local, remote } = parse(openedFrame, JSON.parse(ear.heard[0]?.replace(/^frame \d+ /, '') ?? ''))
      assert.deepEqual(remote, { address: '127.0.0.1', family: 'IPv4', port })
      assert.deepEqual([local.address, local.family, local.port > 0], ['127.0.0.1', 'IPv4', true])
      stream.end()
      await ear.until('end')
      assert.deepEqual(peerHeard, ['early', 'end'])
      assert.equal(Buffer.concat(ear.chunks).toString(), 'after your end')
      assert.equal(dial.session.streams, 0)
      dial.close()
    },
  )
})

test('NET-6: a reset of the client is a reset at the peer, and a reset of the peer arrives as ECONNRESET', async () => {
  const errors: (string | undefined)[] = []
  let closed: (() => void) | undefined
  const peerClosed = new Promise<void>(resolve => (closed = resolve))
  await withPeer(
    socket => {
      socket.on('error', error => errors.push((error as NodeJS.ErrnoException).code))
      socket.on('close', () => closed?.())
      socket.once('data', data => {
        if (data.toString() === 'reset me') socket.resetAndDestroy()
      })
    },
    async port => {
      const dial = node.dial()
      const first = open(dial, port)
      const ear = listen(first)
      await ear.until('frame')
      first.reset({ code: 'ECONNRESET' })
      await peerClosed
      assert.deepEqual(errors, ['ECONNRESET'])
      const second = open(dial, port)
      const other = listen(second)
      second.write(Buffer.from('reset me'))
      await other.until('reset ECONNRESET')
      dial.close()
    },
  )
})

test('what cannot be connected to is told apart: refused, forbidden, unknown, malformed', async () => {
  const dial = node.dial()
  const codeOf = async (host: string, port: number): Promise<string | undefined> => {
    const stream = open(dial, port, host)
    const ear = listen(stream)
    await ear.until('reset')
    return ear.heard.at(-1)
  }
  let free = 0
  await withPeer(
    () => undefined,
    async port => void (free = port),
  )
  assert.equal(await codeOf('127.0.0.1', free), 'reset ECONNREFUSED')
  assert.equal(await codeOf('10.1.2.3', 80), 'reset EACCES')
  assert.equal(await codeOf('127.0.0.1', 25), 'reset EACCES')
  assert.equal(await codeOf('api.example', 80), 'reset EACCES')
  assert.equal(await codeOf('no-such-name.invalid', 80), 'reset ENOTFOUND')
  assert.equal(await codeOf('a name with spaces', 80), 'reset EINVAL')
  const malformed = dial.session.open(FRAME.open, Buffer.from('{"host":1}'))
  const ear = listen(malformed)
  await ear.until('reset EINVAL')
  dial.close()
})

test('32 MiB each way arrive whole, with the peer reading slowly at first, and are metered', async () => {
  const size = 32 * 1024 * 1024
  const bytes = randomBytes(size)
  const hash = createHash('sha256').update(bytes).digest('hex')
  let peerHash = ''
  await withPeer(
    socket => {
      const sum = createHash('sha256')
      socket.pause()
      setImmediate(() => socket.resume())
      socket.on('data', data => sum.update(data))
      socket.on('end', () => {
        peerHash = sum.digest('hex')
        socket.end(bytes)
      })
    },
    async port => {
      const dial = node.dial({ holder: { account: 'metered' } })
      const stream = open(dial, port)
      const sum = createHash('sha256')
      let received = 0
      let most = 0
      const done = new Promise<void>((resolve, reject) => {
        stream.hear({
          data: chunk => {
            received += chunk.byteLength
            sum.update(chunk)
            stream.consumed(chunk.byteLength)
          },
          end: resolve,
          reset: ({ code }) => reject(new Error(code)),
          drain: () => send(),
        })
      })
      let at = 0
      const send = (): void => {
        let more = true
        while (more && at < size) {
          more = stream.write(new Uint8Array(bytes.buffer, bytes.byteOffset + at, 65_536))
          at += 65_536
        }
        most = Math.max(most, stream.queued)
        if (at === size && !stream.ended) stream.end()
      }
      send()
      await done
      assert.equal(peerHash, hash)
      assert.deepEqual([received, sum.digest('hex')], [size, hash])
      assert.ok(most <= 512 * 1024, `${most} bytes waited at the client`)
      await node.flush()
      const used = node.uses.filter(({ account }) => account === 'metered')
      assert.equal(
        used.reduce((total, use) => total + use.sent, 0),
        size,
      )
      assert.equal(
        used.reduce((total, use) => total + use.received, 0),
        size,
      )
      dial.close()
    },
  )
})

test('a transfer goes on over connections that are cut again and again', async () => {
  const size = 8 * 1024 * 1024
  const bytes = randomBytes(size)
  await withPeer(
    socket => socket.pipe(socket),
    async port => {
      const dial = node.dial()
      const stream = open(dial, port)
      const sum = createHash('sha256')
      let received = 0
      let cuts = 0
      await new Promise<void>((resolve, reject) => {
        let at = 0
        const send = (): void => {
          let more = true
          while (more && at < size) {
            more = stream.write(new Uint8Array(bytes.buffer, bytes.byteOffset + at, 32_768))
            at += 32_768
          }
          if (at === size && !stream.ended) stream.end()
        }
        stream.hear({
          data: chunk => {
            received += chunk.byteLength
            sum.update(chunk)
            stream.consumed(chunk.byteLength)
            if (received > (cuts + 1) * (size / 20)) {
              cuts += 1
              dial.cut()
            }
          },
          end: resolve,
          reset: ({ code, message }) => reject(new Error(`${code} ${message}`)),
          drain: send,
        })
        send()
      })
      assert.ok(cuts >= 15, `${cuts} cuts`)
      assert.deepEqual([received, sum.digest('hex')], [size, createHash('sha256').update(bytes).digest('hex')])
      dial.close()
    },
  )
})

test('NET-8: a listener tells where it listens, hands over connections with both ends, and stops', async () => {
  const arrived: { stream: Stream; said: unknown }[] = []
  let came: (() => void) | undefined
  const first = new Promise<void>(resolve => (came = resolve))
  const dial = node.dial({
    incoming: (stream, _type, payload) => {
      arrived.push({ stream, said: fromJson(payload) })
      stream.hear({ data: bytes => stream.write(bytes.slice()), end: () => stream.end() })
      came?.()
    },
  })
  const listener = dial.session.open(FRAME.listen, toJson({ address: '127.0.0.1', port: 0 }))
  const ear = listen(listener)
  await ear.until('frame')
  const { local } = parse(listeningFrame, JSON.parse(ear.heard[0]?.replace(/^frame \d+ /, '') ?? ''))
  assert.equal(local.address, '127.0.0.1')
  const other = node.dial()
  const stream = open(other, local.port)
  const echo = listen(stream)
  stream.write(Buffer.from('hello'))
  stream.end()
  await Promise.all([first, echo.until('end')])
  assert.equal(Buffer.concat(echo.chunks).toString(), 'hello')
  const said = parse(incomingFrame, arrived[0]?.said)
  assert.deepEqual([said.listener, said.local], [listener.id, local])
  const taken = dial.session.open(FRAME.listen, toJson({ address: '127.0.0.1', port: local.port }))
  const refused = listen(taken)
  await refused.until('reset EADDRINUSE')
  listener.end()
  await ear.until('end')
  const late = listen(open(other, local.port))
  await late.until('reset ECONNREFUSED')
  dial.close()
  other.close()
})

test('a token that is forged, of another node or of a session that ended opens nothing; an ended one is cut', async () => {
  for (const token of ['', 'a.b', `${node.token()}x`, node.token({ node: 'other' })]) {
    const why = await new Promise<string>(resolve => {
      node.dial({ token: async () => token, over: ({ code }) => resolve(code) })
    })
    assert.equal(why, 'EACCES')
  }
  const cut = await new Promise<string>(resolve => {
    const dial = node.dial({ holder: { session: 'doomed' }, over: ({ code, message }) => resolve(`${code} ${message}`) })
    void dial.welcomed.then(() => node.revoke(['doomed']))
  })
  assert.match(cut, /^ETUNNEL/)
})
