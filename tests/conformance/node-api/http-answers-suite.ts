import assert from 'node:assert/strict'
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerOptions } from 'node:http'
import { test } from 'node:test'
import { closing, getOf, httpServerScene } from './http-server-scene.ts'
import type { HttpUnderTest } from './http-suite.ts'
import { thrown } from './thrown.ts'

/** An answer without its date. */
const dateless = (answer: string): string => answer.replaceAll(/Date: [^\r]*\r\n/g, '')

/** What Node's own tests ask of the answers of a server. */
export function httpAnswersSuite(under: () => HttpUnderTest, name: string): void {
  const { title, served, rawly } = httpServerScene(under, name)

  test(title('a head is written as it was set: dates, lengths, connections'), async () => {
    await served(
      {},
      (request, response) => {
        if (request.url === '/whole') response.end('whole')
        else if (request.url === '/parts') {
          response.write('one')
          response.end('two')
        } else if (request.url === '/pairs') response.writeHead(200, 'Fine', ['A', '1', 'A', '2', 'Content-Length', '0']).end()
        else if (request.url === '/none') response.writeHead(204).end()
        else {
          response.sendDate = false
          response.removeHeader('connection')
          response.end()
        }
      },
      async port => {
        const answer = async (path: string): Promise<string> => dateless(await rawly(port, getOf(path, closing)))
        assert.equal(await answer('/whole'), 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nwhole')
        assert.equal(await answer('/parts'), 'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n')
        assert.equal(await answer('/pairs'), 'HTTP/1.1 200 Fine\r\nA: 1\r\nA: 2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
        assert.equal(await answer('/none'), 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
        assert.equal(await rawly(port, getOf('/bare', closing)), 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
        const kept = await rawly(port, getOf('/whole'), /whole$/)
        assert.match(kept, /Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n/)
        assert.match(kept, /\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r\n/)
      },
    )
  })

  test(title('HTTP/1.0 ends by the end, unless it asks to stay'), async () => {
    await served(
      {},
      (_request, response) => {
        response.write('x')
        response.end('y')
      },
      async port => {
        assert.equal(dateless(await rawly(port, 'GET / HTTP/1.0\r\n\r\n')), 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nxy')
        const chunked = await rawly(port, 'GET / HTTP/1.0\r\nConnection: keep-alive\r\nTE: chunked\r\n\r\n', /0\r\n\r\n$/)
        assert.match(dateless(chunked), /^HTTP\/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nTransfer-Encoding: chunked\r\n\r\n/)
      },
    )
  })

  test(title('hints, processing and statuses of one’s own come before the answer'), async () => {
    const refused: string[] = []
    await served(
      {},
      (_request, response) => {
        response.writeProcessing()
        response.writeEarlyHints({ link: ['</a.css>; rel=preload', '</b.js>; rel=preload'], 'x-own': 'b' })
        refused.push(
          thrown(() => response.writeEarlyHints({ link: 'bad' })),
          thrown(() => response.writeEarlyHints('bad' as never)),
        )
        response.end('ok')
        refused.push(thrown(() => response.writeHead(200)))
      },
      async port => {
        const answer = await rawly(port, getOf('/', closing))
        const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload, </b.js>; rel=preload\r\nx-own: b\r\n\r\n'
        assert.equal(answer.indexOf(`HTTP/1.1 102 Processing\r\n\r\n${early}HTTP/1.1 200 OK\r\n`), 0)
        assert.deepEqual(refused, ['TypeError ERR_INVALID_ARG_VALUE', 'TypeError ERR_INVALID_ARG_TYPE', 'Error ERR_HTTP_HEADERS_SENT'])
      },
    )
  })

  test(title('what cannot be said is refused where it is said'), () => {
    const { server } = under()
    const response = new server.ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage)
    const seen = [
      thrown(() => response.writeHead(99)),
      thrown(() => response.writeHead(200, ['a'] as never)),
      thrown(() => response.writeHead(200, 'a\nb')),
      thrown(() => response.setHeader('a b', 'c')),
      thrown(() => response.setHeader('a', 'b\r\nc: d')),
      thrown(() => response.setHeader('a', undefined as never)),
      thrown(() => response.setHeaders([] as never)),
      thrown(() => response.getHeader(1 as never)),
      thrown(() => response.write(1)),
      thrown(() => response.write(null)),
      thrown(() => response.addTrailers({ 'a b': 'c' })),
      thrown(() => response.addTrailers({ a: 'b\n' })),
      thrown(() => new server.OutgoingMessage().write('a')),
    ]
    assert.deepEqual(seen, [
      'RangeError ERR_HTTP_INVALID_STATUS_CODE',
      'TypeError ERR_INVALID_ARG_VALUE',
      'TypeError ERR_INVALID_CHAR',
      'TypeError ERR_INVALID_HTTP_TOKEN',
      'TypeError ERR_INVALID_CHAR',
      'TypeError ERR_HTTP_INVALID_HEADER_VALUE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_STREAM_NULL_VALUES',
      'TypeError ERR_INVALID_HTTP_TOKEN',
      'TypeError ERR_INVALID_CHAR',
      'Error ERR_METHOD_NOT_IMPLEMENTED',
    ])
    const options: ServerOptions[] = [
      { requestTimeout: 1, headersTimeout: 2 },
      { keepAliveTimeout: -1 },
      { connectionsCheckingInterval: 'a' as never },
      { insecureHTTPParser: 1 as never },
      { requireHostHeader: 'x' as never },
      { joinDuplicateHeaders: 0 as never },
    ]
    assert.deepEqual(
      options.map(one => thrown(() => server.createServer(one))),
      [
        ...['RangeError ERR_OUT_OF_RANGE', 'RangeError ERR_OUT_OF_RANGE', 'TypeError ERR_INVALID_ARG_TYPE'],
        ...['TypeError ERR_INVALID_ARG_TYPE', 'TypeError ERR_INVALID_ARG_TYPE', 'TypeError ERR_INVALID_ARG_TYPE'],
      ],
    )
  })

  test(title('a response without a connection keeps what is written, and its words'), () => {
    const { server } = under()
    const response = new server.ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage)
    response.setHeader('Set-Cookie', 'a=1')
    response.appendHeader('set-cookie', 'b=2')
    response.setHeaders(new Map<string, string | string[]>([['X-One', '1']]))
    assert.deepEqual({ ...response.getHeaders() }, { 'set-cookie': ['a=1', 'b=2'], 'x-one': '1' } satisfies OutgoingHttpHeaders)
    assert.deepEqual((response as unknown as { getRawHeaderNames(): string[] }).getRawHeaderNames(), ['Set-Cookie', 'X-One'])
    assert.deepEqual([response.headersSent, response.writableLength, response.writableEnded, response.writableFinished], [false, 0, false, false])
    response.write('abc')
    assert.ok(response.headersSent && response.writableLength > 3)
    response.end()
    assert.deepEqual([response.writableEnded, response.writableFinished], [true, false])
  })

  test(title('a length that is said is kept to, where that is asked'), async () => {
    const codes: string[] = []
    await served(
      {},
      (_request, response) => {
        response.strictContentLength = true
        response.writeHead(200, { 'Content-Length': '3' })
        codes.push(
          thrown(() => response.write('more than three')),
          thrown(() => response.end('a')),
        )
        response.end('abc')
      },
      async port => {
        assert.match(await rawly(port, getOf('/', closing)), /\r\n\r\nabc$/)
        assert.deepEqual(codes, ['Error ERR_HTTP_CONTENT_LENGTH_MISMATCH', 'Error ERR_HTTP_CONTENT_LENGTH_MISMATCH'])
      },
    )
  })

  test(title('a body where none can be is passed over, or refused where that is asked'), async () => {
    let code = ''
    const answer: RequestListener = (_request, response) => {
      code = thrown(() => response.writeHead(304).write('a body'))
      response.end()
    }
    for (const rejectNonStandardBodyWrites of [false, true]) {
      await served({ rejectNonStandardBodyWrites }, answer, async port => {
        assert.match(await rawly(port, getOf('/', closing)), /^HTTP\/1.1 304 [^]*\r\n\r\n$/)
        assert.equal(code, rejectNonStandardBodyWrites ? 'Error ERR_HTTP_BODY_NOT_ALLOWED' : 'nothing')
      })
    }
  })

  test(title('unique headers are sent in one line, and headers that are said twice joined on request'), async () => {
    const seen: (string | undefined)[] = []
    await served(
      { uniqueHeaders: ['x-all'], joinDuplicateHeaders: true },
      (request, response) => {
        seen.push(request.headers.from)
        response.setHeader('X-All', ['a', 'b'])
        response.setHeader('X-Each', ['a', 'b'])
        response.end()
      },
      async port => {
        const answer = await rawly(port, getOf('/', `From: a\r\nFrom: b\r\n${closing}`))
        assert.match(answer, /X-All: a; b\r\nX-Each: a\r\nX-Each: b\r\n/)
        assert.deepEqual(seen, ['a, b'])
      },
    )
  })
}
