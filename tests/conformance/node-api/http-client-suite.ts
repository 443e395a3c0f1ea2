import assert from 'node:assert/strict'
import type { ClientRequest, IncomingMessage, RequestListener, RequestOptions, Server } from 'node:http'
import type * as nodeNet from 'node:net'
import { test } from 'node:test'
import type { HttpUnderTest } from './http-suite.ts'
import { thrown } from './thrown.ts'

const next = <T>(of: NodeJS.EventEmitter, name: string): Promise<T> => new Promise(resolve => void of.once(name, resolve))
const codeOf = (error: Error): string | undefined => (error as NodeJS.ErrnoException).code

/** Writes down what befalls a request and its answer, until the request is closed. */
async function eventsOf(request: ClientRequest): Promise<string[]> {
  const told: string[] = []
  for (const name of ['abort', 'timeout', 'finish', 'response']) request.on(name, () => told.push(name))
  request.on('error', error => told.push(`error ${codeOf(error) ?? error.message}`))
  request.on('response', (response: IncomingMessage) => {
    for (const name of ['aborted', 'end', 'close']) response.on(name, () => told.push(`response ${name}`))
    response.on('error', error => told.push(`response error ${codeOf(error)}`)).resume()
  })
  await next(request, 'close')
  return told
}

/** The suite of clients of `http`: what Node's own tests ask of them, of Node's module and of ours. */
export function httpClientSuite(under: () => HttpUnderTest, name: string): void {
  const title = (words: string): string => `LIB-13: ${name}: ${words}`
  async function served(listener: RequestListener, use: (port: number, server: Server) => Promise<void>): Promise<void> {
    const server = under().server.createServer(listener)
    await new Promise<void>(resolve => void server.listen(0, under().host, resolve))
    try {
      await use((server.address() as nodeNet.AddressInfo).port, server)
    } finally {
      const over = new Promise(resolve => void server.close(resolve))
      server.closeAllConnections()
      await over
    }
  }
  const ask = (port: number, options: RequestOptions = {}): ClientRequest => under().client.request({ host: under().host, port, agent: false, ...options })
  /** Serves bytes as they are, whatever was asked. */
  const servedRaw = (bytes: string, use: (port: number) => Promise<void>): Promise<void> => served(({ socket }) => void socket.end(bytes, 'latin1'), use)

  test(title('what a request cannot be is refused where it is made'), () => {
    const { request, Agent } = under().client
    const refused = (options: object): string => thrown(() => request({ host: 'x', ...options }))
    assert.deepEqual(
      [
        ...[{ timeout: null }, { timeout: -1 }, { agent: true }, { agent: 'x' }, { host: 1 }, { hostname: true }, { method: 1 }].map(refused),
        ...[{ insecureHTTPParser: 0 }, { maxHeaderSize: -1 }, { joinDuplicateHeaders: 1 }, { headers: { host: ['a', 'b'] } }, { signal: 1 }].map(refused),
        ...['', 'x:', '/a'].map(url => thrown(() => request(url))),
        ...[{ scheduling: 'any' }, { maxTotalSockets: 0 }, { maxTotalSockets: '1' }].map(options => thrown(() => new Agent(options as never))),
      ],
      [
        ...['TypeError ERR_INVALID_ARG_TYPE', 'RangeError ERR_OUT_OF_RANGE', ...Array.from({ length: 5 }, () => 'TypeError ERR_INVALID_ARG_TYPE')],
        ...['TypeError ERR_INVALID_ARG_TYPE', 'RangeError ERR_OUT_OF_RANGE', ...Array.from({ length: 3 }, () => 'TypeError ERR_INVALID_ARG_TYPE')],
        ...['TypeError ERR_INVALID_URL', 'TypeError ERR_INVALID_PROTOCOL', 'TypeError ERR_INVALID_URL'],
        ...['TypeError ERR_INVALID_ARG_VALUE', 'RangeError ERR_OUT_OF_RANGE', 'TypeError ERR_INVALID_ARG_TYPE'],
      ],
    )
    const made = request({ host: 'x', createConnection: () => undefined })
    const changed = thrown(() => (made.path = '/a\r\nX: y'))
    assert.deepEqual([changed, made.path], ['TypeError ERR_UNESCAPED_CHARACTERS', '/'])
  })

  test(title('an agent names its connections by what they depend on'), () => {
    const agent = new (under().client.Agent)()
    const names = [
      ...[undefined, {}, { host: 'a', port: 80, localAddress: '10.0.0.1' }, { family: 6 }, { family: 0 }, { socketPath: '/s' }].map(of =>
        agent.getName(of as never),
      ),
    ]
    assert.deepEqual(names, ['localhost::', 'localhost::', 'a:80:10.0.0.1', 'localhost:::6', 'localhost::', 'localhost:::/s'])
    assert.deepEqual([Object.getPrototypeOf(agent.sockets), agent.maxSockets, agent.maxFreeSockets], [null, Infinity, 256])
  })

  test(title('headers are sent as they are given: in pairs, bare, or with what is usual'), async () => {
    await served(
      (request, response) => response.end(JSON.stringify(request.rawHeaders)),
      async port => {
        const { host, client } = under()
        const sent = async (options: RequestOptions & { setDefaultHeaders?: boolean }): Promise<unknown> => {
          const response = await next<IncomingMessage>(ask(port, options).end(), 'response')
          return JSON.parse(String(await next(response, 'data'))) as unknown
        }
        const usual = ['Host', `${host}:${port}`]
        assert.deepEqual(await sent({}), [...usual, 'Connection', 'close'])
        assert.deepEqual(await sent({ auth: 'a:b', headers: { X: ['1', '2'] } }), [
          'X',
          '1',
          'X',
          '2',
          ...usual,
          'Authorization',
          'Basic YTpi',
          'Connection',
          'close',
        ])
        assert.deepEqual(await sent({ headers: { cookie: ['a=1', 'b=2'] } }), ['cookie', 'a=1; b=2', ...usual, 'Connection', 'close'])
        assert.deepEqual(await sent({ headers: ['Host', 'a', 'X', '1', 'X', '2'] as never }), ['Host', 'a', 'X', '1', 'X', '2', 'Connection', 'close'])
        assert.deepEqual(await sent({ setDefaultHeaders: false, headers: { Host: 'a' } }), ['Host', 'a'])
        assert.deepEqual(await sent({ method: 'POST', uniqueHeaders: ['x'], headers: { x: ['1', '2'] } }), [
          ...['x', '1; 2', ...usual, 'Connection', 'close', 'Content-Length', '0'],
        ])
        const agent = new client.Agent({ keepAlive: true })
        assert.deepEqual(await sent({ agent }), [...usual, 'Connection', 'keep-alive'])
        agent.destroy()
      },
    )
  })

  test(title('an agent queues, keeps and hands on its connections'), async () => {
    await served(
      (request, response) => response.end(String(request.socket.remotePort)),
      async (port, server) => {
        server.keepAliveTimeout = 0
        const { client, host } = under()
        for (const scheduling of ['lifo', 'fifo'] as const) {
          const agent = new client.Agent({ keepAlive: true, maxSockets: 2, scheduling })
          const key = agent.getName({ host, port })
          const counts = (): number[] => [agent.requests, agent.sockets, agent.freeSockets].map(of => (of as Record<string, unknown[]>)[key]?.length ?? 0)
          const used = async (request: ClientRequest): Promise<string> => {
            const closed = next(request, 'close')
            const local = String(await next(await next<IncomingMessage>(request, 'response'), 'data'))
            await closed
            return local
          }
          const all = [1, 2, 3].map(() => ask(port, { agent }).end())
          assert.deepEqual(counts(), [1, 2, 0])
          const ports = await Promise.all(all.map(used))
          assert.deepEqual([new Set(ports).size, counts(), all.map(one => one.reusedSocket)], [2, [0, 0, 2], [false, false, false]])
          const order = (agent.freeSockets as Record<string, nodeNet.Socket[]>)[key]?.map(({ localPort }) => String(localPort)) ?? []
          const again = ask(port, { agent }).end()
          assert.equal(await used(again), scheduling === 'lifo' ? order[1] : order[0])
          assert.equal(again.reusedSocket, true)
          const free = Object.values(agent.freeSockets).flat() as nodeNet.Socket[]
          const gone = Promise.all(free.map(async socket => next(socket, 'close')))
          agent.destroy()
          await gone
          assert.deepEqual(counts(), [0, 0, 0])
        }
      },
    )
  })

  test(title('a connection is not kept where the server is about to close it'), async () => {
    await served(
      (_request, response) => response.writeHead(200, { 'Keep-Alive': 'timeout=1' }).end(),
      async port => {
        const { client } = under()
        const agent = new client.Agent({ keepAlive: true })
        const request = ask(port, { agent }).end()
        const socket = await next<nodeNet.Socket>(request, 'socket')
        const closed = next(socket, 'close')
        const response = await next<IncomingMessage>(request, 'response')
        response.resume()
        await closed
        assert.deepEqual(Object.keys(agent.freeSockets), [])
      },
    )
  })

  test(title('ending a request early is told in Node’s order'), async () => {
    await served(
      (request, response) => {
        if (request.url === '/half') response.write('half')
      },
      async port => {
        const agent = new (under().client.Agent)({ keepAlive: true })
        const ended: Record<string, (request: ClientRequest) => unknown> = {
          destroy: request => request.destroy(),
          'destroy by an error': request => request.destroy(Object.assign(new Error('own'), { code: 'OWN' })),
          abort: request => (request as { abort(): void }).abort(),
          'on its socket': request => request.on('socket', () => request.destroy()),
          'within the answer': request => request.on('response', () => request.destroy()),
        }
        const told: Record<string, string[]> = {}
        for (const [how, end] of Object.entries(ended)) {
          const request = ask(port, { path: how.startsWith('within') ? '/half' : '/', agent })
          end(request)
          told[how] = await eventsOf(request.end())
        }
        assert.deepEqual(told, {
          destroy: ['error ECONNRESET'],
          'destroy by an error': ['error OWN'],
          abort: ['abort'],
          'on its socket': ['error ECONNRESET'],
          'within the answer': ['finish', 'response', 'response aborted', 'response error ECONNRESET', 'response close'],
        })
        const aborting = AbortSignal.abort()
        assert.deepEqual(await eventsOf(ask(port, { signal: aborting }).end()), ['error ABORT_ERR'])
        agent.destroy()
      },
    )
  })

  test(title('answers that are none, or two, are told by the parser’s codes'), async () => {
    const head = 'HTTP/1.1 200 OK\r\n'
    const answers: Record<string, string> = {
      'no http at all': 'HPE_INVALID_CONSTANT',
      [`${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`]: 'HPE_INVALID_TRANSFER_ENCODING',
      [`${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\na`]: 'HPE_UNEXPECTED_CONTENT_LENGTH',
      [`${head}X: a\rY: b\r\n\r\n`]: 'HPE_LF_EXPECTED',
      [`${head}X: ${'x'.repeat(900)}\r\n\r\n`]: 'HPE_HEADER_OVERFLOW',
      '': 'ECONNRESET',
    }
    for (const [bytes, code] of Object.entries(answers)) {
      await servedRaw(bytes, async port => {
        const error = await next<Error & { rawPacket?: Uint8Array }>(ask(port, { maxHeaderSize: 512 }).end(), 'error')
        assert.equal(codeOf(error), code, bytes)
        if (code.startsWith('HPE_')) assert.equal(String(error.rawPacket), bytes)
      })
    }
  })

  test(title('what comes before an answer is told with its headers'), async () => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nX: 1\r\nX: 2\r\n\r\n'
    await servedRaw(`${hint}HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`, async port => {
      const told: unknown[] = []
      const request = ask(port).end()
      request.on('continue', () => told.push('continue'))
      request.on('information', ({ statusCode, statusMessage, httpVersionMinor, headers, rawHeaders }) => {
        told.push([statusCode, statusMessage, httpVersionMinor, { ...headers }, rawHeaders.length])
      })
      const { statusCode } = await next<IncomingMessage>(request, 'response')
      assert.deepEqual([...told, statusCode], [[103, 'Early Hints', 1, { link: '</a.css>', x: '1, 2' }, 6], 'continue', [100, 'Continue', 1, {}, 0], 204])
    })
  })

  test(title('what is written is told as it is taken, and refused after the end'), async () => {
    await served(
      (request, response) => {
        const parts: string[] = []
        request.on('data', part => parts.push(String(part))).on('end', () => response.end(parts.join('')))
      },
      async port => {
        const request = ask(port, { method: 'POST' })
        assert.deepEqual([request.writableLength, request.headersSent, request.writableEnded], [0, false, false])
        const told: unknown[] = []
        request.write('ab', () => told.push('written'))
        assert.deepEqual([request.headersSent, request.writableLength > 2, request.getHeader('transfer-encoding')], [true, true, undefined])
        request.end('é', 'latin1', () => told.push('finished'))
        const refused = next<Error>(request, 'error')
        const answered = next<IncomingMessage>(request, 'response')
        request.write('late', error => told.push(codeOf(error as Error)))
        assert.equal(codeOf(await refused), 'ERR_STREAM_WRITE_AFTER_END')
        assert.equal(String(await next(await answered, 'data')), 'ab\ufffd')
        assert.deepEqual(told, ['ERR_STREAM_WRITE_AFTER_END', 'written', 'finished'])
        assert.deepEqual([request.writableFinished, request.writableLength], [true, 0])
      },
    )
  })

  test(title('CONNECT hands the connection over, and a request may bring its own'), async () => {
    await served(
      (_request, response) => response.end('plain'),
      async (port, server) => {
        server.on('connect', (request, socket) => {
          socket.on('end', () => socket.end()).on('error', () => undefined)
          socket.write(`HTTP/1.1 200 OK\r\n\r\nto ${request.url}`)
        })
        const { client, raw, host } = under()
        const request = ask(port, { method: 'CONNECT', path: 'a:80' }).end()
        const [response, socket, rest] = await new Promise<[IncomingMessage, nodeNet.Socket, Uint8Array]>(
          resolve => void request.on('connect', (...of) => resolve(of)),
        )
        let all = String(rest)
        if (all === '') all = String(await next(socket, 'data'))
        assert.deepEqual([response.statusCode, all, request.destroyed, socket.listenerCount('data')], [200, 'to a:80', true, 0])
        socket.destroy()
        if (host !== '127.0.0.9' || name === 'Node') {
          const own = client.get({ createConnection: (_options, created) => void setTimeout(() => created(null, raw.connect(port, host))) })
          assert.equal(String(await next(await next<IncomingMessage>(own, 'response'), 'data')), 'plain')
        }
        const failing = client.get({ createConnection: () => assert.fail('own') })
        assert.equal((await next<Error>(failing, 'error')).message, 'own')
      },
    )
  })

  test(title('silence is told to the request and to its answer, once'), async () => {
    await served(
      (_request, response) => response.flushHeaders(),
      async port => {
        const request = ask(port, { timeout: 20 }).end()
        let times = 0
        request.on('timeout', () => (times += 1)).on('error', () => undefined)
        const response = await next<IncomingMessage>(request, 'response')
        response.on('error', () => undefined)
        response.setTimeout(20)
        await next(response, 'timeout')
        assert.equal(times, 1)
        const closed = next(request, 'close')
        request.destroy()
        await closed
      },
    )
  })
}
