import assert from 'node:assert/strict'
import { SocketAddress } from 'node:net'
import { test } from 'node:test'
import { readDatagram, writeDatagram } from './datagram.ts'
import { ProtocolError } from './frames.ts'

test('a datagram is read back, its address in the text Node gives it', () => {
  for (const address of [
    '1.2.3.4',
    '255.255.255.255',
    '::',
    '::1',
    '2001:db8::1',
    '1:0:0:2:0:0:0:3',
    'fe80::1',
    '1:2:3:4:5:6:7:8',
    '::ffff:1.2.3.4',
    '1:0:2:3:4:5:6:7',
  ]) {
    const data = Uint8Array.of(1, 2, 3)
    const { address: read, port, data: back } = readDatagram(writeDatagram({ address, port: 65_535, data }))
    const usual = address.includes(':') ? new SocketAddress({ address, family: 'ipv6' }).address : address
    const plain = /^::ffff:\d+\./.test(usual) ? '::ffff:102:304' : usual
    assert.deepEqual([read, port, [...back]], [plain, 65_535, [1, 2, 3]])
  }
})

test('what is no address is not written, what is no datagram is not read', () => {
  for (const address of ['', 'example.com', '1.2.3', '1.2.3.256', '1::2::3', '1:2:3', '12345::', ':::', '1:2:3:4:5:6:7:8:9'])
    assert.throws(() => writeDatagram({ address, port: 1, data: new Uint8Array() }), TypeError, address)
  for (const payload of [[], [5, 0, 0], [4, 0, 0, 1, 2, 3], [6, 0, 0, ...Array.from({ length: 15 }, () => 0)]])
    assert.throws(() => readDatagram(Uint8Array.from(payload)), ProtocolError)
})
