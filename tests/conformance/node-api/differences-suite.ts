import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as dgram from '@deputy/client/dgram'
import type * as dns from '@deputy/client/dns'
import type * as http from '@deputy/client/http'
import type * as net from '@deputy/client/net'
import type { Backend } from '@deputy/client/node-backend'
import { codeThrown } from './thrown.ts'

/** What the differences are shown on. */
export interface DifferentModules {
  readonly net: typeof net
  readonly dgram: typeof dgram
  readonly dns: typeof dns
  readonly http: typeof http
  backend(): Backend
  useBackend(backend?: Backend): void
}
/** Where modules differ from Node's: the words of the guide, and what shows that it is so. */
interface Difference {
  readonly of: 'all' | 'net' | 'dgram' | 'dns' | 'http'
  readonly says: string
  readonly shows: (modules: DifferentModules) => Promise<void> | void
}

const host = '127.0.0.9'
const next = <T>(of: object, name: string): Promise<T> => new Promise(resolve => void (of as NodeJS.EventEmitter).once(name, resolve))
const failure = (of: object): Promise<NodeJS.ErrnoException> => next(of, 'error')

/** Runs with a backend that writes down what it is asked for and says no. */
async function asked(modules: DifferentModules, no: string, run: () => Promise<void>): Promise<unknown[]> {
  const before = modules.backend()
  const calls: unknown[] = []
  const refuse = (name: string) => async (first: unknown) => {
    calls.push([name, first])
    return { error: no, message: 'no' } as never
  }
  modules.useBackend({ tcpSocket: refuse('tcp'), tcpSocketListener: refuse('listen'), udpSocket: refuse('udp'), lookup: refuse('lookup') })
  try {
    await run()
    return calls
  } finally {
    modules.useBackend(before)
  }
}

