import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { TUNNEL_PROTOCOL, type Welcome } from '@deputy/contract/tunnel-wire'
import { FRAME, toJson, type Clock, type Dial, type DialOptions, type Stream } from '@deputy/tunnel'
import { WebSocketServer } from 'ws'
import { openLink, type Link } from '../support/link.ts'
import { seeded } from '../support/seeded.ts'
import { dialAt, openTo } from '../support/tunnel-client.ts'
import { startTunnelNode, type TestNode } from '../support/tunnel-node.ts'
import { withPeer } from '../support/tunnel-peer.ts'
import { until } from '../support/until.ts'

/** Rounds of the long form; 0 is the short one. */
const many = Math.min(Number(process.env['DEPUTY_TEST_ROUNDS'] ?? '0'), 100)
let node: TestNode
before(async () => {
  node = await startTunnelNode({ hold: 60_000 })
})
after(() => node.close())

/** Dials a node by way of a link. */
const dialOver = (to: TestNode, link: Link, options: Partial<DialOptions> = {}): Dial =>
  dialAt({ port: link.port, origin: `http://127.0.0.1:${to.port}` }, async () => to.token(), options)
/** Time that goes by so many times as fast. */
const fastClock = (times: number): Clock => ({
  now: () => performance.now() * times,
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds / times)
    return () => clearTimeout(timer)
  },
})
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
/** Reads to the end: how many bytes, and their digest. */
const drained = (stream: Stream, progress: (got: number) => void = () => undefined): Promise<readonly [number, string]> =>
  new Promise((resolve, reject) => {
    const sum = createHash('sha256')
    let got = 0
    stream.hear({
      data: bytes => {
        got += bytes.byteLength
        sum.update(bytes)
        stream.consumed(bytes.byteLength)
        progress(got)
      },
      end: () => resolve([got, sum.digest('hex')]),
      reset: ({ code }) => reject(new Error(code)),
    })
  })
/** What a stream ends with. */
const ending = (stream: Stream): Promise<string> => new Promise(resolve => stream.hear({ end: () => resolve('end'), reset: ({ code }) => resolve(code) }))
test('an origin that closes at the end of a long answer over a slow link loses nothing', async () => {
  const size = many > 0 ? 128 * 1024 * 1024 : 4 * 1024 * 1024
  const bytes = randomBytes(size)
  const hash = digest(bytes)
  const link = await openLink({ port: node.port, rate: 50_000_000, delay: 1 })
  await withPeer(
    socket => socket.end(bytes),
    async port => {
      const dial = dialOver(node, link)
      let equal = 0
      for (let round = 0; round < Math.max(many, 3); round += 1) {
        const stream = openTo(dial, port)
        assert.deepEqual(await drained(stream), [size, hash])
        stream.end()
        equal += 1
      }
      if (many > 0) console.warn(`${equal} of ${many} transfers of ${size} bytes equal`)
      dial.close()
    },
  )
  await link.close()
})

test('a transfer goes on, whole and in order, however often its connection breaks', async () => {
  const cuts = many || 8
  const bytes = randomBytes(1024 * 1024)
  const copies = cuts
  const hash = createHash('sha256')
  for (let copy = 0; copy < copies; copy += 1) hash.update(bytes)
  const link = await openLink({ port: node.port, rate: 50_000_000, delay: 1 })
  await withPeer(
    socket => socket.pipe(socket),
    async port => {
      const dial = dialOver(node, link)
      await dial.welcomed
      const stream = openTo(dial, port)
      let broken = 0
      // One break in each part of the way back, while both directions are busy.
      const back = drained(stream, got => {
        if (broken >= cuts || got < (broken + 0.5) * bytes.byteLength || !dial.session.attached) return
        broken += 1
        link.cut()
      })
      for (let copy = 0; copy < copies; copy += 1) if (!stream.write(bytes)) await new Promise<void>(resolve => stream.whenSent(resolve))
      stream.end()
      assert.deepEqual(await back, [copies * bytes.byteLength, hash.digest('hex')])
      assert.equal(broken, cuts)
      if (many > 0) console.warn(`resumed after ${broken} of ${cuts} breaks`)
      dial.close()
    },
  )
  await link.close()
})

test('where a session cannot be resumed its streams end with ETUNNEL, and the node lets go of their sockets', async () => {
  await withPeer(
    socket => socket.resume().on('end', () => socket.end()),
    async (port, live) => {
      for (let round = 0; round < Math.max(many / 10, 2); round += 1) {
        // Forgotten: the node was started again. Too late: it held the session no longer than that.
        const short = await startTunnelNode({ hold: 50 })
        const link = await openLink({ port: short.port })
        const refusing = { on: false }
        const dial = dialOver(short, link, {
          token: async () => {
            if (refusing.on) throw new Error('no token just now')
            return short.token()
          },
        })
        const opened = Promise.withResolvers<void>()
        const stream = openTo(dial, port)
        const code = new Promise<string>(resolve => stream.hear({ frame: () => opened.resolve(), reset: why => resolve(why.code) }))
        await opened.promise
        refusing.on = true
        link.cut()
        await until(() => short.sessions === 0 && live.size === 0)
        refusing.on = false
        assert.equal(await code, 'ETUNNEL')
        dial.close()
        await link.close()
        await short.close()
      }
    },
  )
})

