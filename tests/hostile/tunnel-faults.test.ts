import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { TUNNEL_PATH, TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { FRAME, toJson, type Dial } from '@deputy/tunnel'
import { WebSocket } from 'ws'
import { seeded } from '../support/seeded.ts'
import { openTo, sendTo } from '../support/tunnel-client.ts'
import { startTunnelNode, type TestNode } from '../support/tunnel-node.ts'
import { withPeer } from '../support/tunnel-peer.ts'

const many = Number(process.env['DEPUTY_TEST_ROUNDS'] ?? '0')
let node: TestNode
before(async () => {
  node = await startTunnelNode()
})
after(() => node.close())

/** Handles of sockets this process has open. */
const sockets = (): number => process.getActiveResourcesInfo().filter(kind => kind === 'TCPSocketWrap').length

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** Bytes of what is still needed, here and in the node, which are one process. */
const heap = (): number => {
  collect()
  return process.memoryUsage().heapUsed + process.memoryUsage().external
}

/** What comes back, or the code it broke with. */
const exchange = async (dial: Dial, port: number, words: string): Promise<string> => (await sendTo(dial, port, Buffer.from(words))).toString()

test('connections opened and closed again and again leave nothing behind', async () => {
  await withPeer(
    socket => socket.pipe(socket),
    async port => {
      // Hardly more sockets than are open at once: one that stayed in the accounts would soon be one too many.
      const narrow = await startTunnelNode({ caps: { sockets: 64, listeners: 1, udp: 1 } })
      const dial = narrow.dial()
      await exchange(dial, port, 'warm')
      const before = sockets()
      const rounds = many || 1500
      let warm = 0
      for (let done = 0; done < rounds; done += 50) {
        const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => exchange(dial, port, `${done + index}`)))
        assert.deepEqual(
          answers,
          Array.from({ length: 50 }, (_, index) => `${done + index}`),
        )
        if (done === 500) warm = heap()
      }
      assert.equal(dial.session.streams, 0)
      // The peer's ends close a moment after ours.
      for (let looks = 0; looks < 200 && sockets() > before; looks += 1) await new Promise(setImmediate)
      assert.ok(sockets() <= before + 2, `${sockets()} sockets, ${before} before`)
      const grown = heap() - warm
      assert.ok(grown < 4_000_000, `${grown} bytes more after ${rounds} connections than after 550`)
      if (many > 0) console.warn(`${rounds} connections: ${sockets() - before} sockets and ${grown} bytes more`)
      dial.close()
      await narrow.close()
    },
  )
})

test('two thousand sockets live at once, each with its own bytes', async () => {
  await withPeer(
    socket => socket.pipe(socket),
    async port => {
      const dial = node.dial()
      const count = 2000
      const streams = Array.from({ length: count }, () => openTo(dial, port))
      const firsts = await Promise.all(
        streams.map(
          (stream, index) =>
            new Promise<string>(resolve => {
              stream.hear({ data: bytes => resolve(Buffer.from(bytes).toString()), reset: ({ code }) => resolve(code) })
              stream.write(Buffer.from(`stream ${index}`))
            }),
        ),
      )
      assert.deepEqual(
        firsts,
        Array.from({ length: count }, (_, index) => `stream ${index}`),
      )
      assert.equal(dial.session.streams, count)
      for (const stream of streams) stream.reset({ code: 'ECANCELED' })
      assert.equal(dial.session.streams, 0)
      assert.ok((await dial.session.ping()) >= 0)
      dial.close()
    },
  )
})

test('a peer that never reads holds back its own stream alone, and one that never answers is no fault', async () => {
  await withPeer(
    socket => {
      socket.once('data', data => {
        if (data.toString().startsWith('stall')) socket.pause()
        else {
          socket.write(data)
          socket.pipe(socket)
        }
      })
    },
    async port => {
      const dial = node.dial()
      await dial.welcomed
      const stalled = openTo(dial, port)
      let drains = 0
      stalled.hear({ drain: () => (drains += 1) })
      stalled.write(Buffer.from('stall'))
      const chunk = new Uint8Array(65_536)
      // As long as it takes; what the system buffers is not ours.
      for (let written = 0; written < 40_000_000 && stalled.queued < 1_000_000; written += chunk.length) {
        if (!stalled.write(chunk)) await dial.session.ping()
      }
      assert.ok(stalled.queued >= 1_000_000, 'held back')
      const other = openTo(dial, port)
      const answer = new Promise<string>(resolve => other.hear({ data: bytes => resolve(Buffer.from(bytes).toString()) }))
      other.write(Buffer.from('hello'))
      assert.match(await answer, /hello/)
      stalled.reset({ code: 'ECANCELED' })
      dial.close()
    },
  )
})

