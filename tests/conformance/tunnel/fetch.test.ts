import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { after, before, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { responseFrame, TUNNEL_BODIES, TUNNEL_BODY, type TunnelRequest, type TunnelResponse } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { openTickets } from '@deputy/server/tunnel'
import { FRAME, fromCount, fromJson, toJson, type Dial, type Stream } from '@deputy/tunnel'
import { startTestServer, type TestServer } from '../../support/start-test-server.ts'
import { connectApp, signUp } from '../../support/test-accounts.ts'
import { dialServer } from '../../support/tunnel-client.ts'

let server: TestServer
let site: Server
let other: Server
let tunnel: Dial
let base = ''
let elsewhere = ''
const words = 'words '.repeat(2000)
const large = Buffer.alloc(3_000_000, 'large ')
const seen: { method: string | undefined; headers: NodeJS.Dict<string | string[]>; body: string }[] = []

const encoders = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, raw: deflateRawSync, zstd: zstdCompressSync } as const

before(async () => {
  server = await startTestServer({ tunnel: { allow: ['127.0.0.0/8'] } })
  site = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://site')
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', (): unknown => {
      seen.push({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() })
      const encoding = url.searchParams.get('encoding')
      if (encoding !== null) {
        const name = encoding as keyof typeof encoders
        response.writeHead(200, { 'content-encoding': name === 'raw' ? 'deflate' : name })
        return response.end(encoders[name](words))
      }
      const to = url.searchParams.get('to')
      if (to !== null) return response.writeHead(Number(url.searchParams.get('status') ?? 302), { location: to }).end('gone')
      if (url.pathname === '/loop') return response.writeHead(302, { location: '/loop' }).end()
      if (url.pathname === '/large') return response.end(large)
      if (url.pathname === '/hang') return undefined
      if (url.pathname === '/drip') return response.writeHead(200).write(large.subarray(0, 100_000))
      if (url.pathname === '/late-break') {
        response.writeHead(200, { 'content-length': String(large.length) }).write(large.subarray(0, 1_000_000))
        return setImmediate(() => request.socket.destroy())
      }
      if (url.pathname === '/break') {
        response.writeHead(200, { 'content-length': '1000' }).write('some')
        return setImmediate(() => request.socket.destroy())
      }
      response.writeHead(207, [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x-own', 'yes'],
        ['connection', 'keep-alive'],
      ])
      return response.end('hello')
    })
  })
  other = createServer((request, response) => {
    response.end(JSON.stringify(request.headers))
  })
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const { token } = await connectApp(server, (await signUp(server)).token, 'web:https://app.example')
  tunnel = dialServer(server, token)
})
after(async () => {
  tunnel.close()
  await server.close()
  for (const one of [site, other]) {
    one.closeAllConnections()
    one.close()
  }
})

/** What an app's page asks for: a body apart. Answers the head, and how the stream went on. */
interface Apart {
  readonly stream: Stream
  readonly head: TunnelResponse
  readonly ticket: string
  /** The last count of bytes, and how the stream ended. */
  readonly ended: Promise<{ passed: number; code: string | null }>
}
function fetchApart(path: string, app = tunnel): Promise<Apart> {
  const asked: TunnelRequest = { method: 'GET', url: `${base}${path}`, headers: [], redirect: 'follow', body: false, apart: true }
  return new Promise((resolve, reject) => {
    const stream = app.session.open(FRAME.request, toJson(asked))
    const ended = Promise.withResolvers<{ passed: number; code: string | null }>()
    let passed = 0
    stream.hear({
      frame: (type, payload) => {
        if (type === FRAME.passed) passed = fromCount(payload)
        if (type !== FRAME.response) return
        const head = parse(responseFrame, fromJson(payload))
        if (head.ticket === null || head.apart !== true) reject(new Error('no ticket'))
        else resolve({ stream, head, ticket: head.ticket, ended: ended.promise })
      },
      end: () => ended.resolve({ passed, code: null }),
      reset: ({ code }) => ended.resolve({ passed, code }),
    })
    stream.end()
  })
}
const appOrigin = 'https://app.example'
const exchange = (body: string | Buffer, origin: string | undefined = appOrigin, method = 'POST') =>
  server.fetch(`${server.origins.api}${TUNNEL_BODY}`, {
    method,
    headers: { 'content-type': 'text/plain', ...(origin === '' ? {} : { origin }) },
    ...(method === 'GET' ? {} : { body: body.toString('latin1' as never) }),
  })

