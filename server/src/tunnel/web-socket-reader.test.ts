import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webSocketReader } from './web-socket-reader.ts'

/** A client's frame, masked as browsers mask. */
function frame(first: number, payload: Uint8Array, { masked = true, mask = [7, 99, 250, 3] }: { masked?: boolean; mask?: readonly number[] } = {}): Buffer {
  const length = payload.byteLength
  const size =
    length < 126
      ? [length]
      : length < 65_536
        ? [126, length >> 8, length & 0xff]
        : [127, 0, 0, 0, 0, length >>> 24, (length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff]
  size[0] = (size[0] ?? 0) | (masked ? 0x80 : 0)
  const body = Buffer.from(payload)
  if (masked) for (let at = 0; at < length; at += 1) body[at] = (body[at] ?? 0) ^ (mask[at % 4] ?? 0)
  return Buffer.concat([Buffer.from([first, ...size]), masked ? Buffer.from(mask) : Buffer.alloc(0), body])
}

function reading(most = 100_000) {
  const heard: string[] = []
  const messages: Buffer[] = []
  const read = webSocketReader(most, {
    message: parts => {
      heard.push('message')
      messages.push(Buffer.concat(parts))
    },
    ping: payload => heard.push(`ping ${Buffer.from(payload).toString()}`),
    pong: () => heard.push('pong'),
    close: () => heard.push('close'),
    broken: code => heard.push(`broken ${code}`),
  })
  // A piece of its own each time: the reader unmasks where the bytes lie.
  return { heard, messages, read: (bytes: Uint8Array) => read(Buffer.from(bytes)) }
}

const pattern = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff))

test('messages of every length form arrive whole, however the bytes are cut', () => {
  const sent = [0, 1, 125, 126, 1000, 65_535, 65_536, 80_001].map(pattern)
  const wire = Buffer.concat(sent.map((payload, index) => frame(0x82, payload, { mask: [index, 255 - index, 17, 4] })))
  for (const cut of [1, 2, 3, 7, 1000, 4099, 65_536, wire.length]) {
    const { messages, read } = reading()
    for (let at = 0; at < wire.length; at += cut) read(wire.subarray(at, at + cut))
    assert.equal(messages.length, sent.length, `cut at every ${cut}`)
    for (const [index, payload] of sent.entries()) assert.ok(payload.equals(messages[index] as Buffer), `message ${index}, cut at every ${cut}`)
  }
})

test('a message in fragments, with pings between them, is one message', () => {
  const { heard, messages, read } = reading()
  read(frame(0x02, pattern(10)))
  read(frame(0x89, Buffer.from('there?')))
  read(frame(0x00, pattern(70_000)))
  read(frame(0x8a, Buffer.alloc(0)))
  read(frame(0x80, pattern(5)))
  assert.deepEqual(heard, ['ping there?', 'pong', 'message'])
  assert.ok(Buffer.concat([pattern(10), pattern(70_000), pattern(5)]).equals(messages[0] as Buffer))
})

const broken: readonly [name: string, wire: Buffer, code: number][] = [
  ['a frame without a mask', frame(0x82, pattern(3), { masked: false }), 1002],
  ['a reserved bit', frame(0xc2, pattern(3)), 1002],
  ['text', frame(0x81, pattern(3)), 1003],
  ['an unknown kind of data', frame(0x83, pattern(3)), 1002],
  ['an unknown kind of control', frame(0x8b, pattern(3)), 1002],
  ['a fragment of nothing', frame(0x80, pattern(3)), 1002],
  ['a message within a message', Buffer.concat([frame(0x02, pattern(3)), frame(0x82, pattern(3))]), 1002],
  ['a ping in fragments', frame(0x09, pattern(3)), 1002],
  ['a long ping', frame(0x89, pattern(126)), 1002],
  ['a message over the limit, before its bytes', frame(0x82, pattern(100_001)).subarray(0, 14), 1009],
  ['fragments over the limit', Buffer.concat([frame(0x02, pattern(60_000)), frame(0x00, pattern(60_000))]), 1009],
  ['a length beyond all numbers', Buffer.from([0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4]), 1009],
]
for (const [name, wire, code] of broken)
  test(`${name} ends the connection with ${code}, and nothing is read after it`, () => {
    const { heard, read } = reading()
    read(wire)
    read(frame(0x82, pattern(3)))
    assert.deepEqual(heard, [`broken ${code}`])
  })

test('nothing is read after a close', () => {
  const { heard, read } = reading()
  read(Buffer.concat([frame(0x88, Buffer.from([3, 232])), frame(0x82, pattern(3))]))
  assert.deepEqual(heard, ['close'])
})
