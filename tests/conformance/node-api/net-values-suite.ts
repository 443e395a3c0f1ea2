import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { BlockList } from '@deputy/client/net'
import { netScene, type NetUnderTest } from './net-under-test.ts'
import { thrown } from './thrown.ts'

/** The suite of `net`, of arguments and addresses. */
export function netValues(under: () => NetUnderTest, name: string): void {
  const { title } = netScene(under, name)

  test(title('arguments are checked as Node checks them'), () => {
    const { client, server } = under()
    const quiet = (): Socket => new client.Socket().on('error', () => undefined)
    const wrong: (() => unknown)[] = [
      () => quiet().connect({} as never),
      () => quiet().connect({ port: 65_536 }),
      () => quiet().connect({ port: -1 }),
      () => quiet().connect({ port: {} as never }),
      () => quiet().connect({ port: 1, host: 5 as never }),
      () => quiet().connect({ port: 1, lookup: 5 as never }),
      () => quiet().connect({ port: 1, localAddress: 'nowhere' }),
      () => quiet().setTimeout('5' as never),
      () => quiet().setTimeout(-1),
      () => quiet().setTimeout(1, 5 as never),
      () => server.createServer('x' as never),
      () => server.createServer().listen({ port: 65_536 }),
      () => server.createServer().listen({} as never),
      () => new client.BlockList().addAddress(5 as never),
      () => new client.BlockList().addSubnet('10.0.0.0', 33),
      () => new client.BlockList().addRange('10.0.0.2', '10.0.0.1'),
      () => new client.SocketAddress({ family: 'ipv5' as never }),
      () => new client.SocketAddress({ port: 70_000 }),
      () => server.createServer().listen({ path: -1 } as never),
      () => server.createServer().listen({ port: -1, path: '/x' }),
      () => server.createServer().listen({ port: 0, signal: 'x' as never }),
      () => server.createServer({ blockList: {} as never }),
      () => quiet().setTimeout(Infinity),
      () => client.connect({ port: 1, objectMode: true } as never),
      () => client.connect({ port: 1, signal: 'x' as never } as never),
      () => client.connect({ port: 1, hints: 5 }),
      () => client.connect({ port: 1, autoSelectFamily: 'yes' as never }),
      () => client.connect({ port: 1, autoSelectFamilyAttemptTimeout: 0 }),
      () => client.setDefaultAutoSelectFamily(1 as never),
      () => client.setDefaultAutoSelectFamilyAttemptTimeout(0),
      () => new client.Socket({ fd: -1 }),
      () => new client.Socket({ fd: 'x' as never }),
      () => quiet().write(true as never),
      () => quiet().write(null as never),
      () => quiet().write({} as never),
    ]
    assert.deepEqual(wrong.map(thrown), [
      'TypeError ERR_MISSING_ARGS',
      'RangeError ERR_SOCKET_BAD_PORT',
      'RangeError ERR_SOCKET_BAD_PORT',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_IP_ADDRESS',
      'TypeError ERR_INVALID_ARG_TYPE',
      'RangeError ERR_OUT_OF_RANGE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'RangeError ERR_SOCKET_BAD_PORT',
      'TypeError ERR_INVALID_ARG_VALUE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'RangeError ERR_OUT_OF_RANGE',
      'TypeError ERR_INVALID_ARG_VALUE',
      'TypeError ERR_INVALID_ARG_VALUE',
      'RangeError ERR_SOCKET_BAD_PORT',
      'TypeError ERR_INVALID_ARG_VALUE',
      'RangeError ERR_SOCKET_BAD_PORT',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'RangeError ERR_OUT_OF_RANGE',
      'TypeError ERR_INVALID_ARG_VALUE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_VALUE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'RangeError ERR_OUT_OF_RANGE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'RangeError ERR_OUT_OF_RANGE',
      'RangeError ERR_OUT_OF_RANGE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_STREAM_NULL_VALUES',
      'TypeError ERR_INVALID_ARG_TYPE',
    ])
  })

  test(title('addresses, block lists and socket addresses say the same'), () => {
    const { client } = under()
    const texts = [
      '1.2.3.4',
      '01.2.3.4',
      '256.1.1.1',
      '1.2.3',
      '',
      '::',
      '::1',
      '1::',
      '1:2:3:4:5:6:7:8',
      '1:2:3:4:5:6:7::',
      '::ffff:1.2.3.4',
      '1::2::3',
      'fe80::1%eth0',
      '1:2:3:4:5:6:7:8:9',
      'localhost',
      ':::',
      '12345::',
    ]
    assert.deepEqual(
      texts.map(text => client.isIP(text)),
      [4, 0, 0, 0, 0, 6, 6, 6, 6, 6, 6, 0, 6, 0, 0, 0, 0],
    )
    assert.deepEqual([client.isIPv4('1.1.1.1'), client.isIPv6('1.1.1.1'), client.isIP(5 as never)], [true, false, 0])
    const list = new client.BlockList()
    list.addAddress('123.123.123.123')
    list.addRange('10.0.0.1', '10.0.0.10')
    list.addSubnet('8592:757c:efae:4e45::', 64, 'ipv6')
    assert.deepEqual(
      [
        list.check('123.123.123.123'),
        list.check('10.0.0.3'),
        list.check('10.0.0.11'),
        list.check('8592:757c:efae:4e45:1::', 'ipv6'),
        list.check('8592:757c:efae:4e46::', 'ipv6'),
        list.check('::ffff:7b7b:7b7b', 'ipv6'),
        list.check('::ffff:123.123.123.123', 'ipv6'),
        list.check('nowhere'),
      ],
      [true, true, false, true, false, true, true, false],
    )
    assert.deepEqual(list.rules.toSorted(), ['Address: IPv4 123.123.123.123', 'Range: IPv4 10.0.0.1-10.0.0.10', 'Subnet: IPv6 8592:757c:efae:4e45::/64'])
    const address = new client.SocketAddress({ address: '1.2.3.4', port: 80 })
    assert.deepEqual([address.address, address.port, address.family, address.flowlabel], ['1.2.3.4', 80, 'ipv4', 0])
    list.addAddress(address)
    assert.equal(list.check(address), true)
    assert.equal(new client.SocketAddress({ family: 'ipv6' }).address, '::')
    assert.deepEqual([client.BlockList.isBlockList(list), client.SocketAddress.parse('[::1]:8080')?.port], [true, 8080])
  })

  test(title('sockets and servers are made without new as well, and by constructors of the older kind'), () => {
    const { client, server } = under()
    const call = (made: unknown): ((this: unknown, ...of: unknown[]) => object) => made as never
    const plain = call(client.Socket)({ allowHalfOpen: true })
    assert.ok(plain instanceof client.Socket && plain instanceof (client as unknown as { Stream: typeof Socket }).Stream)
    assert.equal(plain.allowHalfOpen, true)
    assert.ok(call(server.Server)(() => undefined) instanceof server.Server)
    assert.equal(new client.Socket().constructor, client.Socket)
    function Older(this: object): void {
      call(client.Socket).call(this, { highWaterMark: 5 })
    }
    Object.setPrototypeOf(Older.prototype as object, client.Socket.prototype)
    const older = new (Older as unknown as new () => Socket)()
    assert.deepEqual([older.readableHighWaterMark, older.connecting, older.setTimeout(5).timeout], [5, false, 5])
    older.setTimeout(0)
    const apart = new client.Socket({ readableHighWaterMark: 7 } as object)
    assert.deepEqual([apart.readableHighWaterMark, apart.writableHighWaterMark], [7, 65_536])
    class Newer extends client.Socket {
      own = 1
    }
    assert.deepEqual([new Newer().own, new Newer() instanceof client.Socket], [1, true])
  })

  test(title('rules of a block list are added many at a time, taken away, and kept as JSON'), () => {
    const list = new (under().client.BlockList)() as unknown as BlockList
    list.addAddresses(['1.1.1.1', '1.1.1.1'])
    list.addAddress('1:0:0::2', 'ipv6')
    list.addCIDRs(['10.1.2.3/8', 'fc00::/7'])
    list.addRange('9.0.0.1', '9.0.0.9')
    const words = [...['Address: IPv4 1.1.1.1', 'Address: IPv6 1::2', 'Range: IPv4 9.0.0.1-9.0.0.9', 'Subnet: IPv4 10.1.2.3/8', 'Subnet: IPv6 fc00::/7']]
    assert.deepEqual([list.rules.toSorted(), list.size], [words, 5])
    for (const from of [list.toJSON(), JSON.stringify(list)]) {
      const copy = new (under().client.BlockList)() as unknown as BlockList
      copy.fromJSON(from)
      assert.deepEqual(copy.rules.toSorted(), words)
      assert.equal(copy.check('10.200.0.1'), true)
    }
    list.removeCIDR('10.1.2.3/8')
    list.removeRange('9.0.0.1', '9.0.0.9')
    list.removeAddress('1.1.1.1')
    list.removeSubnet('fc00::', 7, 'ipv6')
    list.removeAddress('7.7.7.7')
    assert.deepEqual([list.rules, list.check('10.200.0.1')], [['Address: IPv6 1::2'], false])
    list.clear()
    assert.equal(list.size, 0)
    const wrong = [
      () => list.addCIDR('10.0.0.0'),
      () => list.addCIDR('10.0.0.0/33'),
      () => list.addCIDR('10.0.0.0/08'),
      () => list.addCIDRs(['1.0.0.0/8', 'x']),
      () => list.addAddresses(['1.0.0.0', 'x']),
      () => list.fromJSON('{}'),
      () => list.check('1.1.1.1', 5 as never),
      () => new (under().client.SocketAddress)({ flowlabel: -1 }),
    ]
    assert.deepEqual(wrong.map(thrown), [
      'TypeError ERR_INVALID_ARG_VALUE',
      'RangeError ERR_OUT_OF_RANGE',
      'TypeError ERR_INVALID_ARG_VALUE',
      'TypeError ERR_INVALID_ARG_VALUE',
      'Error ERR_INVALID_ADDRESS',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'RangeError ERR_OUT_OF_RANGE',
    ])
    assert.deepEqual([list.rules, under().client.SocketAddress.parse('256:1256')?.address], [[], '0.0.1.0'])
  })
}