interface Fetched {
  readonly head?: TunnelResponse
  readonly body?: string
  readonly code?: string
}
/** Fetches through the tunnel; a body behind a ticket is fetched as a browser does. */
function fetchBy(url: string, more: Partial<TunnelRequest> = {}, body?: Uint8Array<ArrayBuffer>, cut?: AbortSignal): Promise<Fetched> {
  const asked: TunnelRequest = { method: 'GET', url, headers: [], redirect: 'follow', body: body !== undefined, ...more }
  return new Promise(resolve => {
    const stream = tunnel.session.open(FRAME.request, toJson(asked))
    const chunks: Uint8Array[] = []
    let head: TunnelResponse | undefined
    const finish = async (): Promise<void> => {
      if (head?.ticket === null || head === undefined) return resolve({ ...(head === undefined ? {} : { head }), body: Buffer.concat(chunks).toString() })
      const { status, body: bytes } = await server.fetch(`${server.origins.api}/v1/tunnel/bodies/${head.ticket}`)
      assert.equal(status, 200)
      const again = await server.fetch(`${server.origins.api}/v1/tunnel/bodies/${head.ticket}`)
      assert.equal(again.status, 404)
      resolve({ head, body: bytes.toString() })
    }
    stream.hear({
      frame: (_type, payload) => (head = parse(responseFrame, fromJson(payload))),
      data: bytes => {
        chunks.push(bytes)
        stream.consumed(bytes.byteLength)
      },
      end: () => void finish(),
      reset: ({ code }) => resolve({ ...(head === undefined ? {} : { head }), code }),
    })
    if (body !== undefined) {
      for (let at = 0; at < body.byteLength; at += 60_000) stream.write(body.subarray(at, at + 60_000))
    }
    stream.end()
    cut?.addEventListener('abort', () => {
      stream.reset({ code: 'ECANCELED' })
      resolve({ code: 'cut' })
    })
  })
}

test('NET-1: the answer has status, every header apart and the body; the headers of the way stay behind', async () => {
  seen.length = 0
  const { head, body } = await fetchBy(`${base}/`, {
    headers: [
      ['x-app', 'mine'],
      ['connection', 'upgrade'],
      ['host', 'evil.example'],
      ['accept-encoding', 'identity'],
    ],
  })
  assert.equal(head?.status, 207)
  assert.deepEqual(
    head.headers.filter(([name]) => name === 'set-cookie' || name === 'x-own'),
    [
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['x-own', 'yes'],
    ],
  )
  assert.equal(
    head.headers.some(([name]) => name === 'connection'),
    false,
  )
  assert.deepEqual([head.url, head.redirected, body], [`${base}/`, false, 'hello'])
  const headers = seen[0]?.headers ?? {}
  assert.deepEqual([headers['x-app'], headers['host'], headers['accept-encoding']], ['mine', new URL(base).host, 'gzip, deflate, br, zstd'])
})

test('NET-1: every method and a body of any length arrive; GET and HEAD carry none', async () => {
  seen.length = 0
  const bytes = Buffer.alloc(1_000_000, 'body ')
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
    assert.equal((await fetchBy(`${base}/`, { method }, bytes)).head?.status, 207, method)
  assert.ok(seen.every(({ body }) => body === bytes.toString()))
  const { head, body } = await fetchBy(`${base}/large`, { method: 'HEAD' })
  assert.deepEqual([head?.status, head?.ticket, body], [200, null, ''])
  for (const method of ['CONNECT', 'TRACE', 'BAD METHOD', '']) assert.equal((await fetchBy(`${base}/`, { method })).code, 'EINVAL', method)
})

test('a body of every encoding is undone, and neither encoding nor length is told', async () => {
  for (const encoding of Object.keys(encoders)) {
    const { head, body } = await fetchBy(`${base}/?encoding=${encoding}`)
    assert.equal(body, words, encoding)
    assert.deepEqual(
      head?.headers.filter(([name]) => name === 'content-encoding' || name === 'content-length'),
      [],
    )
  }
})

