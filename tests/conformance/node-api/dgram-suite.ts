import assert from 'node:assert/strict'
import type * as nodeDgram from 'node:dgram'
import type { RemoteInfo, Socket } from 'node:dgram'
import type * as nodeNet from 'node:net'
import { test } from 'node:test'
import { thrown } from './thrown.ts'

/** What the suite of `dgram` runs on. */
export interface DgramUnderTest {
  readonly near: typeof nodeDgram
  readonly far: typeof nodeDgram
  readonly host: string
  readonly net: Pick<typeof nodeNet, 'BlockList'>
}

const bound = async (module: typeof nodeDgram, host: string): Promise<Socket> => {
  const socket = module.createSocket('udp4')
  await new Promise<void>(resolve => void socket.bind(0, host, resolve))
  return socket
}
const message = (socket: Socket): Promise<[Buffer, RemoteInfo]> => new Promise(resolve => void socket.once('message', (data, from) => resolve([data, from])))
const closed = (socket: Socket): Promise<void> => new Promise(resolve => void socket.close(() => resolve()))

/** The suite of `dgram`: the same expectations of Node's module and of ours. */
export function dgramSuite(under: () => DgramUnderTest, name: string): void {
  const title = (text: string): string => `LIB-13: ${name}: ${text}`
  async function pair(use: (near: Socket, far: Socket) => Promise<void>): Promise<void> {
    const { near, far, host } = under()
    const [first, second] = await Promise.all([bound(near, host), bound(far, host)])
    try {
      await use(first, second)
    } finally {
      await Promise.all([closed(first), closed(second)])
    }
  }

  test(title('datagrams go both ways with where they came from'), async () => {
    await pair(async (near, far) => {
      const { host } = under()
      const there = message(far)
      near.send('hello', far.address().port, host)
      const [data, from] = await there
      assert.deepEqual([data.toString(), from], ['hello', { address: host, family: 'IPv4', port: near.address().port, size: 5 }])
      const here = message(near)
      far.send(new Uint8Array([1, 2, 3]), from.port, from.address)
      const [answer, origin] = await here
      assert.deepEqual([[...answer], origin], [[1, 2, 3], { address: host, family: 'IPv4', port: far.address().port, size: 3 }])
      assert.equal(answer.readUInt16BE(1), 515)
    })
  })

  test(title('the forms of send mean the same, and the callback is told the length'), async () => {
    await pair(async (near, far) => {
      const { host } = under()
      const { port } = far.address()
      const forms: [string, (done: (error: Error | null, bytes: number) => void) => void][] = [
        ['text', done => near.send('text', port, host, done)],
        ['xt', done => near.send(Buffer.from('text'), 2, 2, port, host, done)],
        ['ab', done => near.send(['a', Buffer.from('b')], port, host, done)],
        ['view', done => near.send(new DataView(new TextEncoder().encode('view').buffer), port, host, done)],
        ['', done => near.send('', port, host, done)],
      ]
      for (const [text, send] of forms) {
        const arrived = message(far)
        const told = new Promise<[Error | null, number]>(resolve => send((error, bytes) => resolve([error, bytes])))
        assert.deepEqual(await told, [null, text.length])
        assert.equal((await arrived)[0].toString(), text)
      }
    })
  })

  test(title('a connected socket names no address, and says whom it is connected to'), async () => {
    await pair(async (near, far) => {
      const { host } = under()
      const { port } = far.address()
      assert.equal(
        thrown(() => near.remoteAddress()),
        'Error ERR_SOCKET_DGRAM_NOT_CONNECTED',
      )
      await new Promise<void>(resolve => near.connect(port, host, resolve))
      assert.deepEqual(near.remoteAddress(), { address: host, family: 'IPv4', port })
      assert.equal(
        thrown(() => near.connect(port, host)),
        'Error ERR_SOCKET_DGRAM_IS_CONNECTED',
      )
      assert.equal(
        thrown(() => near.send(Buffer.from('x'), 0, 1, port, host)),
        'Error ERR_SOCKET_DGRAM_IS_CONNECTED',
      )
      const arrived = message(far)
      near.send('connected')
      assert.equal((await arrived)[0].toString(), 'connected')
      near.disconnect()
      assert.equal(
        thrown(() => near.disconnect()),
        'Error ERR_SOCKET_DGRAM_NOT_CONNECTED',
      )
      const again = message(far)
      near.send('free', port, host)
      assert.equal((await again)[0].toString(), 'free')
    })
  })

  test(title('bind tells listening, and a second bind is refused'), async () => {
    const { near, host } = under()
    const socket = near.createSocket({ type: 'udp4', reuseAddr: false })
    assert.equal(
      thrown(() => socket.address()),
      'Error EBADF',
    )
    const listening = new Promise<void>(resolve => void socket.once('listening', resolve))
    assert.equal(socket.bind({ port: 0, address: host }), socket)
    assert.equal(
      thrown(() => socket.bind()),
      'Error ERR_SOCKET_ALREADY_BOUND',
    )
    await listening
    assert.equal(socket.address().address, host)
    await closed(socket)
  })

  test(title('a taken port is EADDRINUSE with its place'), async () => {
    await pair(async near => {
      const { host, near: module } = under()
      const other = module.createSocket('udp4')
      const { port } = near.address()
      const failed = new Promise<NodeJS.ErrnoException & { address?: string; port?: number }>(resolve => void other.once('error', resolve))
      other.bind(port, host)
      const error = await failed
      assert.deepEqual([error.code, error.syscall, error.address, error.port], ['EADDRINUSE', 'bind', host, port])
      await closed(other)
    })
  })

  test(title('a datagram that is too long is EMSGSIZE'), async () => {
    await pair(async (near, far) => {
      const { host } = under()
      const error = await new Promise<NodeJS.ErrnoException | null>(resolve =>
        near.send(new Uint8Array(65_508), far.address().port, host, problem => resolve(problem)),
      )
      assert.deepEqual([error?.code, error?.syscall], ['EMSGSIZE', 'send'])
    })
  })

  test(title('after close nothing works, and close is told once'), async () => {
    const { near, host } = under()
    const socket = await bound(near, host)
    await closed(socket)
    assert.deepEqual([() => socket.close(), () => socket.send('x', 1, host), () => socket.bind(), () => socket.address()].map(thrown).slice(0, 3), [
      'Error ERR_SOCKET_DGRAM_NOT_RUNNING',
      'Error ERR_SOCKET_DGRAM_NOT_RUNNING',
      'Error ERR_SOCKET_DGRAM_NOT_RUNNING',
    ])
  })

  test(title('an abort signal closes a socket'), async () => {
    const { near, host } = under()
    const controller = new AbortController()
    const socket = near.createSocket({ type: 'udp4', signal: controller.signal })
    await new Promise<void>(resolve => void socket.bind(0, host, resolve))
    const over = new Promise<void>(resolve => void socket.once('close', resolve))
    controller.abort()
    await over
  })

  test(title('settings are checked as Node checks them'), async () => {
    const { near, host } = under()
    const fresh = near.createSocket('udp4')
    const socket = await bound(near, host)
    assert.deepEqual([socket.setTTL(16), socket.setMulticastTTL(2), socket.setMulticastLoopback(true)], [16, 2, true])
    socket.setBroadcast(true)
    const wrong: (() => unknown)[] = [
      () => near.createSocket('udp5' as never),
      () => near.createSocket(undefined as never),
      () => fresh.setBroadcast(true),
      () => fresh.getRecvBufferSize(),
      () => socket.setTTL(300),
      () => socket.setTTL('1' as never),
      () => socket.setRecvBufferSize(-1),
      () => socket.send(5 as never, 1),
      () => socket.send('x', 0),
      () => socket.send('x', 70_000),
      () => socket.send([5] as never, 1),
      () => socket.send(Buffer.from('abc'), 2, 5, 1),
      () => socket.send('x', 1, 5 as never),
      () => socket.connect(0),
    ]
    assert.deepEqual(wrong.map(thrown), [
      'TypeError ERR_SOCKET_BAD_TYPE',
      'TypeError ERR_SOCKET_BAD_TYPE',
      'Error EBADF',
      'SystemError ERR_SOCKET_BUFFER_SIZE',
      'Error EINVAL',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_SOCKET_BAD_BUFFER_SIZE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'RangeError ERR_SOCKET_BAD_PORT',
      'RangeError ERR_SOCKET_BAD_PORT',
      'TypeError ERR_INVALID_ARG_TYPE',
      'RangeError ERR_BUFFER_OUT_OF_BOUNDS',
      'TypeError ERR_INVALID_ARG_TYPE',
      'RangeError ERR_SOCKET_BAD_PORT',
    ])
    await Promise.all([closed(fresh), closed(socket)])
  })

  test(title('what is sent before close is lost without a word, and close is told after it'), async () => {
    const { near, host } = under()
    const socket = near.createSocket('udp4')
    const told: string[] = []
    const over = new Promise<void>(resolve => void socket.on('close', resolve))
    socket.on('listening', () => told.push('listening'))
    socket.send('x', 9, host, () => told.push('sent'))
    assert.equal(
      socket.close(() => told.push('closed')),
      socket,
    )
    await over
    assert.deepEqual(told, ['listening', 'closed'])
    near.createSocket('udp4').close('no callback' as never)
  })

  test(title('a look-up of the app is asked for every host, and its failure is told where there is an ear for it'), async () => {
    const { near, host } = under()
    const asked: unknown[] = []
    const problem = new Error('no such name')
    type Done = (error: Error | null, address: string, family: number) => void
    const lookup = (name: string, family: unknown, done: Done): void => {
      asked.push([name, family])
      if (name === 'nowhere') done(problem, '', 0)
      else done(null, host, 4)
    }
    const socket = near.createSocket({ type: 'udp4', lookup })
    await new Promise<void>(resolve => void socket.bind(resolve))
    assert.equal(await new Promise(resolve => socket.send('x', 9, 'nowhere', resolve)), problem)
    const failed = new Promise(resolve => void socket.once('error', resolve))
    socket.send('x', 9, 'nowhere')
    assert.equal(await failed, problem)
    await new Promise<void>(resolve => socket.connect(9, resolve))
    assert.deepEqual(asked, [
      ['0.0.0.0', 4],
      ['nowhere', 4],
      ['nowhere', 4],
      ['127.0.0.1', 4],
    ])
    await closed(socket)
  })

  test(title('a block list is heeded by send, by connect and by what arrives'), async () => {
    await pair(async (_near, far) => {
      const { near, net, host } = under()
      const list = new net.BlockList()
      list.addAddress(host)
      const socket = near.createSocket({ type: 'udp4', sendBlockList: list, receiveBlockList: list })
      await new Promise<void>(resolve => void socket.bind(0, host, resolve))
      const codes = await Promise.all([
        new Promise<unknown>(resolve => socket.send('x', far.address().port, host, error => resolve((error as NodeJS.ErrnoException).code))),
        new Promise<unknown>(resolve => socket.connect(far.address().port, host, ((error: NodeJS.ErrnoException) => resolve(error.code)) as never)),
      ])
      assert.deepEqual(codes, ['ERR_IP_BLOCKED', 'ERR_IP_BLOCKED'])
      assert.equal(
        thrown(() => near.createSocket({ type: 'udp4', sendBlockList: {} as never })),
        'TypeError ERR_INVALID_ARG_TYPE',
      )
      await closed(socket)
    })
  })

  test(title('an address of the other family is EINVAL'), async () => {
    const { near, host } = under()
    const socket = await bound(near, host)
    const errors = await Promise.all([
      new Promise<NodeJS.ErrnoException | null>(resolve => socket.send('x', 9, '::1', resolve)),
      new Promise<NodeJS.ErrnoException>(resolve => socket.connect(9, '::1', resolve as never)),
    ])
    assert.deepEqual(
      errors.map(error => error?.message),
      ['send EINVAL ::1:9', 'connect EINVAL ::1:9'],
    )
    await closed(socket)
  })

  test(title('a connected socket outlives what its other end refuses'), async () => {
    const { near: module, far: other, host } = under()
    const [near, gone] = await Promise.all([bound(module, host), bound(other, host)])
    const [{ port: own }, { port }] = [near.address(), gone.address()]
    await closed(gone)
    await new Promise<void>(resolve => near.connect(port, host, resolve))
    const refused = new Promise<NodeJS.ErrnoException>(resolve => void near.once('error', resolve))
    near.send('to nobody')
    const { code, syscall } = await refused
    assert.deepEqual([code, syscall], ['ECONNREFUSED', 'recvmsg'])
    const back = other.createSocket('udp4')
    await new Promise<void>(resolve => void back.bind(port, host, resolve))
    const arrived = message(back)
    near.on('error', () => near.send('again'))
    near.send('again')
    const [data, from] = await arrived
    assert.deepEqual([data.toString(), from.port, near.remoteAddress().port], ['again', own, port])
    await Promise.all([closed(near), closed(back)])
  })

  test(title('one that could not be bound can be bound again'), async () => {
    await pair(async near => {
      const { host, near: module } = under()
      const socket = module.createSocket('udp4')
      const { port } = near.address()
      for (let time = 0; time < 3; time += 1) {
        const failed = new Promise<NodeJS.ErrnoException>(resolve => void socket.once('error', resolve))
        socket.bind(port, host, () => assert.fail('it was taken'))
        assert.equal((await failed).code, 'EADDRINUSE')
      }
      await new Promise<void>(resolve => void socket.bind(0, host, resolve))
      assert.equal(socket.listenerCount('listening') + socket.listenerCount('error'), 0)
      const nowhere = module.createSocket('udp4')
      const error = await new Promise<NodeJS.ErrnoException & { port?: number }>(resolve => void nowhere.once('error', resolve).bind(0, '1.1.1.1'))
      assert.deepEqual([error.message, error.port], ['bind EADDRNOTAVAIL 1.1.1.1', undefined])
      await Promise.all([closed(socket), closed(nowhere)])
    })
  })

  test(title('further arguments are checked as Node checks them'), async () => {
    const { near, host } = under()
    const fresh = near.createSocket('udp4')
    const socket = await bound(near, host)
    const { port } = socket.address()
    const sending = socket as unknown as { send(...of: unknown[]): void; sendto(...of: unknown[]): void }
    const group = '224.0.0.114'
    const wrong: (() => unknown)[] = [
      () => near.createSocket({ type: 'udp4', signal: {} as never }),
      () => near.createSocket({ type: 'udp4', recvBufferSize: 'x' as never }),
      ...[[], 0, 1, true, false, 1n, {}].map(address => () => sending.send('x', port, address)),
      () => sending.send(Buffer.from('abc'), 4, 0, port),
      () => sending.send(Buffer.from('abc'), 2, 2, port),
      () => sending.sendto(),
      () => sending.sendto('abc', 1, 1, 10, false),
      () => fresh.addMembership(undefined as never),
      () => fresh.addMembership('256.256.256.256'),
      () => fresh.dropMembership('256.256.256.256'),
      () => fresh.addSourceSpecificMembership(0 as never, group),
      () => fresh.addSourceSpecificMembership(group, '0'),
      () => socket.setMulticastInterface(1 as never),
      () => socket.setMulticastInterface(''),
      () => socket.setRecvBufferSize(2 ** 31),
    ]
    const type = 'TypeError ERR_INVALID_ARG_TYPE'
    assert.deepEqual(wrong.map(thrown), [
      ...Array.from({ length: 9 }, () => type),
      ...['RangeError ERR_BUFFER_OUT_OF_BOUNDS', 'RangeError ERR_BUFFER_OUT_OF_BOUNDS', type, type],
      ...['TypeError ERR_MISSING_ARGS', 'Error EINVAL', 'Error EINVAL', type, 'Error EINVAL'],
      ...[type, 'Error EINVAL', 'SystemError ERR_SOCKET_BUFFER_SIZE'],
    ])
    socket.setMulticastInterface('0.0.0.0')
    await new Promise<void>(resolve => socket.connect(port, host, resolve))
    assert.deepEqual(
      [() => sending.send('abc', 0, 1, port), () => sending.send('abc', port, host, () => undefined), () => sending.send(23, port, host)].map(thrown),
      ['Error ERR_SOCKET_DGRAM_IS_CONNECTED', 'Error ERR_SOCKET_DGRAM_IS_CONNECTED', type],
    )
    assert.deepEqual([socket.getSendQueueSize(), socket.getSendQueueCount()], [0, 0])
    await Promise.all([closed(fresh), closed(socket)])
    assert.deepEqual([() => fresh.addMembership(group), () => fresh.setMulticastInterface('0.0.0.0'), () => fresh.remoteAddress()].map(thrown), [
      ...Array.from({ length: 3 }, () => 'Error ERR_SOCKET_DGRAM_NOT_RUNNING'),
    ])
  })
}