/** Every difference of the guide, in its order and its words. */
export const differences: readonly Difference[] = [
  {
    of: 'all',
    says: 'Errors that Node does not know: `ETUNNEL` when the tunnel was lost, `EDQUOT` over the quota, `EACCES` where the person or the node’s policy says no, `ENETDOWN` without a tunnel. `error.cause` is the broker’s own word.',
    shows: async modules => {
      for (const [said, code] of Object.entries({ ETUNNEL: 'ETUNNEL', quota: 'EDQUOT', denied: 'EACCES', EACCES: 'EACCES', unavailable: 'ENETDOWN' })) {
        await asked(modules, said, async () => {
          const error = await failure(modules.net.connect(80, 'example.test'))
          assert.deepEqual([error.code, (error.cause as { error: string }).error], [code, said])
        })
      }
    },
  },
  {
    of: 'all',
    says: '`ref` and `unref` do nothing: a page lives as long as its window.',
    shows: ({ net, dgram }) => {
      const all = [new net.Socket(), net.createServer(), dgram.createSocket('udp4')]
      for (const one of all) assert.deepEqual([one.ref(), one.unref()], [one, one])
    },
  },
  {
    of: 'all',
    says: 'What runs at `process.nextTick` in Node runs as a microtask, in its turn among promises.',
    shows: async ({ net }) => {
      const order: string[] = []
      const first = Promise.resolve().then(() => order.push('promise'))
      const second = new Promise<void>(resolve => {
        net.createServer().getConnections(() => {
          order.push('tick')
          resolve()
        })
      })
      await Promise.all([first, second])
      assert.deepEqual(order, ['promise', 'tick'])
    },
  },
  {
    of: 'net',
    says: '`127.0.0.1`, `::1` and `localhost` are this page: what listens there is reached by this page alone, without the tunnel.',
    shows: async modules => {
      const calls = await asked(modules, 'denied', async () => {
        for (const own of ['127.0.0.1', '::1', 'localhost']) {
          const server = modules.net.createServer(socket => socket.end('here')).listen(0, own)
          await next(server, 'listening')
          const socket = modules.net.connect(server.address()?.port ?? 0, own)
          assert.equal(String(await next(socket, 'data')), 'here')
          server.close()
          await next(server, 'close')
        }
      })
      assert.deepEqual(calls, [])
    },
  },
  {
    of: 'net',
    says: 'A loopback address at which nothing of the page listens is one of the node, whose policy refuses it unless it is allowed.',
    shows: async modules => {
      const calls = await asked(modules, 'EACCES', async () => {
        assert.equal((await failure(modules.net.connect(6379, '127.0.0.1'))).code, 'EACCES')
      })
      assert.deepEqual(calls, [['tcp', { remoteAddress: '127.0.0.1', remotePort: 6379 }]])
    },
  },
  {
    of: 'net',
    says: 'The node resolves names in the same step and tries their addresses itself. Only for those who listen to `lookup`, or bring a `lookup`, a `family` or a `blockList`, is that done here, with `lookup` emitted and `autoSelectFamily` heeded.',
    shows: async modules => {
      const names = await asked(modules, 'ENOTFOUND', async () => void (await failure(modules.net.connect(80, 'name.test'))))
      assert.deepEqual(names, [['tcp', { remoteAddress: 'name.test', remotePort: 80 }]])
      const heard = await asked(modules, 'ENOTFOUND', async () => void (await failure(modules.net.connect(80, 'name.test').on('lookup', () => undefined))))
      assert.deepEqual(heard, [['lookup', 'name.test']])
      const blocked = await asked(modules, 'ENOTFOUND', async () => {
        const { BlockList } = modules.net
        await failure(modules.net.connect({ port: 80, host: 'name.test', blockList: new BlockList() }))
      })
      assert.deepEqual(blocked, [['lookup', 'name.test']])
      const tried = await asked(modules, 'ECONNREFUSED', async () => {
        const both = [{ address: '10.0.0.1', family: 4 } as const, { address: 'fc00::1', family: 6 } as const]
        const error = await failure(modules.net.connect({ port: 80, host: 'name.test', lookup: (_name, _options, told) => told(null, both) }))
        assert.equal(error.code, 'ECONNREFUSED')
      })
      assert.deepEqual(tried, [
        ['tcp', { remoteAddress: '10.0.0.1', remotePort: 80 }],
        ['tcp', { remoteAddress: 'fc00::1', remotePort: 80 }],
      ])
    },
  },
  {
    of: 'net',
    says: 'At a path (IPC) nobody listens: to connect is `ENOENT`. To listen at one, `fd`, and `localAddress` and `localPort` of a connection that leaves the page are `ENOTSUP`; a `handle` that is no socket’s takes settings, no bytes.',
    shows: async ({ net }) => {
      assert.equal(
        codeThrown(() => new net.Socket({ fd: 1 })),
        'ENOTSUP',
      )
      const failing = [
        net.connect('/run/x.sock'),
        net.createServer().listen('/run/x.sock'),
        net.createServer().listen({ fd: 1 }),
        net.connect({ port: 1, host, localAddress: host }),
        net.connect({ port: 1, host, localPort: 4000 }),
      ].map(async one => (await failure(one)).code)
      assert.deepEqual(await Promise.all(failing), ['ENOENT', ...Array.from({ length: 4 }, () => 'ENOTSUP')])
      const told: boolean[] = []
      const socket = new net.Socket({ handle: { setNoDelay: on => told.push(on) } }).setNoDelay()
      assert.deepEqual(told, [true])
      const failed = failure(socket)
      socket.write('x')
      assert.equal((await failed).code, 'ENOTSUP')
    },
  },
  {
    of: 'net',
    says: '`listen` names an address of the node, or none for any; ports below 1024 are `EACCES`, and `backlog` is the node’s.',
    shows: async modules => {
      assert.equal((await failure(modules.net.createServer().listen(80, host))).code, 'EACCES')
      const calls = await asked(modules, 'EADDRNOTAVAIL', async () => void (await failure(modules.net.createServer().listen(4000, 5))))
      assert.deepEqual(
        calls.map(call => Object.entries((call as [string, object])[1]).filter(([, value]) => typeof value !== 'function')),
        [
          [
            ['localAddress', ''],
            ['localPort', 4000],
          ],
        ],
      )
    },
  },
  {
    of: 'net',
    says: 'A server without a host listens at once, as in Node; a port told before `listening` is one picked here, and `EADDRINUSE` where the node has given it away.',
    shows: async modules => {
      const calls = await asked(modules, 'EADDRINUSE', async () => {
        const server = modules.net.createServer().listen(0)
        assert.equal(server.listening, true)
        const { port = 0 } = server.address() ?? {}
        assert.ok(port > 0)
        const error = (await failure(server)) as NodeJS.ErrnoException & { port: number }
        assert.deepEqual([error.code, error.port, server.listening], ['EADDRINUSE', port, false])
      })
      assert.equal(calls.length, 1)
    },
  },
  {
    of: 'net',
    says: '`destroy` waits up to one second for what was written before it, where Node leaves that to the system.',
    shows: async ({ net }) => {
      const whole = Promise.withResolvers<number>()
      const server = net.createServer(socket => {
        let bytes = 0
        socket.on('data', (data: Uint8Array) => (bytes += data.byteLength)).on('close', () => whole.resolve(bytes))
      })
      await new Promise<void>(resolve => void server.listen(0, host, resolve))
      const socket = net.connect(server.address()?.port ?? 0, host)
      await next(socket, 'connect')
      socket.write(new Uint8Array(100_000))
      socket.destroy()
      assert.equal(await whole.promise, 100_000)
      server.close()
      await next(server, 'close')
    },
  },
  {
    of: 'dgram',
    says: 'Multicast groups (`addMembership` and its like), the choice of an interface by `setMulticastInterface`, `reusePort` and `fd` are `ENOTSUP`.',
    shows: async ({ dgram }) => {
      const socket = dgram.createSocket('udp4')
      await new Promise<void>(resolve => void socket.bind(0, host, resolve))
      const calls = [
        () => socket.addMembership('224.0.0.1'),
        () => socket.dropMembership('224.0.0.1'),
        () => socket.addSourceSpecificMembership('10.0.0.1', '232.0.0.1'),
        () => socket.dropSourceSpecificMembership('10.0.0.1', '232.0.0.1'),
        () => socket.setMulticastInterface('10.0.0.1'),
        () => dgram.createSocket('udp4').bind({ fd: 3 } as never),
      ]
      assert.deepEqual(
        calls.map(codeThrown),
        calls.map(() => 'ENOTSUP'),
      )
      socket.close()
      const shared = dgram.createSocket({ type: 'udp4', reusePort: true })
      assert.equal((await failure(shared.bind(0, host))).code, 'ENOTSUP')
      shared.close()
    },
  },
  {
    of: 'dgram',
    says: 'A socket that is bound to any address tells the one of the node that it got, not `0.0.0.0` or `::`.',
    shows: async ({ dgram }) => {
      const socket = dgram.createSocket('udp4')
      await new Promise<void>(resolve => void socket.bind(resolve))
      assert.equal(socket.address().address, host)
      socket.close()
      await next(socket, 'close')
    },
  },
  {
    of: 'dgram',
    says: '`getRecvBufferSize` and `getSendBufferSize` answer what was set, or what is usual.',
    shows: async ({ dgram }) => {
      const socket = dgram.createSocket('udp4')
      await new Promise<void>(resolve => void socket.bind(0, host, resolve))
      assert.deepEqual([socket.getRecvBufferSize(), socket.getSendBufferSize()], [212_992, 212_992])
      socket.setRecvBufferSize(20_000)
      assert.equal(socket.getRecvBufferSize(), 20_000)
      socket.close()
      await next(socket, 'close')
    },
  },
  {
    of: 'dgram',
    says: 'There is no loopback within the page: every datagram goes through the node.',
    shows: async modules => {
      const calls = await asked(modules, 'EACCES', async () => {
        const socket = modules.dgram.createSocket('udp4')
        const failed = failure(socket)
        socket.bind(4000, '127.0.0.1')
        assert.equal((await failed).code, 'EACCES')
      })
      assert.deepEqual(calls, [['udp', { address: '127.0.0.1', port: 4000, type: 'udp4', dataPort: true }]])
    },
  },
  {
    of: 'dgram',
    says: 'Datagrams to what the node’s policy forbids are dropped, as a network would.',
    shows: async ({ dgram }) => {
      const socket = dgram.createSocket('udp4')
      await new Promise<void>(resolve => void socket.bind(0, host, resolve))
      const error = await new Promise<Error | null>(resolve => socket.send('x', 4000, '10.255.255.1', (problem: Error | null) => resolve(problem)))
      assert.equal(error, null)
      socket.close()
      await next(socket, 'close')
    },
  },
  {
    of: 'dgram',
    says: '`dns.lookup` is not exchanged by assigning to the module: a socket is given its `lookup`.',
    shows: ({ dns }) => assert.throws(() => Object.assign(dns, { lookup: () => undefined }), TypeError),
  },
  {
    of: 'dns',
    says: '`getServers` begins with `127.0.0.1`, which stands for the look-up of the node. It knows addresses alone: `ttl`, every other kind of record and `reverse` are `ENOTIMP`, and `lookupService` of other than loopback is `ENOTFOUND`.',
    shows: async ({ dns: { getServers, promises } }) => {
      assert.deepEqual(getServers(), ['127.0.0.1'])
      assert.deepEqual(await promises.resolve4('localhost'), ['127.0.0.1'])
      assert.deepEqual(await promises.resolve('localhost', 'AAAA'), ['::1'])
      assert.deepEqual(await promises.reverse('127.0.0.1'), ['localhost'])
      const refused: Promise<unknown>[] = [
        promises.resolveMx('example.com'),
        promises.resolve('example.com', 'TXT'),
        promises.reverse('192.0.2.1'),
        promises.resolve4('example.com', { ttl: true }),
      ]
      for (const one of refused) await assert.rejects(one, { code: 'ENOTIMP' })
      await assert.rejects(promises.lookupService('192.0.2.1', 80), { code: 'ENOTFOUND' })
    },
  },
  {
    of: 'dns',
    says: 'Servers that `setServers` names are asked over the tunnel, for everything but `lookup`. What the person or the node’s policy refuses is told by its own code.',
    shows: async modules => {
      const resolver = new modules.dns.promises.Resolver()
      resolver.setServers(['192.0.2.53'])
      const calls = await asked(modules, 'EACCES', () => assert.rejects(resolver.resolveMx('example.com'), { code: 'EACCES', syscall: 'queryMx' }))
      assert.deepEqual(calls, [['udp', { address: '', port: 0, type: 'udp4' }]])
    },
  },
  {
    of: 'dns',
    says: '`hints` of `lookup` are checked and passed over: the resolver of the node has its own.',
    shows: async ({ dns: { ALL, promises, V4MAPPED } }) => {
      const found = await promises.lookup('localhost', { family: 6, hints: ALL | V4MAPPED, all: true })
      assert.deepEqual(found, [{ address: '::1', family: 6 }])
    },
  },
  {
    of: 'dns',
    says: '`setLocalAddress` is checked and passed over.',
    shows: ({ dns }) => new dns.Resolver().setLocalAddress('192.0.2.9'),
  },
  {
    of: 'http',
    says: 'Headers beyond a server’s `maxHeadersCount` are passed over, where Node’s latest releases answer 431. A `Content-Length` of more than 15 digits is refused, and `bytesParsed` of an error may be less than Node’s by what it reads ahead.',
    shows: async ({ http, net }) => {
      const server = http.createServer((request, response) => response.end(String(request.rawHeaders.length)))
      server.maxHeadersCount = 2
      await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
      const answer = async (text: string): Promise<string> => {
        const socket = net.connect(server.address()?.port ?? 0, '127.0.0.1')
        socket.write(text)
        const said = String(await next(socket, 'data'))
        socket.destroy()
        return said
      }
      assert.match(await answer('GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\n\r\n'), /\r\n\r\n4$/)
      const told = next<{ code: string; bytesParsed: number }>(server, 'clientError')
      server.once('clientError', (_error: Error, socket: net.Socket) => socket.end('told'))
      assert.equal(await answer('POST / HTTP/1.1\r\nContent-Length: 1000000000000000\r\n\r\n'), 'told')
      const { code, bytesParsed } = await told
      assert.deepEqual([code, bytesParsed], ['HPE_INVALID_CONTENT_LENGTH', 51])
      server.close()
      server.closeAllConnections()
      await next(server, 'close')
    },
  },
  {
    of: 'http',
    says: '`http.globalAgent` is not exchanged by assigning to the module: a request is given its `agent`. Agents know no `proxyEnv`, and `setMaxIdleHTTPParsers` does nothing: each connection has a parser of its own.',
    shows: async ({ http }) => {
      assert.throws(() => Object.assign(http, { globalAgent: new http.Agent() }), TypeError)
      const server = http.createServer((request, response) => response.end(String(request.url)))
      await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
      const { port = 0 } = server.address() ?? {}
      const agent = new http.Agent({ proxyEnv: { HTTP_PROXY: 'http://127.0.0.1:1' } } as object)
      assert.equal(String(await next(await next(http.get({ host: '127.0.0.1', port, path: '/direct', agent }), 'response'), 'data')), '/direct')
      http.setMaxIdleHTTPParsers(1)
      assert.equal(
        codeThrown(() => http.setMaxIdleHTTPParsers(0)),
        'ERR_OUT_OF_RANGE',
      )
      server.close()
      await next(server, 'close')
    },
  },
]

/** The suite of the differences: each is as the guide says. */
export function differencesSuite(under: () => DifferentModules, name: string): void {
  for (const { of, says, shows } of differences) test(`LIB-13: ${name}: ${of} differs: ${says}`, () => shows(under()))
}