test('a network that is gone without a word is noticed, and what was under way arrives over the next one', async () => {
  const link = await openLink({ port: node.port })
  await withPeer(
    socket => socket.pipe(socket),
    async port => {
      const dial = dialOver(node, link, { clock: fastClock(10) })
      await dial.welcomed
      const stream = openTo(dial, port)
      const first = Promise.withResolvers<void>()
      const back = drained(stream, got => got >= 5 && first.resolve())
      stream.write(Buffer.from('first'))
      await first.promise
      link.freeze()
      stream.write(Buffer.from(', second'))
      stream.end()
      assert.deepEqual(await back, [13, digest(Buffer.from('first, second'))])
      dial.close()
    },
  )
  await link.close()
})

test('a remote host that is gone without a word costs its own stream, with the code of Node', async () => {
  const patient = await startTunnelNode({ idle: 300 })
  await withPeer(
    socket => socket.pipe(socket),
    async port => {
      const way = await openLink({ port })
      const dial = patient.dial()
      const [lost, kept] = [openTo(dial, way.port), openTo(dial, port)]
      const code = ending(lost)
      lost.write(Buffer.from('nobody takes this'))
      way.freeze()
      // Whoever speaks is not idle.
      const back: string[] = []
      kept.hear({
        data: bytes => {
          back.push(Buffer.from(bytes).toString())
          kept.consumed(bytes.byteLength)
        },
      })
      const speaking = setInterval(() => kept.write(Buffer.from('.')), 50)
      assert.equal(await code, 'ETIMEDOUT')
      const before = back.length
      await until(() => back.length > before)
      clearInterval(speaking)
      dial.close()
      await way.close()
    },
  )
  await patient.close()
})

test('a client that is gone without a word is let go of after two pings and the hold', { skip: many === 0 }, async () => {
  const short = await startTunnelNode({ hold: 500 })
  await withPeer(
    socket => socket.resume().on('end', () => socket.end()),
    async (port, live) => {
      const link = await openLink({ port: short.port })
      let isGone = false
      const token = async (): Promise<string> => {
        if (isGone) throw new Error('nobody is there to ask')
        return short.token()
      }
      const dial = dialOver(short, link, { token })
      await dial.welcomed
      openTo(dial, port).write(Buffer.from('x'))
      await until(() => live.size === 1)
      isGone = true
      link.freeze()
      await until(() => short.sessions === 0 && live.size === 0, 120_000)
      dial.close()
      await link.close()
    },
  )
  await short.close()
})

test('random messages of a node end the session of their client only, with ETUNNEL on every stream', async () => {
  const source = seeded(20_261_122)
  const below = (limit: number): number => Math.floor(source() * limit)
  const types = Object.values(FRAME)
  const frame = (type: number, stream: number, payload: Uint8Array): Uint8Array<ArrayBuffer> => {
    const message = new Uint8Array(8 + payload.length)
    new DataView(message.buffer).setUint32(0, type | (payload.length << 8), true)
    new DataView(message.buffer).setUint32(4, stream, true)
    message.set(payload, 8)
    return message
  }
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => TUNNEL_PROTOCOL })
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  let isPolite = true
  server.on('connection', socket => {
    socket.on('error', () => undefined)
    socket.once('message', () => {
      const welcome: Welcome = { session: 'session', secret: 'secret', resumed: false, received: 0, node: 'hostile', hold: 200 }
      if (isPolite) socket.send(frame(FRAME.welcome, 0, toJson(welcome)))
      for (let message = 0; message < 20; message += 1) {
        const bytes = Uint8Array.from({ length: below(200) }, () => below(256))
        const random = below(3) === 0 ? bytes : frame(types[below(types.length)] ?? 0, below(8), bytes)
        if (below(8) === 0) socket.send(bytes.toString())
        else socket.send(random)
      }
    })
  })
  const living = node.dial()
  await living.welcomed
  const thrown: unknown[] = []
  const note = (error: unknown): void => void thrown.push(error)
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
  const codes = new Map<string, number>()
  for (let round = 0; round < (many > 0 ? 1000 : 100); round += 1) {
    isPolite = round % 4 !== 0
    const over = Promise.withResolvers<string>()
    const dial = dialAt({ port, origin: `http://127.0.0.1:${port}` }, async () => 'token', {
      over: ({ code }) => over.resolve(code),
      fault: error => {
        note(error)
        return undefined
      },
    })
    const ends = [FRAME.open, FRAME.listen, FRAME.bind, FRAME.resolve, FRAME.request].map(type => ending(dial.session.open(type, toJson({}))))
    // What was random enough to be taken leaves a session that is only waiting.
    const closing = setTimeout(() => dial.close(), 1000)
    assert.equal(typeof (await over.promise), 'string')
    clearTimeout(closing)
    for (const code of await Promise.all(ends)) codes.set(code, (codes.get(code) ?? 0) + 1)
    assert.equal(dial.session.streams, 0)
  }
  process.off('uncaughtException', note)
  process.off('unhandledRejection', note)
  assert.deepEqual(thrown, [])
  assert.ok((codes.get('ETUNNEL') ?? 0) > 0)
  assert.ok((await living.session.ping()) >= 0)
  living.close()
  for (const socket of server.clients) socket.terminate()
  await new Promise(resolve => server.close(resolve))
})
