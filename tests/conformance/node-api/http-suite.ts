import assert from 'node:assert/strict'
import type * as nodeHttp from 'node:http'
import type { IncomingMessage, RequestListener, RequestOptions, Server } from 'node:http'
import type * as nodeNet from 'node:net'
import { test } from 'node:test'
import { codeThrown } from './thrown.ts'

/** What the suite of `http` runs on; `raw` connects for what no client would send. */
export interface HttpUnderTest {
  readonly client: typeof nodeHttp
  readonly server: typeof nodeHttp
  readonly raw: typeof nodeNet
  readonly host: string
}

const text = async (message: IncomingMessage): Promise<string> => {
  let all = ''
  message.setEncoding('utf8')
  for await (const part of message) all += String(part)
  return all
}

/** Requests whose end two readers could see in two places, or that are none. */
const smuggled = [
  'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc',
  'Content-Length: +3\r\n\r\nabc',
  'Content-Length: 0x3\r\n\r\nabc',
  'Content-Length: 3, 3\r\n\r\nabc',
  'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n',
  'X: a\rY: b\r\n\r\n',
  ' X: folded\r\n\r\n',
  'X y: z\r\n\r\n',
  ': none\r\n\r\n',
  'X: a\0b\r\n\r\n',
]

/** The suite of `http`: the same expectations of Node's module and of ours. */
export function httpSuite(under: () => HttpUnderTest, name: string): void {
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
  const ask = (port: number, options: RequestOptions = {}, body?: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const request = under().client.request({ host: under().host, port, agent: false, ...options }, resolve)
      request.on('error', reject)
      request.end(body)
    })
  /** What a server answers to raw bytes until it closes. */
  const rawly = (port: number, bytes: string): Promise<string> =>
    new Promise(resolve => {
      const socket = under().raw.connect(port, under().host)
      let all = ''
      socket.on('data', data => (all += data.toString()))
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(all))
      socket.write(bytes, 'latin1')
    })

  test(title('a request and its answer, with headers as Node joins them'), async () => {
    await served(
      (request, response) => {
        const { method, url, headers, httpVersion } = request
        response.setHeader('Set-Cookie', ['a=1', 'b=2'])
        response.setHeader('X-Asked', JSON.stringify([method, url, headers['x-own'], headers.cookie, httpVersion]))
        response.statusCode = 201
        void text(request).then(body => response.end(`got ${body}`))
      },
      async port => {
        const response = await ask(port, { method: 'POST', path: '/a?b=c', headers: { 'X-Own': 'own', cookie: ['c=1', 'd=2'] as never } }, 'the body')
        assert.deepEqual([response.statusCode, response.statusMessage, response.httpVersion], [201, 'Created', '1.1'])
        assert.deepEqual(response.headers['set-cookie'], ['a=1', 'b=2'])
        assert.deepEqual(response.headersDistinct['x-asked']?.length, 1)
        assert.deepEqual(response.headersDistinct['set-cookie'], ['a=1', 'b=2'])
        assert.deepEqual(JSON.parse(response.headers['x-asked'] as string), ['POST', '/a?b=c', 'own', 'c=1; d=2', '1.1'])
        assert.equal(response.headers['content-length'], '12')
        assert.equal(await text(response), 'got the body')
        assert.equal(response.complete, true)
      },
    )
  })

  test(title('bodies without a length come in chunks, with trailers'), async () => {
    await served(
      (_request, response) => {
        response.writeHead(200, 'Fine', { Trailer: 'X-Sum' })
        response.write('one ')
        response.write('two')
        response.addTrailers({ 'X-Sum': '2' })
        response.end()
      },
      async port => {
        const response = await ask(port)
        assert.deepEqual([response.statusMessage, response.headers['transfer-encoding'], response.headers['content-length']], ['Fine', 'chunked', undefined])
        assert.equal(await text(response), 'one two')
        assert.deepEqual({ ...response.trailers }, { 'x-sum': '2' })
      },
    )
  })

  test(title('HEAD, 204 and 304 have no body'), async () => {
    await served(
      (request, response) => {
        response.statusCode = request.url === '/' ? 200 : Number(request.url?.slice(1))
        response.end('a body')
      },
      async port => {
        for (const [path, method] of [
          ['/', 'HEAD'],
          ['/204', 'GET'],
          ['/304', 'GET'],
        ] as const)
          assert.equal(await text(await ask(port, { path, method })), '', path)
      },
    )
  })

  test(title('an agent keeps a connection for the next request'), async () => {
    const ports: (number | undefined)[] = []
    await served(
      (request, response) => {
        ports.push(request.socket.remotePort)
        response.end('ok')
      },
      async port => {
        const agent = new (under().client.Agent)({ keepAlive: true, maxSockets: 1 })
        const answers = await Promise.all([1, 2, 3].map(async () => text(await ask(port, { agent }))))
        assert.deepEqual(answers, ['ok', 'ok', 'ok'])
        assert.equal(new Set(ports).size, 1)
        agent.destroy()
      },
    )
  })

  test(title('100-continue is told before the body is sent'), async () => {
    await served(
      (request, response) => void text(request).then(body => response.end(body)),
      async port => {
        const { client, host } = under()
        const request = client.request({ host, port, method: 'PUT', agent: false, headers: { Expect: '100-continue' } })
        const answered = new Promise<IncomingMessage>(resolve => void request.once('response', resolve))
        await new Promise<void>(resolve => void request.once('continue', resolve))
        request.end('later')
        assert.equal(await text(await answered), 'later')
      },
    )
  })

  test(title('upgrade hands the socket over with what came behind the head'), async () => {
    await served(
      () => undefined,
      async (port, server) => {
        server.on('upgrade', (_request, socket, head: Buffer) => {
          socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhead ${String(head)}`)
          socket.on('data', (data: Buffer) => socket.end(`heard ${String(data)}`))
        })
        const { client, host } = under()
        const request = client.get({ host, port, agent: false, headers: { Connection: 'Upgrade', Upgrade: 'echo' } })
        const [response, socket, head] = await new Promise<[IncomingMessage, nodeNet.Socket, Buffer]>(
          resolve => void request.once('upgrade', (...of) => resolve(of)),
        )
        assert.deepEqual([response.statusCode, response.headers.upgrade], [101, 'echo'])
        let all = String(head)
        socket.on('data', data => (all += String(data)))
        socket.write('more')
        await new Promise(resolve => void socket.once('close', resolve))
        assert.equal(all, 'head heard more')
      },
    )
  })

  test(title('a connection that breaks is ECONNRESET, before and within the answer'), async () => {
    await served(
      (request, response) => {
        if (request.url === '/before') return request.socket.destroy()
        response.writeHead(200, { 'Content-Length': '10' })
        response.write('half', () => response.destroy())
        return undefined
      },
      async port => {
        await assert.rejects(ask(port, { path: '/before' }), { code: 'ECONNRESET', message: 'socket hang up' })
        const response = await ask(port, { path: '/within' })
        await assert.rejects(text(response), { code: 'ECONNRESET', message: 'aborted' })
        assert.equal(response.complete, false)
      },
    )
  })

  test(title('a request that is silent tells timeout, and a signal ends one'), async () => {
    await served(
      () => undefined,
      async port => {
        const { client, host } = under()
        const slow = client.get({ host, port, agent: false, timeout: 50 })
        slow.on('error', () => undefined)
        await new Promise<void>(resolve => void slow.once('timeout', resolve))
        slow.destroy()
        const controller = new AbortController()
        const asked = ask(port, { signal: controller.signal })
        controller.abort()
        await assert.rejects(asked, { name: 'AbortError' })
      },
    )
  })

  test(title('two requests in one packet are answered in their order'), async () => {
    await served(
      (request, response) => void setImmediate(() => response.end(request.url)),
      async port => {
        const answer = await rawly(port, 'GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
        assert.deepEqual(answer.match(/^\/\d|\/\d$|\/\d(?=HTTP)/gm), ['/1', '/2'])
      },
    )
  })

  test(title('requests that could be read in two ways are refused with 400'), async () => {
    let reached = 0
    await served(
      (request, response) => {
        if (request.url === '/behind') reached += 1
        request.on('end', () => response.end()).resume()
      },
      async port => {
        for (const rest of smuggled) {
          const answer = await rawly(port, `POST / HTTP/1.1\r\nHost: a\r\n${rest}GET /behind HTTP/1.1\r\nHost: a\r\n\r\n`)
          assert.match(answer, /HTTP\/1\.1 400 /, JSON.stringify(rest))
        }
        assert.match(await rawly(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 400 /)
        assert.equal(reached, 0)
      },
    )
  })

  test(title('headers cannot carry a second message'), () => {
    const { client } = under()
    const wrong: (() => unknown)[] = [
      () => client.request({ host: 'x', path: '/a b' }),
      () => client.request({ host: 'x', path: '/a\r\nX: y' }),
      () => client.request({ host: 'x', method: 'GE T' }),
      () => client.request({ host: 'x', headers: { X: 'a\r\nY: b' } }),
      () => client.request({ host: 'x', headers: { 'X Y': 'a' } }),
      () => client.request('https://x/'),
    ]
    assert.deepEqual(wrong.map(codeThrown), [
      'ERR_UNESCAPED_CHARACTERS',
      'ERR_UNESCAPED_CHARACTERS',
      'ERR_INVALID_HTTP_TOKEN',
      'ERR_INVALID_CHAR',
      'ERR_INVALID_HTTP_TOKEN',
      'ERR_INVALID_PROTOCOL',
    ])
  })
}
