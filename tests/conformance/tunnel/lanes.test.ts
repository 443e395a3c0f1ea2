import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { TUNNEL_LANES, TUNNEL_PATH, TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { FRAME, joiner, laneWords, machineClock, ownMessage, readFrames, toJson, wordsOfLane, type Clock, type OpenLane, type Stream } from '@deputy/tunnel'
import { WebSocket } from 'ws'
import { openTo } from '../../support/tunnel-client.ts'
import { withPeer } from '../../support/tunnel-peer.ts'
import { startTunnelNode, type TestNode } from '../../support/tunnel-node.ts'
import { until } from '../../support/until.ts'

const bytes = randomBytes(12 * 1024 * 1024)
const sum = createHash('sha256').update(bytes).digest('hex')

/** Its lanes stay open, however little comes. */
let node: TestNode
before(async () => {
  node = await startTunnelNode({ hold: 60_000 }, '127.0.0.1', 3_600_000)
})
after(() => node.close())

/** Lanes of a node as a browser opens them; counts them, and may cut the one that is open. */
function opener(of = node): { readonly open: OpenLane; readonly opened: number; cut(): void } {
  let opened = 0
  let cut = (): void => undefined
  return {
    open: async (ticket, signal) => {
      const broken = new AbortController()
      cut = () => broken.abort()
      const answer = await fetch(`http://127.0.0.1:${of.port}${TUNNEL_LANES}`, {
        method: 'POST',
        body: ticket,
        signal: AbortSignal.any([signal, broken.signal]),
      })
      if (answer.status !== 200 || answer.body === null) throw new Error('no lane')
      opened += 1
      return answer.body
    },
    get opened() {
      return opened
    },
    cut: () => cut(),
  }
}
/** Reads to the end, taking what comes at once; `progress` hears how much it was. */
const drained = (stream: Stream, progress: (got: number) => void = () => undefined): Promise<string> =>
  new Promise((resolve, reject) => {
    const hash = createHash('sha256')
    let got = 0
    stream.hear({
      data: piece => {
        hash.update(piece)
        got += piece.byteLength
        stream.consumed(piece.byteLength)
        progress(got)
      },
      end: () => resolve(hash.digest('hex')),
      reset: ({ code }) => reject(new Error(code)),
    })
  })
const some = 4 * 1024 * 1024
/** Sends all, the better part of it once there was a lane. */
const send =
  (lanes: { readonly opened: number }) =>
  (socket: Socket): void => {
    socket.write(bytes.subarray(0, some))
    void until(() => lanes.opened > 0 || socket.destroyed).then(() => socket.end(bytes.subarray(some)))
  }
const sendAtOnce = (socket: Socket): void => void socket.end(bytes)
/** Time that stands almost still: any machine is fast enough for a lane. */
const clock: Clock = { ...machineClock, now: () => performance.now() / 100 }

test('much comes by a lane, by which all streams then come; every byte once and in order', async () => {
  const lanes = opener()
  const dial = node.dial({ lane: lanes.open, clock })
  await withPeer(send(lanes), async port => {
    assert.equal(await drained(openTo(dial, port)), sum)
    assert.deepEqual(await Promise.all([drained(openTo(dial, port)), drained(openTo(dial, port))]), [sum, sum])
    assert.ok((await dial.session.ping()) >= 0)
  })
  assert.equal(lanes.opened, 1)
  dial.close()
  await until(() => node.lanes === 0)
})

test('a lane by which little comes ends, and another one serves later', async () => {
  const brief = await startTunnelNode({ hold: 60_000 }, '127.0.0.1', 50)
  const lanes = opener(brief)
  const dial = brief.dial({ lane: lanes.open, clock })
  await withPeer(sendAtOnce, async port => {
    while (lanes.opened < 2) {
      assert.equal(await drained(openTo(dial, port)), sum)
      await until(() => brief.lanes === 0)
    }
    assert.ok((await dial.session.ping()) >= 0)
  })
  dial.close()
  await brief.close()
})

test('lanes that break off cost their connection and no byte', async () => {
  const lanes = opener()
  const dial = node.dial({ lane: lanes.open, clock })
  let cuts = 0
  await withPeer(send(lanes), async port => {
    const got = await drained(openTo(dial, port), seen => {
      if (seen < some || lanes.opened === cuts) return
      cuts = lanes.opened
      lanes.cut()
    })
    assert.equal(got, sum)
  })
  assert.ok(cuts > 0)
  dial.close()
})

test('where no lane can be opened all comes by the WebSocket', async () => {
  let asked = 0
  const dial = node.dial({
    clock,
    lane: async () => {
      asked += 1
      throw new TypeError('Failed to fetch')
    },
  })
  await withPeer(sendAtOnce, async port => {
    for (let round = 0; round < 4; round += 1) assert.equal(await drained(openTo(dial, port)), sum)
  })
  assert.equal(asked, 3)
  dial.close()
})

test('a session that is revoked while it has a lane ends with its code', async () => {
  const lanes = opener()
  const ended = Promise.withResolvers<string>()
  const dial = node.dial({ lane: lanes.open, clock, holder: { session: 'revoked' }, over: ({ message }) => ended.resolve(message ?? '') })
  await withPeer(send(lanes), async port => {
    const reading = drained(openTo(dial, port), () => lanes.opened > 0 && node.revoke(['revoked']))
    await assert.rejects(reading, { message: 'ETUNNEL' })
  })
  assert.equal(await ended.promise, 'signed out')
  await until(() => node.lanes === 0)
})

/** A client that speaks for itself; answers the words of lanes it hears. */
async function bare(): Promise<{ readonly socket: WebSocket; readonly heard: unknown[]; say(message: Parameters<ReturnType<typeof joiner>>[0]): void }> {
  const socket = new WebSocket(`ws://127.0.0.1:${node.port}${TUNNEL_PATH}`, TUNNEL_PROTOCOL)
  const heard: unknown[] = []
  socket.on('message', (data: Buffer) => {
    const message = new Uint8Array(data)
    const words = wordsOfLane([message])
    for (const { type } of readFrames(message)) heard.push(words ?? type)
  })
  await new Promise(resolve => socket.once('open', resolve))
  const joined = joiner()
  return { socket, heard, say: message => socket.send(joined(message).slice()) }
}
const exchange = (ticket: string): Promise<Response> => fetch(`http://127.0.0.1:${node.port}${TUNNEL_LANES}`, { method: 'POST', body: ticket })

test('a ticket opens one lane, once, of a session that was welcomed; whoever breaks the order is let go', async () => {
  const early = await bare()
  early.say(laneWords({}))
  await until(() => early.socket.readyState === WebSocket.CLOSED)
  assert.deepEqual(early.heard, [FRAME.refused])

  const { socket, heard, say } = await bare()
  say(ownMessage(FRAME.hello, toJson({ version: 1, token: node.token() })))
  await until(() => heard.length === 1)
  say(laneWords({}))
  say(laneWords({}))
  await until(() => heard.length === 3)
  const [welcome, first, second] = heard as [unknown, { ticket: string }, { ticket: string }]
  assert.equal(welcome, FRAME.welcome)
  assert.equal((await exchange(first.ticket)).status, 404, 'only the last one asked for is good')
  assert.equal((await exchange('x'.repeat(32))).status, 404)
  const lane = await exchange(second.ticket)
  assert.equal(lane.status, 200)
  assert.match(lane.headers.get('cache-control') ?? '', /no-store/)
  assert.equal((await exchange(second.ticket)).status, 404)
  assert.equal(node.lanes, 1)
  await lane.body?.cancel()
  await until(() => node.lanes === 0)
  assert.equal(socket.readyState, WebSocket.OPEN, 'nothing was lost with a lane that carried nothing')
  say(ownMessage(FRAME.lane, toJson({ turn: 'yes' })))
  await until(() => socket.readyState === WebSocket.CLOSED)
})
