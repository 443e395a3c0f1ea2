import assert from 'node:assert/strict'
import type { NetConnectOpts, Socket } from 'node:net'
import { test } from 'node:test'
import { closed, eventOf, written, netScene, type NetUnderTest } from './net-under-test.ts'

/** The older name of `writableLength`, which is nothing without a handle. */
const waiting = (socket: object): unknown => (socket as { bufferSize?: number }).bufferSize

/** The suite of `net`, of connecting: refusals, look-ups, settings, time and signals. */
export function netConnect(under: () => NetUnderTest, name: string): void {
  const { title, served, connect } = netScene(under, name)

  test(title('both ends know where they are, and the server knows where it listens'), async () => {
    const accepted = Promise.withResolvers<Socket>()
    await served({}, accepted.resolve, async (port, server) => {
      const { host } = under()
      assert.deepEqual(server.address(), { address: host, family: 'IPv4', port })
      const socket = connect(port)
      await eventOf(socket, 'connect')
      const peer = await accepted.promise
      assert.deepEqual([socket.remoteAddress, socket.remotePort, socket.remoteFamily], [host, port, 'IPv4'])
      assert.equal(socket.localFamily, 'IPv4')
      assert.deepEqual(peer.address(), { address: host, family: 'IPv4', port })
      assert.deepEqual(socket.address(), { address: peer.remoteAddress, family: 'IPv4', port: peer.remotePort })
      const count = await new Promise(resolve => server.getConnections((_error, number) => resolve(number)))
      assert.equal(count, 1)
      socket.destroy()
      await closed(socket)
      assert.deepEqual(socket.address(), {})
    })
  })

  test(title('a port without a listener is ECONNREFUSED with address and port'), async () => {
    const { host, client } = under()
    let port = 0
    await served(
      {},
      () => undefined,
      async taken => void (port = taken),
    )
    const socket = client.connect(port, host)
    const here = written(socket)
    const over = closed(socket)
    const error = await eventOf<NodeJS.ErrnoException & { address?: string; port?: number }>(socket, 'error')
    assert.deepEqual(
      [error.code, error.errno, error.syscall, error.address, error.port, error.message],
      ['ECONNREFUSED', -111, 'connect', host, port, `connect ECONNREFUSED ${host}:${port}`],
    )
    await over
    assert.deepEqual(here, ['error ECONNREFUSED', 'close true'])
    assert.equal(socket.connecting, false)
  })

  test(title('a socket can connect anew after it was closed'), async () => {
    await served(
      {},
      socket => socket.end('again'),
      async port => {
        const socket = connect(port)
        const heard: string[] = []
        socket.on('data', data => heard.push(String(data)))
        await closed(socket)
        socket.connect(port, under().host)
        assert.equal(socket.connecting, true)
        await closed(socket)
        assert.deepEqual(heard, ['again', 'again'])
      },
    )
  })

  test(title('silence is told by timeout, and the socket stays open'), async () => {
    await served(
      {},
      () => undefined,
      async port => {
        const socket = connect(port, { timeout: 40 })
        assert.equal(socket.timeout, 40)
        await eventOf(socket, 'timeout')
        assert.equal(socket.destroyed, false)
        assert.equal(socket.setTimeout(0), socket)
        socket.destroy()
        await closed(socket)
      },
    )
  })

  test(title('settings answer the socket itself'), async () => {
    await served(
      {},
      () => undefined,
      async port => {
        const socket = connect(port, { noDelay: true, keepAlive: true })
        assert.equal(socket.setNoDelay(true).setKeepAlive(true, 1000).ref().unref(), socket)
        await eventOf(socket, 'connect')
        assert.equal(socket.setNoDelay(false).setKeepAlive(false), socket)
        socket.destroy()
        await closed(socket)
      },
    )
  })

  test(title('an abort signal ends a socket with AbortError'), async () => {
    await served(
      {},
      () => undefined,
      async port => {
        const controller = new AbortController()
        const socket = under().client.connect({ port, host: under().host, signal: controller.signal } as never)
        await eventOf(socket, 'connect')
        const failed = eventOf<NodeJS.ErrnoException>(socket, 'error')
        controller.abort()
        const error = await failed
        assert.deepEqual([error.name, error.code], ['AbortError', 'ABORT_ERR'])
      },
    )
  })

  test(title('a block list keeps a socket from connecting'), async () => {
    await served(
      {},
      () => undefined,
      async port => {
        const blockList = new (under().client.BlockList)()
        blockList.addSubnet('127.0.0.0', 8)
        const socket = connect(port, { blockList })
        const error = await eventOf<NodeJS.ErrnoException>(socket, 'error')
        assert.equal(error.code, 'ERR_IP_BLOCKED')
      },
    )
  })

  test(title('a look-up of its own is asked and told by lookup'), async () => {
    await served(
      {},
      socket => socket.end('x'),
      async port => {
        const asked: string[] = []
        const socket = under().client.connect({
          port,
          host: 'somewhere.test',
          autoSelectFamily: false,
          lookup: (hostname, _options, done) => {
            asked.push(hostname)
            queueMicrotask(() => done(null, under().host, 4))
          },
        })
        const told = new Promise(resolve => void socket.once('lookup', (...of) => resolve(of)))
        assert.deepEqual(await told, [null, under().host, 4, 'somewhere.test'])
        socket.resume()
        await closed(socket)
        assert.deepEqual(asked, ['somewhere.test'])
      },
    )
  })

  test(title('the addresses of a name are tried in turn, and all that was wrong is told'), async () => {
    await served(
      {},
      socket => socket.end('x'),
      async port => {
        const { client, host } = under()
        const answering = (...addresses: string[]): Partial<NetConnectOpts> => ({
          host: 'somewhere.test',
          autoSelectFamily: true,
          lookup: (_name, _options, done) =>
            done(
              null,
              addresses.map(address => ({ address, family: client.isIP(address) })),
            ),
        })
        const first = connect(port, answering('127.0.0.8', host))
        const failed: unknown[] = []
        first.on('connectionAttemptFailed', (...of: unknown[]) => failed.push(...of.slice(0, 3)))
        assert.equal(String(await eventOf(first, 'data')), 'x')
        assert.deepEqual(failed, ['127.0.0.8', port, 4])
        assert.deepEqual(first.autoSelectFamilyAttemptedAddresses, [`127.0.0.8:${port}`, `${host}:${port}`])
        await closed(first)
        const second = connect(port, answering('127.0.0.8', '127.0.0.7'))
        const error = await eventOf<AggregateError & { code: string }>(second, 'error')
        assert.deepEqual([error.constructor.name, error.code], ['AggregateError', 'ECONNREFUSED'])
        assert.deepEqual(
          error.errors.map(({ message }: Error) => message),
          [`connect ECONNREFUSED 127.0.0.8:${port}`, `connect ECONNREFUSED 127.0.0.7:${port}`],
        )
      },
    )
  })

  test(title('what a look-up answers wrongly, a name that is none and a path that is not there are told by error'), async () => {
    const { client } = under()
    const answering = (address: unknown, family: number): Socket =>
      client.connect({ port: 80, host: 'localhost', lookup: (_name, _options, done) => done(null, [{ address, family }] as never) })
    const failing = [
      answering(undefined, 4),
      answering('127.0.0.1', 100),
      client.connect(80, '*'.repeat(64)),
      client.connect('/nowhere/at.all'),
      client.connect({ path: '/nowhere/at.all' }),
    ]
    const errors = failing.map(async socket => {
      const { code, message } = await eventOf<NodeJS.ErrnoException>(socket, 'error')
      return [code, message]
    })
    assert.deepEqual(await Promise.all(errors), [
      ['ERR_INVALID_IP_ADDRESS', 'Invalid IP address: undefined'],
      ['ERR_INVALID_ADDRESS_FAMILY', 'Invalid address family: 100 localhost:80'],
      ['ENOTFOUND', `getaddrinfo ENOTFOUND ${'*'.repeat(64)}`],
      ['ENOENT', 'connect ENOENT /nowhere/at.all'],
      ['ENOENT', 'connect ENOENT /nowhere/at.all'],
    ])
  })

  test(title('a handle is there from connect to close, and settings that were made before reach it once'), async () => {
    await served(
      {},
      () => undefined,
      async port => {
        const socket = connect(port, { noDelay: true, keepAlive: true, keepAliveInitialDelay: 2000 }) as Socket & { _handle: Record<string, unknown> | null }
        assert.deepEqual([socket.pending, waiting(socket)], [true, 0])
        const set: unknown[] = []
        assert.ok(socket._handle)
        socket._handle['setNoDelay'] = (on: boolean) => set.push(on)
        socket._handle['setKeepAlive'] = (on: boolean, seconds: number) => set.push([on, seconds])
        await eventOf(socket, 'connect')
        socket.setNoDelay().setNoDelay(true).setKeepAlive(true, 2500)
        assert.deepEqual(set, [true, [true, 2]])
        assert.equal(socket.remotePort, port)
        socket.destroy()
        await closed(socket)
        assert.deepEqual([socket._handle, socket.remotePort, waiting(socket)], [null, port, undefined])
      },
    )
  })
}