test('a long body waits behind a ticket that is good once, with its length', async () => {
  const { head, body } = await fetchBy(`${base}/large`)
  assert.equal(head?.headers.find(([name]) => name === 'content-length')?.[1], String(large.length))
  assert.ok(head?.ticket)
  assert.equal(body, large.toString())
  assert.equal((await server.fetch(`${server.origins.api}/v1/tunnel/bodies/${'x'.repeat(32)}`)).status, 404)
})

test('redirects are followed, told, refused or handed over, as asked', async () => {
  const followed = await fetchBy(`${base}/?to=/end`)
  assert.deepEqual([followed.head?.status, followed.head?.url, followed.head?.redirected], [207, `${base}/end`, true])
  const manual = await fetchBy(`${base}/?to=/end`, { redirect: 'manual' })
  assert.deepEqual([manual.head?.status, manual.body], [302, 'gone'])
  assert.equal((await fetchBy(`${base}/?to=/end`, { redirect: 'error' })).code, 'EREDIRECT')
  assert.equal((await fetchBy(`${base}/loop`)).code, 'EREDIRECT')
  assert.equal((await fetchBy(`${base}/?to=file:///etc/passwd`)).code, 'EINVAL')
  seen.length = 0
  const body = Buffer.from('kept')
  await fetchBy(`${base}/?to=/end&status=307`, { method: 'POST' }, body)
  await fetchBy(`${base}/?to=/end&status=303`, { method: 'POST', headers: [['content-type', 'text/plain']] }, body)
  assert.deepEqual(
    seen.map(({ method, body: text }) => [method, text]),
    [
      ['POST', 'kept'],
      ['POST', 'kept'],
      ['POST', 'kept'],
      ['GET', ''],
    ],
  )
  assert.equal(seen.at(-1)?.headers['content-type'], undefined)
  assert.equal((await fetchBy(`${base}/?to=/end&status=307`, { method: 'POST' }, Buffer.alloc(400_000))).code, 'EREDIRECT')
})

test('a secret meant for one site is not sent on to another', async () => {
  const { body } = await fetchBy(`${base}/?to=${elsewhere}/`, {
    headers: [
      ['authorization', 'Bearer secret'],
      ['cookie', 'sid=1'],
      ['x-other', 'kept'],
    ],
  })
  const headers = JSON.parse(body ?? '') as Record<string, string>
  assert.deepEqual([headers['authorization'], headers['cookie'], headers['x-other']], [undefined, undefined, 'kept'])
})

test('what cannot be reached is told apart, a redirect to it included', async () => {
  const code = async (url: string): Promise<string | undefined> => (await fetchBy(url)).code
  assert.equal(await code('http://10.0.0.1/'), 'EACCES')
  assert.equal(await code('http://169.254.169.254/latest/meta-data/'), 'EACCES')
  assert.equal(await code(`${base}/?to=http://10.0.0.1/`), 'EACCES')
  assert.equal(await code('http://127.0.0.1:25/'), 'EACCES')
  assert.equal(await code('http://no-such-name.invalid/'), 'ENOTFOUND')
  assert.equal(await code('http://127.0.0.1:1/'), 'ECONNREFUSED')
  assert.equal(await code('ftp://127.0.0.1/'), 'EINVAL')
  assert.equal(await code('http://user:secret@127.0.0.1/'), 'EINVAL')
  assert.equal(await code(`${base}/break`), 'ECONNRESET')
})

test('a fetch that is given up ends its request to the site', async () => {
  const gone = new Promise<void>(resolve => site.once('request', request => request.socket.once('close', () => resolve())))
  const giveUp = new AbortController()
  const asked = fetchBy(`${base}/hang`, {}, undefined, giveUp.signal)
  await new Promise<void>(resolve => site.once('request', () => resolve()))
  giveUp.abort()
  assert.deepEqual(await asked, { code: 'cut' })
  await gone
})