test('an origin that closes at the end of a long answer to a slow reader loses nothing', async () => {
  const size = 16 * 1024 * 1024
  const bytes = randomBytes(size)
  const hash = createHash('sha256').update(bytes).digest('hex')
  await withPeer(
    socket => socket.end(bytes),
    async port => {
      const dial = node.dial()
      for (let round = 0; round < (many > 0 ? 20 : 3); round += 1) {
        const stream = openTo(dial, port)
        const sum = createHash('sha256')
        const waiting: number[] = []
        let got = 0
        const done = new Promise<void>((resolve, reject) =>
          stream.hear({
            data: chunk => {
              got += chunk.byteLength
              sum.update(chunk)
              waiting.push(chunk.byteLength)
            },
            end: resolve,
            reset: ({ code }) => reject(new Error(code)),
          }),
        )
        let over = false
        void done.finally(() => (over = true)).catch(() => undefined)
        // Takes a little every turn, long after the origin is gone.
        while (!over) {
          stream.consumed(waiting.splice(0, 4).reduce((total, one) => total + one, 0))
          await new Promise(setImmediate)
        }
        await done
        assert.deepEqual([got, sum.digest('hex')], [size, hash])
      }
      dial.close()
    },
  )
})

test('a node that is killed ends the sockets of its session with ETUNNEL and no others', async () => {
  const other = await startTunnelNode({ hold: 300 })
  await withPeer(
    socket => socket.pipe(socket),
    async port => {
      const doomed = other.dial()
      const living = node.dial()
      const lost = new Promise<string>(resolve => {
        const stream = openTo(doomed, port)
        stream.hear({
          frame: () => void other.close(),
          reset: ({ code }) => resolve(code),
        })
      })
      assert.equal(await exchange(living, port, 'alive'), 'alive')
      assert.equal(await lost, 'ETUNNEL')
      assert.equal(await exchange(living, port, 'still alive'), 'still alive')
      living.close()
    },
  )
})

test('random messages to a node end their own connection only', async () => {
  const source = seeded(20_261_121)
  const below = (limit: number): number => Math.floor(source() * limit)
  const dial = node.dial()
  await dial.welcomed
  for (let round = 0; round < (many > 0 ? 400 : 60); round += 1) {
    const socket = new WebSocket(`ws://127.0.0.1:${node.port}${TUNNEL_PATH}`, TUNNEL_PROTOCOL)
    await new Promise<void>(resolve => socket.once('open', () => resolve()))
    const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
    socket.on('error', () => undefined)
    if (round % 2 === 0) {
      const payload = toJson({ version: 1, token: node.token({ account: 'hostile' }) })
      const hello = new Uint8Array(8 + payload.length)
      new DataView(hello.buffer).setUint32(0, FRAME.hello | (payload.length << 8), true)
      hello.set(payload, 8)
      socket.send(hello)
      await new Promise<void>(resolve => socket.once('message', () => resolve()))
    }
    for (let message = 0; message < 20; message += 1) {
      const bytes = Uint8Array.from({ length: below(200) }, () => below(256))
      if (bytes.length >= 8 && below(3) > 0) {
        const types = Object.values(FRAME)
        new DataView(bytes.buffer).setUint32(0, (types[below(types.length)] ?? 0) | ((bytes.length - 8) << 8), true)
        new DataView(bytes.buffer).setUint32(4, below(6), true)
      }
      if (socket.readyState === WebSocket.OPEN) socket.send(bytes)
    }
    socket.terminate()
    await closed
  }
  assert.ok((await dial.session.ping()) >= 0)
  await withPeer(
    socket => socket.pipe(socket),
    async port => assert.equal(await exchange(dial, port, 'unharmed'), 'unharmed'),
  )
  dial.close()
})
