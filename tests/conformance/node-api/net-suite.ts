import assert from 'node:assert/strict'
import type { AddressInfo, Server, ServerOpts, Socket } from 'node:net'
import type * as nodeNet from 'node:net'
import { test } from 'node:test'

/** What the suite of `net` runs on: the module that connects, the module that listens, and where. */
export interface NetUnderTest {
  readonly name: string
  readonly client: typeof nodeNet
  readonly server: typeof nodeNet
  readonly host: string
  /** Whether an address without a listener is told at once. */
  readonly refuses: boolean
}

const eventNames = ['lookup', 'connect', 'ready', 'data', 'end', 'finish', 'timeout', 'error', 'close'] as const
/** Writes down the events of a socket. */
function written(socket: Socket, into: string[] = [], isFlowing = true): string[] {
  for (const name of eventNames) {
    if (name === 'data' && !isFlowing) continue
    socket.on(name, (...of: unknown[]) => {
      const [first] = of
      const detail = name === 'data' ? String(first) : name === 'close' ? String(first) : name === 'error' ? String((first as NodeJS.ErrnoException).code) : ''
      into.push(detail === '' ? name : `${name} ${detail}`)
    })
  }
  return into
}
const closed = (socket: Socket | Server): Promise<void> => new Promise(resolve => void socket.once('close', () => resolve()))
const eventOf = async <T>(of: NodeJS.EventEmitter, name: string): Promise<T> => {
  const { promise, resolve } = Promise.withResolvers<T>()
  of.once(name, resolve)
  return promise
}
const thrown = (run: () => unknown): string => {
  try {
    run()
    return 'nothing'
  } catch (error) {
    return `${(error as Error).name} ${(error as NodeJS.ErrnoException).code}`
  }
}

