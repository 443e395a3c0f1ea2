import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FRAME, ProtocolError, writeHeader, type FrameType } from './frames.ts'
import { laneReader } from './lane-reader.ts'

type Bytes = Uint8Array<ArrayBuffer>

const joined = (parts: readonly Uint8Array[]): Bytes => Uint8Array.from(parts.flatMap(part => [...part]))
const frame = (type: FrameType, payload: Uint8Array): Bytes => {
  const header = new Uint8Array(8)
  writeHeader(new DataView(header.buffer), 0, type, 2, payload.byteLength)
  return joined([header, payload])
}
const message = (...frames: readonly Uint8Array[]): Bytes => {
  const whole = joined(frames)
  return joined([new Uint8Array(new Uint32Array([whole.byteLength]).buffer), whole])
}
/** A stream in pieces of these lengths in turns; a byte stream, as browsers answer with, or a plain one. */
function streamOf(bytes: Bytes, lengths: readonly number[], type: 'bytes' | undefined): ReadableStream<Bytes> {
  let at = 0
  let turn = 0
  const pull = (controller: ReadableByteStreamController | ReadableStreamDefaultController<Bytes>): void => {
    if (at < bytes.byteLength) controller.enqueue(bytes.slice(at, (at += lengths[turn++ % lengths.length] ?? 1)))
    else {
      controller.close()
      if ('byobRequest' in controller) controller.byobRequest?.respond(0)
    }
  }
  return type === undefined ? new ReadableStream({ pull }) : new ReadableStream({ type, pull })
}
const read = async (stream: ReadableStream<Bytes>): Promise<Bytes[][]> => {
  const { next } = laneReader(stream)
  const messages: Bytes[][] = []
  for (let parts = await next(); parts !== undefined; parts = await next()) messages.push(parts)
  return messages
}
const long = Uint8Array.from({ length: 70_000 }, (_, index) => index * 7)
const short = Uint8Array.of(1, 2, 3)
const messages = [
  [frame(FRAME.data, short)],
  [frame(FRAME.data, long), frame(FRAME.fin, new Uint8Array()), frame(FRAME.data, long.subarray(0, 5000))],
  [frame(FRAME.ack, new Uint8Array(8))],
  [frame(FRAME.data, long.subarray(0, 2049))],
]

for (const type of ['bytes', undefined] as const)
  test(`the messages of a ${type === undefined ? 'plain' : 'byte'} stream come out as they were, however it is cut`, async () => {
    const wire = joined(messages.map(frames => message(...frames)))
    for (const lengths of [[1], [7, 3], [4096], [5000, 1, 60_000], [wire.byteLength]]) {
      const heard = await read(streamOf(wire, lengths, type))
      assert.deepEqual(
        heard.map(parts => joined(parts)),
        messages.map(joined),
        String(lengths),
      )
      const payloads = heard.flat().filter(part => part.byteLength >= 2048)
      assert.ok(payloads.length === 3 && payloads.every(part => part.byteLength === part.buffer.byteLength))
    }
  })

test('a lane that breaks off within a message, or lies about lengths, is told from one that ends', async () => {
  const wire = message(frame(FRAME.data, long))
  assert.deepEqual(await read(streamOf(new Uint8Array(), [1], 'bytes')), [])
  for (const cut of [1, 4, 11, 12, 3000, wire.byteLength - 1])
    await assert.rejects(read(streamOf(wire.slice(0, cut), [4096], 'bytes')), /broke off/, String(cut))
  const lying = (length: number): Bytes => joined([new Uint8Array(new Uint32Array([length]).buffer), frame(FRAME.data, short)])
  for (const length of [600_000, 0xffffffff, 5, 10]) await assert.rejects(read(streamOf(lying(length), [4096], 'bytes')), ProtocolError, String(length))
})
