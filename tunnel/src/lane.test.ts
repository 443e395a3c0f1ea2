import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handClock } from '../../tests/support/hand-clock.ts'
import type { Message } from './carrier.ts'
import { FRAME, ownMessage, ProtocolError, readFrames, toCount, toJson } from './frames.ts'
import { downOf, type Down, type LaneRecord } from './lane.ts'
import { laneWords, wordsOfLane } from './lane-words.ts'

type Bytes = Uint8Array<ArrayBuffer>

const bytesOf = ({ parts }: Message): Bytes => Uint8Array.from(parts.flatMap(part => [...part]))
/** A message that is told by a number. */
const numbered = (number: number): Bytes => bytesOf(ownMessage(FRAME.ack, toCount(number)))
const turn = bytesOf(laneWords({ turn: true }))
const much = new Uint8Array(2 * 1024 * 1024)
const settled = async (): Promise<void> => {
  for (let time = 0; time < 20; time += 1) await new Promise(setImmediate)
}

/** A lane that is written to by hand. */
function laneByHand(): { readonly body: ReadableStream<Bytes>; say(message: Bytes): void; end(): void; break(): void } {
  let controller!: ReadableByteStreamController
  const body = new ReadableStream({ type: 'bytes', start: made => void (controller = made) }) as ReadableStream<Bytes>
  return {
    body,
    say: message => {
      controller.enqueue(new Uint8Array(new Uint32Array([message.byteLength]).buffer))
      controller.enqueue(message.slice())
    },
    end: () => {
      controller.close()
      controller.byobRequest?.respond(0)
    },
    break: () => controller.error(new TypeError('network error')),
  }
}
interface Scene {
  readonly down: Down
  readonly heard: number[]
  readonly said: unknown[]
  readonly lost: number
  readonly signals: AbortSignal[]
}
function sceneOf(lanes: readonly (ReturnType<typeof laneByHand> | undefined)[] = [], record: LaneRecord = { broken: 0 }, clock = handClock()): Scene {
  const heard: number[] = []
  const said: unknown[] = []
  const signals: AbortSignal[] = []
  let lost = 0
  let next = 0
  const down = downOf({
    ears: {
      message: (...parts) => {
        for (const { type, payload } of readFrames(...parts)) if (type === FRAME.ack) heard.push(payload[0] ?? -1)
      },
      lost: () => undefined,
    },
    send: message => said.push(wordsOfLane([bytesOf(message)])),
    open: async (_ticket, signal) => {
      signals.push(signal)
      const lane = lanes[next++]
      if (lane === undefined) throw new TypeError('Failed to fetch')
      return lane.body
    },
    clock,
    record,
    heard: () => undefined,
    lost: () => (lost += 1),
  })
  return {
    down,
    heard,
    said,
    signals,
    get lost() {
      return lost
    },
  }
}
const bulk: Bytes = (() => {
  const parts = Array.from({ length: 8 }, () => bytesOf(ownMessage(FRAME.pong, much.subarray(0, 60_000))))
  return Uint8Array.from(parts.flatMap(part => [...part]))
})()
const bring = (down: Down): void => {
  for (let at = 0; at < much.byteLength; at += bulk.byteLength) down.message(bulk)
}
const ticket = bytesOf(laneWords({ ticket: 'a ticket of its own' }))

test('each way goes on where the other one turned, whichever is heard first', async () => {
  const [first, second] = [laneByHand(), laneByHand()]
  const scene = sceneOf([first, second])
  const { down, heard, said } = scene
  bring(down)
  assert.deepEqual(said, [{}], 'much came: a lane is asked for, once')
  bring(down)
  assert.deepEqual(said, [{}])
  down.message(ticket)
  first.say(bytesOf(laneWords({})))
  await settled()
  assert.deepEqual(said, [{}, { ready: true }])
  // The lane is ahead of the WebSocket.
  first.say(numbered(3))
  down.message(numbered(1))
  await settled()
  assert.deepEqual(heard, [1])
  down.message(numbered(2))
  down.message(turn)
  // The WebSocket is ahead of the lane.
  down.message(numbered(6))
  down.message(numbered(7))
  first.say(numbered(4))
  first.say(numbered(5))
  await settled()
  assert.deepEqual(heard, [1, 2, 3, 4, 5])
  first.say(turn)
  first.end()
  await settled()
  assert.deepEqual(heard, [1, 2, 3, 4, 5, 6, 7])
  assert.equal(scene.signals[0]?.aborted, true, 'it is of no more use')
  bring(down)
  down.message(ticket)
  second.say(bytesOf(laneWords({})))
  second.say(numbered(8))
  await settled()
  down.message(turn)
  await settled()
  assert.deepEqual(heard, [1, 2, 3, 4, 5, 6, 7, 8])
  assert.equal(scene.lost, 0)
})

test('little, and much that comes slowly, comes by the WebSocket', () => {
  const clock = handClock()
  const { down, said } = sceneOf([], { broken: 0 }, clock)
  for (let at = 0; at < 4 * much.byteLength; at += bulk.byteLength) {
    down.message(bulk)
    clock.pass(200)
  }
  assert.deepEqual(said, [])
})

test('a lane that cannot be had is asked for three times; one that breaks off in use takes its carrier with it', async () => {
  const record = { broken: 0 }
  const scene = sceneOf([], record)
  for (let time = 0; time < 5; time += 1) {
    bring(scene.down)
    scene.down.message(ticket)
    await settled()
  }
  assert.deepEqual(scene.said, [{}, {}, {}])
  assert.equal(scene.lost, 0)
  const lane = laneByHand()
  const other = sceneOf([lane], { broken: 2 })
  bring(other.down)
  other.down.message(ticket)
  lane.say(bytesOf(laneWords({})))
  await settled()
  lane.break()
  await settled()
  assert.equal(other.lost, 1)
  other.down.close()
  assert.equal(other.signals[0]?.aborted, true)
})

test('the last word of a session is heard out of turn, and words of lanes that are none are refused', async () => {
  const { down, heard } = sceneOf()
  down.message(turn)
  down.message(numbered(1))
  assert.deepEqual(heard, [])
  const last: Bytes[] = []
  const other = downOf({
    ears: { message: (...parts) => void last.push(...parts), lost: () => undefined },
    send: () => undefined,
    open: async () => laneByHand().body,
    clock: handClock(),
    record: { broken: 0 },
    heard: () => undefined,
    lost: () => undefined,
  })
  other.message(turn)
  other.message(bytesOf(ownMessage(FRAME.refused, toJson({ code: 'ETUNNEL', message: 'signed out' }))))
  assert.equal(last.length, 1)
  for (const words of [{ ticket: 7 }, { turn: 'yes' }, [], null])
    assert.throws(() => sceneOf().down.message(bytesOf(ownMessage(FRAME.lane, toJson(words)))), ProtocolError)
  const mixed = Uint8Array.from([...bytesOf(laneWords({})), ...numbered(1)])
  assert.throws(() => sceneOf().down.message(mixed), ProtocolError)
})