test('a body apart is exchanged for its ticket once, by pages of its app and of the broker alone, and told of to its end', async () => {
  for (const origin of [appOrigin, server.origins.broker, '']) {
    const { head, ticket, ended } = await fetchApart('/large')
    assert.equal(head.headers.find(([name]) => name === 'content-length')?.[1], String(large.length))
    const { status, headers, body } = await exchange(ticket, origin)
    assert.deepEqual([status, headers['access-control-allow-origin'], headers['cache-control'], body.equals(large)], [200, '*', 'no-store', true])
    assert.deepEqual(await ended, { passed: large.length, code: null })
    assert.equal((await exchange(ticket, origin)).status, 404, 'a second time')
  }
})

test('a ticket that is presented wrongly opens nothing, and is not used up by it', async () => {
  const { ticket, ended } = await fetchApart('/large')
  assert.equal((await exchange(ticket, 'https://other.example')).status, 404, 'a page of another app')
  assert.equal((await exchange(ticket, 'null')).status, 404, 'a page of no origin')
  assert.equal((await server.fetch(`${server.origins.api}${TUNNEL_BODIES}${ticket}`)).status, 404, 'in a url')
  assert.equal((await exchange(`${ticket} `)).status, 404)
  assert.equal((await exchange('', appOrigin, 'GET')).status, 404)
  assert.equal((await exchange(ticket, server.origins.broker, 'PUT')).status, 404)
  const huge = await exchange('x'.repeat(5_000_000)).catch(() => null)
  assert.ok(huge === null || huge.status === 413)
  const empty = await exchange('')
  assert.deepEqual([empty.status, empty.headers['access-control-allow-origin'], empty.body.byteLength], [204, '*', 0])
  assert.ok((await exchange(ticket)).body.equals(large))
  assert.equal((await ended).code, null)
})

test('a body apart that breaks at its site is broken off, and its stream says why', async () => {
  const { ticket, ended } = await fetchApart('/late-break')
  await assert.rejects(exchange(ticket))
  const { passed, code } = await ended
  assert.equal(code, 'ECONNRESET')
  assert.ok(passed < large.length)
})

/** Begins to read the body of a ticket: answers once its first bytes are there. */
function begin(ticket: string): Promise<{ broken: Promise<unknown>; leave(): void }> {
  return new Promise((resolve, reject) => {
    const { host } = new URL(server.origins.api)
    const sent = request({ port: server.port, host: '127.0.0.1', method: 'POST', path: TUNNEL_BODY, headers: { host, origin: appOrigin } }, response => {
      const broken = new Promise((gone, whole) => {
        response.on('error', gone)
        response.on('end', () => whole(new Error('it ended as if it were whole')))
      })
      broken.catch(() => undefined)
      response.once('data', () => resolve({ broken, leave: () => sent.destroy() }))
    })
    sent.on('error', reject)
    sent.end(ticket)
  })
}

test('a stream that is reset, and a session that is over, end the body that is read apart, here and at the site', async () => {
  const { token } = await connectApp(server, (await signUp(server)).token, `web:${appOrigin}`)
  const other = dialServer(server, token)
  for (const end of [({ stream }: Apart) => stream.reset({ code: 'ECANCELED' }), () => other.close()]) {
    const gone = new Promise<void>(resolve => site.once('request', ({ socket }) => socket.once('close', () => resolve())))
    const apart = await fetchApart('/drip', other)
    const { broken } = await begin(apart.ticket)
    end(apart)
    await Promise.all([broken, gone])
  }
})

test('a reader that goes away ends the request to the site', async () => {
  const gone = new Promise<void>(resolve => site.once('request', ({ socket }) => socket.once('close', () => resolve())))
  const { ticket, ended } = await fetchApart('/drip')
  const { leave } = await begin(ticket)
  leave()
  await gone
  assert.equal((await ended).code, 'ECONNRESET')
})

test('a body nobody comes for is given up, and its ticket with it', async () => {
  const tickets = openTickets(10)
  const body = new PassThrough()
  const closed = once(body, 'close')
  const ticket = tickets.offer({ body, length: 1, passed: () => 0, reader: appOrigin })
  await closed
  assert.equal(tickets.take(ticket, { origin: appOrigin }), undefined)
})