/** The suite of `net`: the same expectations of Node's module and of ours. */
export function netSuite(under: () => NetUnderTest, name: string): void {
  const title = (text: string): string => `LIB-13: ${name}: ${text}`
  async function served(options: ServerOpts, accept: (socket: Socket) => void, use: (port: number, server: Server) => Promise<void>): Promise<void> {
    const { server: module, host } = under()
    const server = module.createServer(options, accept)
    const sockets = new Set<Socket>()
    server.on('connection', socket => sockets.add(socket))
    server.listen(0, host)
    await eventOf(server, 'listening')
    try {
      await use((server.address() as AddressInfo).port, server)
    } finally {
      for (const socket of sockets) socket.destroy()
      if (server.listening) {
        server.close()
        await closed(server)
      }
    }
  }
  const connect = (port: number, options: Partial<nodeNet.TcpNetConnectOpts> = {}): Socket => under().client.connect({ port, host: under().host, ...options })

  test(title('events of a short conversation come in the same order on both ends'), async () => {
    const there: string[] = []
    const accepted = Promise.withResolvers<Socket>()
    await served(
      {},
      socket => {
        written(socket, there)
        socket.on('data', data => socket.write(`heard ${String(data)}`))
        accepted.resolve(socket)
      },
      async port => {
        const socket = connect(port)
        const here = written(socket)
        assert.equal(socket.connecting, true)
        assert.equal(socket.readyState, 'opening')
        assert.equal(socket.pending, true)
        await eventOf(socket, 'connect')
        assert.deepEqual([socket.connecting, socket.readyState, socket.pending], [false, 'open', false])
        socket.write('one')
        await eventOf(socket, 'data')
        assert.deepEqual([socket.bytesWritten, socket.bytesRead], [3, 9])
        socket.end()
        await Promise.all([closed(socket), closed(await accepted.promise)])
        assert.deepEqual(here, ['connect', 'ready', 'data heard one', 'finish', 'end', 'close false'])
        assert.deepEqual(there, ['data one', 'end', 'finish', 'close false'])
        assert.equal(socket.readyState, 'closed')
        assert.equal(socket.destroyed, true)
      },
    )
  })

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

  test(title('allowHalfOpen lets one end speak after the other has ended'), async () => {
    await served(
      { allowHalfOpen: true },
      socket => {
        const parts: string[] = []
        socket.on('data', data => parts.push(String(data)))
        socket.on('end', () => {
          assert.equal(socket.readyState, 'writeOnly')
          socket.end(`after ${parts.join('')}`)
        })
      },
      async port => {
        const socket = connect(port)
        const here = written(socket)
        socket.end('early')
        await closed(socket)
        assert.deepEqual(here, ['connect', 'ready', 'finish', 'data after early', 'end', 'close false'])
      },
    )
  })

  test(title('a client that may stay half open does not end by itself'), async () => {
    await served(
      {},
      socket => socket.end('bye'),
      async port => {
        const socket = connect(port, { allowHalfOpen: true })
        const here = written(socket)
        await eventOf(socket, 'end')
        assert.equal(socket.readyState, 'writeOnly')
        socket.end()
        await closed(socket)
        assert.deepEqual(here, ['connect', 'ready', 'data bye', 'end', 'finish', 'close false'])
      },
    )
  })

  test(title('what is written before the connection stands arrives, in order'), async () => {
    const whole = Promise.withResolvers<string>()
    await served(
      {},
      socket => {
        let text = ''
        socket.setEncoding('utf8')
        socket.on('data', data => (text += String(data)))
        socket.on('end', () => whole.resolve(text))
      },
      async port => {
        const socket = connect(port)
        const calls: string[] = []
        socket.write('ä', () => calls.push('first'))
        socket.write(new Uint8Array([0x62]), () => calls.push('second'))
        socket.write('6364', 'hex')
        socket.end('!')
        assert.equal(await whole.promise, 'äbcd!')
        socket.resume()
        await closed(socket)
        assert.deepEqual(calls, ['first', 'second'])
        assert.equal(socket.bytesWritten, 6)
      },
    )
  })

  test(title('four megabytes come back whole, with backpressure on the way'), async () => {
    await served(
      {},
      socket => void socket.pipe(socket),
      async port => {
        const socket = connect(port)
        const size = 4 * 2 ** 20
        const bytes = new Uint8Array(size).map((_, at) => (at * 31 + (at >> 8)) & 255)
        let waited = 0
        const parts: Uint8Array[] = []
        socket.on('data', data => parts.push(data))
        const send = async (): Promise<void> => {
          for (let at = 0; at < size; at += 65_536) {
            if (socket.write(bytes.subarray(at, at + 65_536))) continue
            waited += 1
            await eventOf(socket, 'drain')
          }
          socket.end()
        }
        await Promise.all([send(), closed(socket)])
        assert.ok(waited > 0, 'nothing ever waited')
        assert.equal(Buffer.compare(Buffer.concat(parts), bytes), 0)
        assert.deepEqual([socket.bytesRead, socket.bytesWritten], [size, size])
      },
    )
  })

  test(title('data comes as buffers that can be read as text and as numbers'), async () => {
    await served(
      {},
      socket => socket.end(new Uint8Array([0xc3, 0xa4, 0x01, 0x02])),
      async port => {
        const socket = connect(port)
        const data = await eventOf<Buffer>(socket, 'data')
        assert.deepEqual([data.toString('utf8', 0, 2), data.readUInt16BE(2), data.toString('hex')], ['ä', 258, 'c3a40102'])
        await closed(socket)
      },
    )
  })

  test(title('a socket is an async iterable, and a paused one waits'), async () => {
    await served(
      {},
      socket => socket.end('one two'),
      async port => {
        const socket = connect(port)
        socket.pause()
        await eventOf(socket, 'connect')
        let text = ''
        for await (const data of socket) text += String(data)
        assert.equal(text, 'one two')
      },
    )
  })

  test(title('pauseOnConnect holds what arrives until the socket is resumed'), async () => {
    const accepted = Promise.withResolvers<Socket>()
    await served({ pauseOnConnect: true }, accepted.resolve, async port => {
      const socket = connect(port)
      socket.end('waiting')
      const peer = await accepted.promise
      assert.equal(peer.isPaused(), true)
      const there = written(peer)
      peer.resume()
      await closed(peer)
      assert.deepEqual(there, ['data waiting', 'end', 'finish', 'close false'])
    })
  })

  test(title('destroy ends with close alone, destroy(error) with error before close'), async () => {
    await served(
      {},
      socket => socket.on('error', () => undefined),
      async port => {
        const plain = connect(port)
        const first = written(plain)
        await eventOf(plain, 'ready')
        plain.destroy()
        assert.equal(plain.destroyed, true)
        await closed(plain)
        assert.deepEqual(first, ['connect', 'ready', 'close false'])
        const failing = connect(port)
        const second = written(failing)
        await eventOf(failing, 'ready')
        failing.destroy(Object.assign(new Error('own'), { code: 'OWN' }))
        await closed(failing)
        assert.deepEqual(second, ['connect', 'ready', 'error OWN', 'close true'])
      },
    )
  })

  test(title('destroy before the connection stands emits close and nothing else'), async () => {
    await served(
      {},
      () => undefined,
      async port => {
        const socket = connect(port)
        const here = written(socket)
        socket.destroy()
        await closed(socket)
        assert.deepEqual(here, ['close false'])
      },
    )
  })

  test(title('destroySoon writes what is left first'), async () => {
    const text = Promise.withResolvers<string>()
    await served(
      {},
      socket => {
        let all = ''
        socket.on('data', data => (all += String(data)))
        socket.on('end', () => text.resolve(all))
      },
      async port => {
        const socket = connect(port)
        await eventOf(socket, 'connect')
        socket.write('last words')
        socket.destroySoon()
        await closed(socket)
        assert.equal(await text.promise, 'last words')
      },
    )
  })

  test(title('resetAndDestroy is ECONNRESET at the other end'), async () => {
    const accepted = Promise.withResolvers<Socket>()
    await served({}, accepted.resolve, async port => {
      const socket = connect(port)
      await eventOf(socket, 'connect')
      const peer = await accepted.promise
      const there = written(peer)
      const over = closed(peer)
      socket.resetAndDestroy()
      await over
      assert.deepEqual(there, ['error ECONNRESET', 'close true'])
    })
  })

  test(title('a port without a listener is ECONNREFUSED with address and port'), async t => {
    const { refuses, host, client } = under()
    if (!refuses) return t.skip('the page has no such port')
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

  test(title('writing after end is ERR_STREAM_WRITE_AFTER_END, after destroy ERR_STREAM_DESTROYED'), async () => {
    await served(
      {},
      socket => socket.resume(),
      async port => {
        const ended = connect(port)
        ended.end()
        const failed = eventOf<NodeJS.ErrnoException>(ended, 'error')
        ended.write('late')
        assert.equal((await failed).code, 'ERR_STREAM_WRITE_AFTER_END')
        const gone = connect(port)
        await eventOf(gone, 'connect')
        gone.destroy()
        const error = await new Promise<NodeJS.ErrnoException>(resolve => void gone.write('late', problem => resolve(problem as NodeJS.ErrnoException)))
        assert.equal(error.code, 'ERR_STREAM_DESTROYED')
      },
    )
  })

  test(title('maxConnections drops with the ends of what was dropped'), async () => {
    await served(
      {},
      () => undefined,
      async (port, server) => {
        server.maxConnections = 1
        const first = connect(port)
        await eventOf(server, 'connection')
        const dropped = eventOf<nodeNet.DropArgument>(server, 'drop')
        const second = connect(port)
        second.on('error', () => undefined)
        second.resume()
        const told = await dropped
        assert.deepEqual([told.localPort, told.remoteFamily, typeof told.remotePort], [port, 'IPv4', 'number'])
        await closed(second)
        first.destroy()
      },
    )
  })

  test(title('close waits for the connections that are open, and a second close is refused'), async () => {
    const accepted = Promise.withResolvers<Socket>()
    await served({}, accepted.resolve, async (port, server) => {
      const socket = connect(port)
      const peer = await accepted.promise
      const order: string[] = []
      server.close(error => order.push(`server ${String(error)}`))
      assert.deepEqual([server.listening, server.address()], [false, null])
      peer.on('close', () => order.push('socket'))
      socket.end()
      socket.resume()
      peer.resume()
      await Promise.all([closed(server), closed(peer)])
      assert.deepEqual(order, ['server undefined', 'socket'])
      const error = await new Promise<NodeJS.ErrnoException | undefined>(resolve => void server.close(resolve))
      assert.equal(error?.code, 'ERR_SERVER_NOT_RUNNING')
    })
  })

  test(title('a taken port is EADDRINUSE, told by error'), async () => {
    await served(
      {},
      () => undefined,
      async port => {
        const { server: module, host } = under()
        const other = module.createServer()
        const failed = eventOf<NodeJS.ErrnoException & { address?: string; port?: number }>(other, 'error')
        other.listen(port, host)
        const error = await failed
        assert.deepEqual([error.code, error.syscall, error.address, error.port, error.errno], ['EADDRINUSE', 'listen', host, port, -98])
        assert.equal(other.listening, false)
      },
    )
  })

  test(title('the forms of listen and connect mean the same'), async () => {
    const { server: module, client, host } = under()
    const forms: ((server: Server, done: () => void) => unknown)[] = [
      (server, done) => server.listen({ port: 0, host }, done),
      (server, done) => server.listen(0, host, done),
      (server, done) => server.listen(0, host, 16, done),
      (server, done) => server.listen({ port: '0', host } as never, done),
    ]
    for (const form of forms) {
      const server = module.createServer(socket => socket.end('x'))
      await new Promise<void>(resolve => form(server, resolve))
      const { port } = server.address() as AddressInfo
      assert.equal(
        thrown(() => server.listen(0, host)),
        'Error ERR_SERVER_ALREADY_LISTEN',
      )
      const connections: (() => Socket)[] = [
        () => client.connect(port, host),
        () => client.createConnection({ port, host }),
        () => new client.Socket().connect(port, host, () => undefined),
        () => client.connect({ port: String(port) as never, host }, () => undefined),
      ]
      for (const make of connections) {
        const socket = make()
        assert.equal(String(await eventOf(socket, 'data')), 'x')
        await closed(socket)
      }
      server.close()
      await closed(server)
    }
  })

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
}
