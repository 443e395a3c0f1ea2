import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { after, before, test } from 'node:test'
import { boundFrame, resolvedFrame } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { FRAME, fromJson, readDatagram, toJson, writeDatagram, type FrameType, type Stream } from '@deputy/tunnel'
import { startTunnelNode, type TestNode } from '../../support/tunnel-node.ts'

let node: TestNode
let echo: Socket
let port = 0
before(async () => {
  node = await startTunnelNode()
  echo = createSocket('udp4', (data, from) => echo.send(data, from.port, from.address))
  await new Promise<void>(resolve => echo.bind(0, '127.0.0.1', resolve))
  ;({ port } = echo.address())
})
after(async () => {
  echo.close()
  await node.close()
})

/** The next frame of a stream, or the code it was reset with. */
const next = (stream: Stream): Promise<{ type: FrameType; payload: Uint8Array<ArrayBuffer> } | string> =>
  new Promise(resolve => stream.hear({ frame: (type, payload) => resolve({ type, payload }), reset: ({ code }) => resolve(code) }))
async function bound(stream: Stream): Promise<ReturnType<typeof parse<typeof boundFrame>>> {
  const frame = await next(stream)
  assert.ok(typeof frame !== 'string', String(frame))
  return parse(boundFrame, fromJson(frame.payload))
}
const bind = (address: string, at = 0): Uint8Array<ArrayBuffer> => toJson({ type: 'udp4', address, port: at })

test('NET-9: a bound socket sends to any address and tells the sender of each datagram; connected it needs no address', async () => {
  const dial = node.dial()
  const stream = dial.session.open(FRAME.bind, bind('127.0.0.1'))
  const { local } = await bound(stream)
  assert.deepEqual([local.address, local.family, local.port > 0], ['127.0.0.1', 'IPv4', true])
  const reply = next(stream)
  stream.send(FRAME.datagram, writeDatagram({ address: '127.0.0.1', port, data: Buffer.from('one') }))
  const frame = await reply
  assert.ok(typeof frame !== 'string')
  const { address, port: from, data } = readDatagram(frame.payload)
  assert.deepEqual([address, from, Buffer.from(data).toString()], ['127.0.0.1', port, 'one'])

  const connecting = next(stream)
  stream.send(FRAME.connect, toJson({ address: '127.0.0.1', port }))
  const connected = await connecting
  assert.ok(typeof connected !== 'string')
  assert.deepEqual((fromJson(connected.payload) as { remote: unknown }).remote, { address: '127.0.0.1', port, family: 'IPv4' })
  const again = next(stream)
  stream.send(FRAME.datagram, writeDatagram({ address: '0.0.0.0', port: 0, data: Buffer.from('two') }))
  const second = await again
  assert.ok(typeof second !== 'string')
  assert.equal(Buffer.from(readDatagram(second.payload).data).toString(), 'two')

  const refused = next(stream)
  stream.send(FRAME.connect, toJson({ address: '10.0.0.1', port: 53 }))
  const no = await refused
  assert.ok(typeof no !== 'string')
  assert.deepEqual(fromJson(no.payload), { code: 'EACCES' })
  stream.end()
  dial.close()
})

test('a bind is exact or refused, and a malformed datagram ends its socket only', async () => {
  const dial = node.dial()
  assert.equal(await next(dial.session.open(FRAME.bind, bind('192.0.2.1'))), 'EADDRNOTAVAIL')
  assert.equal(await next(dial.session.open(FRAME.bind, bind('127.0.0.1', 80))), 'EACCES')
  assert.equal(await next(dial.session.open(FRAME.bind, toJson({ type: 'udp6', address: '127.0.0.1', port: 0 }))), 'EINVAL')
  const first = dial.session.open(FRAME.bind, bind('127.0.0.1'))
  const { local } = await bound(first)
  assert.equal(await next(dial.session.open(FRAME.bind, bind('127.0.0.1', local.port))), 'EADDRINUSE')
  const other = dial.session.open(FRAME.bind, bind('127.0.0.1'))
  await bound(other)
  const ended = next(other)
  other.send(FRAME.datagram, Uint8Array.of(9))
  assert.equal(await ended, 'EINVAL')
  assert.ok((await dial.session.ping()) >= 0)
  assert.equal(first.ended, false)
  dial.close()
})

test('NET-4: a name is resolved to what may be reached; what may not is forbidden, what is unknown is not found', async () => {
  const dial = node.dial()
  const resolve = (host: string, family: 0 | 4 | 6 = 0): ReturnType<typeof next> => next(dial.session.open(FRAME.resolve, toJson({ host, family })))
  const found = await resolve('localhost')
  assert.ok(typeof found !== 'string')
  assert.deepEqual(parse(resolvedFrame, fromJson(found.payload)).addresses, [{ address: '127.0.0.1', family: 4 }])
  assert.equal(await resolve('10.1.1.1'), 'EACCES')
  assert.equal(await resolve('127.0.0.1', 6), 'ENOTFOUND')
  assert.equal(await resolve('no-such-name.invalid'), 'ENOTFOUND')
  dial.close()
})
