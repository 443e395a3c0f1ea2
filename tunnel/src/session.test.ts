import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handClock } from '../../tests/support/hand-clock.ts'
import { joiner, type CarrierEars, type Message } from './carrier.ts'
import { FRAME, fromJson, ProtocolError, readFrames, toJson } from './frames.ts'
import { openSession, type Session, type SessionOptions } from './session.ts'
import type { Stream } from './stream.ts'

const nothing = toJson({})
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const bytesOf = (words: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(words)
const clock = handClock()
/** Lets everything under way arrive, and what waits a while for company leave. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 40; turn += 1) {
    await new Promise(setImmediate)
    clock.pass(5)
  }
}

const joined = joiner()

/** Joins two sessions by queues that deliver in order; `cut` loses what is under way, as a broken connection does. */
function join(client: Session, node: Session): { cut(): void } {
  let alive = true
  const ears: { client?: CarrierEars; node?: CarrierEars } = {}
  const to =
    (side: 'client' | 'node') =>
    (message: Message): void => {
      const bytes = joined(message).slice()
      setImmediate(() => alive && ears[side]?.message(bytes))
    }
  const cut = (): void => {
    if (!alive) return
    alive = false
    ears.client?.lost()
    ears.node?.lost()
  }
  const [clientHas, nodeHas] = [client.received, node.received]
  ears.node = node.attach({ send: to('client'), close: cut }, clientHas)
  ears.client = client.attach({ send: to('node'), close: cut }, nodeHas)
  return { cut }
}

interface Pair {
  readonly client: Session
  readonly node: Session
  readonly atNode: Stream[]
  readonly ended: string[]
}
function pair(of: Partial<SessionOptions> = {}): Pair {
  const atNode: Stream[] = []
  const ended: string[] = []
  const client = openSession({ role: 'client', clock, opened: stream => stream.reset({ code: 'EACCES' }), over: why => ended.push(`client ${why.code}`) })
  const node = openSession({ role: 'node', clock, opened: stream => atNode.push(stream), over: why => ended.push(`node ${why.code} ${why.message}`), ...of })
  return { client, node, atNode, ended }
}

test('a stream carries frames, bytes and both ends in order, and is gone once both have ended', async () => {
  const heard: string[] = []
  const { client, node } = pair({
    opened: (stream, type, payload) => {
      heard.push(`open ${type} ${JSON.stringify(fromJson(payload))}`)
      stream.hear({
        frame: (kind, said) => heard.push(`frame ${kind} ${text(said)}`),
        data: bytes => heard.push(text(bytes)),
        end: () => {
          heard.push('end')
          stream.write(bytesOf('back'))
          stream.end()
        },
      })
    },
  })
  join(client, node)
  const stream = client.open(FRAME.open, toJson({ host: 'example.com', port: 80 }))
  const back: string[] = []
  stream.hear({ data: bytes => back.push(text(bytes)), end: () => back.push('end') })
  stream.write(bytesOf('one'))
  stream.send(FRAME.option, bytesOf('opt'))
  stream.write(bytesOf('two'))
  stream.end()
  assert.equal(stream.write(bytesOf('late')), false)
  await settled()
  assert.deepEqual(heard, [`open ${FRAME.open} {"host":"example.com","port":80}`, 'one', `frame ${FRAME.option} opt`, 'two', 'end'])
  assert.deepEqual(back, ['back', 'end'])
  assert.equal(client.streams + node.streams, 0)
})

test('a reader that takes nothing holds back its sender and no other stream', async () => {
  const { client, node, atNode } = pair()
  join(client, node)
  const slow = client.open(FRAME.open, nothing)
  const quick = client.open(FRAME.open, nothing)
  const chunk = new Uint8Array(64 * 1024)
  let taken = 0
  let drained = 0
  slow.hear({ drain: () => (drained += 1) })
  for (let index = 0; index < 32; index += 1) slow.write(chunk)
  await settled()
  const [slowly, quickly] = atNode as [Stream, Stream]
  assert.equal(slow.queued, 32 * chunk.byteLength - 256 * 1024, 'one window left, the rest waits')
  quickly.hear({ data: bytes => (taken += bytes.byteLength) })
  quick.write(chunk)
  await settled()
  assert.equal(taken, chunk.byteLength)
  assert.equal(drained, 0)
  slowly.consumed(256 * 1024)
  await settled()
  assert.ok(slow.queued <= 32 * chunk.byteLength - 512 * 1024)
  slowly.hear({ data: bytes => slowly.consumed(bytes.byteLength) })
  slowly.consumed(32 * chunk.byteLength)
  await settled()
  assert.equal(slow.queued, 0)
  assert.equal(drained, 1)
})

test('memory is given back once what was written from it has arrived, and never before', async () => {
  const heard: number[] = []
  const { client, node, atNode } = pair({ opened: stream => (atNode.push(stream), stream.hear({ data: bytes => heard.push(bytes.byteLength) })) })
  const { cut } = join(client, node)
  const stream = client.open(FRAME.open, nothing)
  const released: string[] = []
  stream.write(new Uint8Array(100_000).fill(1), () => released.push('one'))
  stream.write(new Uint8Array(200_000).fill(2), () => released.push('two'))
  await Promise.resolve()
  await Promise.resolve()
  assert.deepEqual(released, [], 'sent, and not yet acknowledged')
  cut()
  await settled()
  assert.deepEqual(released, [], 'lost with its carrier: it has to be sent again')
  join(client, node)
  await settled()
  assert.deepEqual(released, ['one'], 'the second is longer than the window allows')
  atNode[0]?.consumed(200_000)
  await settled()
  assert.deepEqual(released, ['one', 'two'])
  assert.equal(
    heard.reduce((sum, bytes) => sum + bytes, 0),
    300_000,
  )
})

test('a session outlives any number of frames that go ahead', async () => {
  const { client, node, ended, atNode } = pair()
  join(client, node)
  client.open(FRAME.open, nothing)
  await settled()
  // More than the most that may wait, were their headers never given back.
  for (let index = 0; index < 560_000; index += 1) {
    atNode[0]?.consumed(4 * 1024 * 1024)
    if (index % 2000 === 0) await settled()
  }
  await settled()
  assert.deepEqual(ended, [])
})

test('answers that nobody takes end their stream, not the memory of who answers', async () => {
  const codes: string[] = []
  const { node } = pair({
    opened: stream => stream.hear({ frame: () => stream.send(FRAME.connected, nothing), reset: ({ code }) => codes.push(code) }),
  })
  // A client that never acknowledges anything.
  const ears = node.attach({ send: () => {}, close: () => {} }, 0)
  ears.message(message([FRAME.bind, 2, nothing]))
  await settled()
  for (let index = 0; index < 5000; index += 1) ears.message(message([FRAME.connect, 2, nothing]))
  assert.deepEqual([codes, node.streams], [['EMFILE'], 0])
})

test('a reset drops what waits and is heard with its code; what is still under way is no fault', async () => {
  const { client, node, atNode, ended } = pair()
  join(client, node)
  const stream = client.open(FRAME.open, nothing)
  let why: string | undefined
  stream.hear({ reset: end => (why = `${end.code} ${end.message}`) })
  await settled()
  stream.write(new Uint8Array(1000))
  atNode[0]?.reset({ code: 'ECONNREFUSED', message: 'nobody listens' })
  stream.write(new Uint8Array(1000))
  await settled()
  assert.equal(why, 'ECONNREFUSED nobody listens')
  assert.equal(stream.ended, true)
  assert.deepEqual(ended, [])
  assert.equal(client.streams + node.streams, 0)
})

test('a session goes on over another carrier: nothing is lost and nothing is heard twice', async () => {
  const rounds = 60
  const { client, node, atNode, ended } = pair()
  let carrier = join(client, node)
  const stream = client.open(FRAME.open, nothing)
  await settled()
  const sent: number[] = []
  const heard: number[] = []
  const echoed: number[] = []
  const [echo] = atNode as [Stream]
  echo.hear({
    data: bytes => {
      echo.consumed(bytes.byteLength)
      heard.push(...bytes)
      echo.write(bytes.slice())
    },
    end: () => echo.end(),
  })
  let over = false
  stream.hear({
    data: bytes => {
      stream.consumed(bytes.byteLength)
      echoed.push(...bytes)
    },
    end: () => (over = true),
  })
  for (let round = 0; round < rounds; round += 1) {
    const bytes = Uint8Array.from({ length: 1 + ((round * 7919) % 3000) }, (_, index) => (round * 31 + index) & 255)
    sent.push(...bytes)
    stream.write(bytes)
    for (let turn = 0; turn < round % 4; turn += 1) await new Promise(setImmediate)
    carrier.cut()
    assert.equal(client.attached || node.attached, false)
    if (round % 3 === 0) await settled()
    carrier = join(client, node)
  }
  stream.end()
  await settled()
  assert.equal(over, true)
  assert.deepEqual(heard, sent)
  assert.deepEqual(echoed, sent)
  assert.deepEqual(ended, [])
})

test('a carrier that takes the place of another detaches nobody', async () => {
  let detached = 0
  const { client, node, ended } = pair({ detached: () => (detached += 1) })
  join(client, node)
  const late = node.attach({ send: () => undefined, close: () => undefined }, client.received)
  await settled()
  assert.deepEqual([detached, node.attached, ended], [0, true, []])
  late.lost()
  assert.deepEqual([detached, node.attached], [1, false])
})

test('the end of a session ends every stream, and those opened later', async () => {
  const { client, node, ended } = pair()
  join(client, node)
  const heard: string[] = []
  client.open(FRAME.open, nothing).hear({ reset: why => heard.push(why.code) })
  await settled()
  node.end({ code: 'ETUNNEL' })
  await settled()
  assert.deepEqual(ended, ['node ETUNNEL undefined'])
  assert.equal(client.attached, false)
  client.end({ code: 'ETUNNEL' })
  client.open(FRAME.open, nothing).hear({ reset: why => heard.push(`late ${why.code}`) })
  await settled()
  assert.deepEqual(heard, ['ETUNNEL', 'late ETUNNEL'])
})

/** One message of hand-written frames. */
const message = (...frames: readonly (readonly [type: number, stream: number, payload: Uint8Array])[]): Uint8Array<ArrayBuffer> => {
  const parts = frames.flatMap(([type, stream, payload]) => {
    const header = new DataView(new ArrayBuffer(8))
    header.setUint32(0, type | (payload.byteLength << 8), true)
    header.setUint32(4, stream, true)
    return [new Uint8Array(header.buffer), payload]
  })
  return Uint8Array.from(parts.flatMap(part => [...part]))
}

test('a peer that breaks the protocol ends its session and nothing else', () => {
  const faults: Readonly<Record<string, readonly Uint8Array<ArrayBuffer>[]>> = {
    'an unknown type': [message([0x77, 2, nothing])],
    'half a header': [new Uint8Array(5)],
    'half a payload': [message([FRAME.open, 2, nothing]).slice(0, -1)],
    'a stream that was never opened': [message([FRAME.data, 8, nothing])],
    'a stream of ours': [message([FRAME.data, 5, nothing])],
    'numbers out of order': [message([FRAME.open, 4, nothing])],
    'a frame that opens nothing': [message([FRAME.data, 2, nothing])],
    'more than the window': [
      message([FRAME.open, 2, nothing]),
      message([FRAME.data, 2, new Uint8Array(200_000)]),
      message([FRAME.data, 2, new Uint8Array(200_000)]),
    ],
    'bytes after the end': [message([FRAME.open, 2, nothing], [FRAME.fin, 2, new Uint8Array()], [FRAME.data, 2, nothing])],
    'an acknowledgement of nothing': [message([FRAME.ack, 0, new Uint8Array([9, 0, 0, 0, 0, 0, 0, 0])])],
    'a hello in the middle': [message([FRAME.hello, 0, nothing])],
  }
  for (const [fault, messages] of Object.entries(faults)) {
    const { node, ended } = pair()
    let closed = 0
    const ears = node.attach({ send: () => {}, close: () => (closed += 1) }, 0)
    for (const one of messages) ears.message(one)
    assert.equal(closed, 1, fault)
    assert.match(ended.join(), /^node ETUNNEL protocol: /, fault)
  }
})

test('more streams than allowed are refused, the others live', async () => {
  const atNode: Stream[] = []
  const { client, node } = pair({ streams: 2, opened: stream => atNode.push(stream) })
  join(client, node)
  const codes: string[] = []
  for (let index = 0; index < 3; index += 1) client.open(FRAME.open, nothing).hear({ reset: why => codes.push(why.code) })
  await settled()
  assert.deepEqual([codes, atNode.length, node.streams], [['EMFILE'], 2, 2])
  atNode[0]?.reset({ code: 'ECONNRESET' })
  await settled()
  client.open(FRAME.open, nothing)
  await settled()
  assert.equal(atNode.length, 3)
})

test('random messages never throw and never hang', () => {
  let seed = 20261121
  const random = (below: number): number => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) % below
  for (let round = 0; round < 3000; round += 1) {
    const { node } = pair()
    const ears = node.attach({ send: () => {}, close: () => {} }, 0)
    for (let count = 0; count < 8; count += 1) {
      const bytes = Uint8Array.from({ length: random(64) }, () => random(256))
      if (bytes.length > 8 && random(2) === 0) {
        bytes[0] = [0x10, 0x11, 0x12, 0x13, 0x20, 0x04, 0x05][random(7)] ?? 0
        bytes.set([bytes.length - 8, 0, 0, 2, 0, 0, 0], 1)
      }
      ears.message(bytes)
    }
    node.end({ code: 'ETUNNEL' })
    assert.equal(node.streams, 0)
  }
  assert.throws(() => [...readFrames(new Uint8Array(600 * 1024))], ProtocolError)
})

test('ping answers the time of a round trip, and rejects with its carrier', async () => {
  const { client, node } = pair()
  await assert.rejects(client.ping())
  const { cut } = join(client, node)
  assert.ok((await client.ping()) >= 0)
  const lost = client.ping()
  cut()
  await assert.rejects(lost)
})
