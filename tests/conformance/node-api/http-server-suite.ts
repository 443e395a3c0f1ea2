import assert from 'node:assert/strict'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { httpAnswersSuite } from './http-answers-suite.ts'
import { closing, getOf, httpServerScene } from './http-server-scene.ts'
import type { HttpUnderTest } from './http-suite.ts'

/** What Node's own tests ask of servers of `http`: of Node's module and of ours. */
export function httpServerSuite(under: () => HttpUnderTest, name: string): void {
  httpAnswersSuite(under, name)
  const { title, served, rawly } = httpServerScene(under, name)

  test(title('requests over the number a connection may have are dropped'), async () => {
    const dropped: string[] = []
    await served(
      {},
      (_request, response) => void response.end('ok'),
      async (port, server) => {
        server.maxRequestsPerSocket = 2
        server.on('dropRequest', (request: IncomingMessage) => dropped.push(request.url ?? ''))
        const answer = await rawly(port, getOf('/1') + getOf('/2') + getOf('/3'), /503[^]*\r\n\r\n/)
        assert.match(answer, /Keep-Alive: timeout=5, max=2\r\n[^]*Connection: close\r\n[^]*HTTP\/1.1 503 Service Unavailable\r\n/)
        assert.deepEqual(dropped, ['/3'])
      },
    )
  })

  test(title('expectations are put to those who listen, and else answered'), async () => {
    await served(
      {},
      (_request, response) => void response.end('usual'),
      async (port, server) => {
        assert.match(await rawly(port, getOf('/', `Expect: cake\r\n${closing}`)), /^HTTP\/1.1 417 Expectation Failed\r\n/)
        server.on('checkExpectation', (_request, response: ServerResponse) => void response.end('checked'))
        server.on('checkContinue', (_request, response: ServerResponse) => void response.end('continued'))
        assert.match(await rawly(port, getOf('/', `Expect: cake\r\n${closing}`)), /checked$/)
        // Who was not told to go on may send a body nobody expects: the connection is closed.
        assert.match(await rawly(port, getOf('/', 'Expect: 100-continue\r\n')), /^HTTP\/1.1 200 OK\r\n[^]*Connection: close\r\n[^]*continued$/)
      },
    )
  })

  test(title('what no parser takes is told by clientError, with its code and the packet'), async () => {
    const codes: [string, string][] = [
      ['BLAH / HTTP/1.1\r\n', 'HPE_INVALID_METHOD'],
      ['GET / XTTP/1.1\r\n', 'HPE_INVALID_CONSTANT'],
      ['GET / HTTP/1.7\r\n', 'HPE_INVALID_VERSION'],
      ['GET / HTTP/1.1\r\nA: b\nC: d\r\n', 'HPE_CR_EXPECTED'],
      ['GET / HTTP/1.1\r\nA: b\rC: d\r\n', 'HPE_LF_EXPECTED'],
      ['GET / HTTP/1.1\r\nA b: c\r\n', 'HPE_INVALID_HEADER_TOKEN'],
      [`GET / HTTP/1.1\r\nA: ${'b'.repeat(16_384)}\r\n`, 'HPE_HEADER_OVERFLOW'],
      [`POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n`, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
      [`POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n`, 'HPE_INVALID_CONTENT_LENGTH'],
      [`POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n`, 'HPE_INVALID_TRANSFER_ENCODING'],
    ]
    const seen: string[] = []
    await served(
      {},
      () => seen.push('request'),
      async (port, server) => {
        server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
          seen.push(`${error.code} ${(error.rawPacket?.byteLength ?? 0) > 0} ${error.message.startsWith('Parse Error: ')}`)
          socket.end('HTTP/1.1 400 Mine\r\n\r\n')
        })
        for (const [bytes] of codes) assert.equal(await rawly(port, bytes), 'HTTP/1.1 400 Mine\r\n\r\n')
        assert.deepEqual(
          seen,
          codes.map(([, code]) => `${code} true true`),
        )
      },
    )
  })

  test(title('a head that is too long is 431, of the server’s own measure'), async () => {
    await served(
      { maxHeaderSize: 1000 },
      (_request, response) => void response.end('ok'),
      async port => {
        assert.match(await rawly(port, getOf('/', `A: ${'b'.repeat(500)}\r\n${closing}`)), /ok$/)
        assert.match(
          await rawly(port, getOf('/', `A: ${'b'.repeat(1500)}\r\n${closing}`)),
          /^HTTP\/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n$/,
        )
      },
    )
  })

  test(title('a server that is told to takes what may be read in two ways'), async () => {
    await served(
      { insecureHTTPParser: true },
      (request, response) => {
        let all = ''
        request.on('data', part => (all += String(part))).on('end', () => response.end(`${String(request.headers['a'])}|${all}`))
      },
      async port => {
        const both = 'Content-Length: 9\r\nTransfer-Encoding: chunked\r\n'
        assert.match(await rawly(port, `POST / HTTP/1.1\r\nHost: a\r\nA: \x0c\r\n${both}${closing}\r\n1\r\nx\r\n0\r\n\r\n`), /\r\n\r\n\f\|x$/)
      },
    )
  })

  test(title('an answer goes out though the one who asked has ended its half'), async () => {
    await served(
      {},
      (request, response) => void request.resume().on('end', () => response.end('bye')),
      async port => {
        const answer = await new Promise<string>(resolve => {
          const socket = under().raw.connect({ port, host: under().host, allowHalfOpen: true })
          let all = ''
          socket.on('data', data => (all += String(data))).on('end', () => resolve(all))
          socket.end('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc')
        })
        assert.match(answer, /bye$/)
      },
    )
  })

  test(title('a head and a request that take too long are 408'), async () => {
    await served(
      { headersTimeout: 60, requestTimeout: 120, connectionsCheckingInterval: 20 },
      () => undefined,
      async port => {
        const late = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'
        assert.equal(await rawly(port, 'GET / HTTP/1.1\r\nHost:'), late)
        assert.equal(await rawly(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\na'), late)
        assert.equal(await rawly(port, ''), late)
      },
    )
  })

  test(title('a connection is kept between requests only so long, and closed when nothing is asked on it'), async () => {
    await served(
      { keepAliveTimeout: 1, keepAliveTimeoutBuffer: 0 },
      (_request, response) => void response.end('ok'),
      async (port, server) => {
        assert.match(await rawly(port, getOf('/')), /ok$/)
        server.keepAliveTimeout = 60_000
        const socket = under().raw.connect(port, under().host)
        const [ended, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        socket.on('close', ended.resolve).on('data', begun.resolve).write(getOf('/'))
        await begun.promise
        server.closeIdleConnections()
        await ended.promise
      },
    )
  })

  test(title('events of a request and its response come in Node’s order'), async () => {
    const order: string[] = []
    const over = Promise.withResolvers<void>()
    await served(
      {},
      (request, response) => {
        for (const event of ['end', 'close']) request.on(event, () => order.push(`request ${event}`))
        for (const event of ['prefinish', 'finish', 'close']) response.on(event, () => order.push(`response ${event}`))
        response.on('close', over.resolve)
        request.resume().on('end', () => response.end('ok', () => order.push('written')))
      },
      async port => {
        await rawly(port, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n${closing}\r\nabc`)
        await over.promise
        assert.deepEqual(order.slice(0, 2), ['request end', 'response prefinish'])
        assert.ok(order.indexOf('response finish') < order.indexOf('response close'))
        assert.ok(order.indexOf('written') < order.indexOf('response close'))
      },
    )
  })

  test(title('who goes away before the answer closes the response and aborts the request'), async () => {
    const gone = Promise.withResolvers<unknown[]>()
    await served(
      {},
      (request, response) => {
        request.on('error', (error: NodeJS.ErrnoException) => {
          response.on('close', () => undefined)
          gone.resolve([error.code, error.message, request.destroyed, response.writableFinished])
        })
        request.resume()
        response.write('begun')
      },
      async port => {
        await rawly(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\na', /begun/)
        assert.deepEqual(await gone.promise, ['ECONNRESET', 'aborted', true, false])
      },
    )
  })

  test(title('classes of one’s own, and a server made without new'), async () => {
    const { server: module } = under()
    class Asked extends module.IncomingMessage {
      hello(): string {
        return `hello ${this.url}`
      }
    }
    class Answer extends module.ServerResponse {
      greet(text: string): void {
        this.end(`${text}!`)
      }
    }
    await served(
      { IncomingMessage: Asked, ServerResponse: Answer as never },
      (request, response) => (response as unknown as Answer).greet((request as Asked).hello()),
      async port => assert.match(await rawly(port, getOf('/you', closing)), /hello \/you!$/),
    )
    function Older(this: ServerResponse, request: object): void {
      Reflect.apply(module.ServerResponse, this, [request])
    }
    Object.setPrototypeOf(Older.prototype, module.ServerResponse.prototype)
    const older = new (Older as unknown as new (request: object) => ServerResponse)({ method: 'HEAD', httpVersionMajor: 1, httpVersionMinor: 1 })
    assert.deepEqual([older.setHeader('a', 'b').getHeader('a'), older.sendDate], ['b', true])
    const made = (module.Server as unknown as () => Server)()
    assert.ok(made instanceof module.Server)
    assert.deepEqual([made.timeout, made.headersTimeout, made.requestTimeout, made.keepAliveTimeout], [0, 60_000, 300_000, 5000])
  })
}
