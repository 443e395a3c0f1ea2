import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, before, test } from 'node:test'
import { deleteObject } from '@deputy/contract/api-objects'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'
import { download, sealedRecord, store, upload } from '../support/stored-objects.ts'
import { connectApp, ok, signUp } from '../support/test-accounts.ts'

let server: TestServer
let token: string
let url: string
let id: string
let bytes: Buffer

before(async () => {
  server = await startTestServer()
  token = (await connectApp(server, (await signUp(server)).token)).token
  ;({ id, url, bytes } = await store(server, token, 3 * 2 ** 20 + 77))
})
after(() => server.close())

const get = (headers: Record<string, string> = {}, method = 'GET') => download(server, url, headers, method)

test('OBJ-7: an object is served to anybody, at {cdn_url}/<uuid>, with headers that let any page read it and no browser run it', async () => {
  assert.equal(url, `${server.origins.cdn}/${id}`)
  const { status, headers, body } = await get({ origin: 'https://anybody.example' })
  assert.equal(status, 200)
  assert.deepEqual(body, bytes)
  const ofTheConnection = ['date', 'connection', 'keep-alive']
  assert.deepEqual(Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheConnection.includes(name))), {
    'accept-ranges': 'bytes',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Content-Range, Content-Length, ETag, Accept-Ranges',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-disposition': 'attachment',
    'content-length': String(bytes.length),
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': 'application/octet-stream',
    'cross-origin-resource-policy': 'cross-origin',
    etag: `"${id}"`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
})

test('OBJ-7: single ranges are answered exactly, across records and at the ends', async () => {
  const size = bytes.length
  for (const [range, start, end] of [
    ['bytes=0-0', 0, 1],
    ['bytes=0-1048603', 0, sealedRecord],
    [`bytes=${sealedRecord - 1}-${2 * sealedRecord}`, sealedRecord - 1, 2 * sealedRecord + 1],
    ['bytes=-105', size - 105, size],
    [`bytes=${size - 1}-`, size - 1, size],
    ['bytes=5-99999999999', 5, size],
  ] as const) {
    const { status, headers, body } = await get({ range })
    assert.equal(status, 206, range)
    assert.deepEqual(body, bytes.subarray(start, end), range)
    assert.equal(headers['content-range'], `bytes ${start}-${end - 1}/${size}`)
    assert.equal(headers['content-length'], String(end - start))
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  }
})

test('several ranges are answered with the whole, one outside with 416', async () => {
  const several = await get({ range: 'bytes=0-0,5-9' })
  assert.equal(several.status, 200)
  assert.deepEqual(several.body, bytes)
  const outside = await get({ range: `bytes=${bytes.length}-` })
  assert.equal(outside.status, 416)
  assert.equal(outside.headers['content-range'], `bytes */${bytes.length}`)
  assert.equal(outside.headers['cache-control'], 'no-store')
})

test('HEAD tells the size and sends nothing', async () => {
  const { status, headers, body } = await get({ range: 'bytes=0-0' }, 'HEAD')
  assert.deepEqual([status, headers['content-length'], headers['accept-ranges'], body.length], [200, String(bytes.length), 'bytes', 0])
})

test('conditions: unchanged is 304, another version 412, and a range of another version is the whole', async () => {
  const unchanged = await get({ 'if-none-match': `"${id}"` })
  assert.deepEqual([unchanged.status, unchanged.body.length, unchanged.headers.etag], [304, 0, `"${id}"`])
  assert.equal((await get({ 'if-match': '"other"' })).status, 412)
  assert.equal((await get({ range: 'bytes=0-0', 'if-range': `"${id}"` })).status, 206)
  assert.equal((await get({ range: 'bytes=0-0', 'if-range': '"other"' })).status, 200)
})

test('a preflight for ranges is answered to any origin', async () => {
  const { status, headers } = await get(
    { origin: 'https://anybody.example', 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' },
    'OPTIONS',
  )
  assert.equal(status, 204)
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['access-control-allow-methods'], 'GET, HEAD')
  assert.match(String(headers['access-control-allow-headers']), /\brange\b/)
  assert.equal(headers['access-control-allow-credentials'], undefined)
})

test('OBJ-E11: one uncached answer for never made, still uploading, deleted, and whatever else is asked for', async () => {
  const deleted = await store(server, token, 5)
  ok(await server.call(deleteObject, { id: deleted.id }, token))
  const uploading = await upload(server, token, 5)
  const asked = [
    ...[randomUUID(), deleted.id, uploading.id].map(one => `/${one}`),
    ...[
      '/',
      '/objects',
      `/${id}/`,
      `/${id}?x`,
      `/${id.toUpperCase()}`,
      `//${id}`,
      `/x/../${id}.parts`,
      `/${id}.parts`,
      `/%2e%2e/rows.sqlite`,
      '/v1/usage/read',
    ],
  ]
  for (const path of asked) {
    const { status, headers, text } = await download(server, server.origins.cdn + path)
    assert.deepEqual(
      [status, text, headers['cache-control'], headers['set-cookie'], headers.etag],
      [404, 'not found\n', 'no-store', undefined, undefined],
      path,
    )
    assert.equal(headers['access-control-allow-origin'], '*')
  }
})

test('other methods are refused, and the other origins serve no object', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) assert.equal((await get({}, method)).status, 405, method)
  for (const origin of [server.origins.api, server.origins.broker]) assert.notEqual((await download(server, `${origin}/${id}`)).status, 200)
})

test('a download under way finishes although its object is deleted; a new one finds nothing', async () => {
  const large = await store(server, token, 24 * 2 ** 20)
  const { host, pathname } = new URL(large.url)
  const asked = request({ host: '127.0.0.1', port: server.port, path: pathname, headers: { host }, agent: false }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  ok(await server.call(deleteObject, { id: large.id }, token))
  assert.equal((await download(server, large.url)).status, 404)
  const read: Buffer[] = []
  for await (const chunk of response) read.push(chunk as Buffer)
  assert.ok(Buffer.concat(read).equals(large.bytes))
})

test('a reader that takes nothing is cut off after the idle time, one address has a bounded number of downloads', async t => {
  const small = await startTestServer({ limits: { idle: '1s' } })
  t.after(() => small.close())
  const owner = (await connectApp(small, (await signUp(small)).token)).token
  const large = await store(small, owner, 24 * 2 ** 20)
  const { host, pathname } = new URL(large.url)
  const open = async (): Promise<IncomingMessage> => {
    const asked = request({ host: '127.0.0.1', port: small.port, path: pathname, headers: { host }, agent: false }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return response
  }
  const stalled = await Promise.all(Array.from({ length: 64 }, open))
  assert.ok(stalled.every(response => response.statusCode === 200))
  const refused = await open()
  assert.equal(refused.statusCode, 503)
  refused.resume()
  // Nobody reads: each is cut off, and then there is room again.
  let next = await open()
  while (next.statusCode === 503) {
    next.resume()
    await once(next, 'end')
    next = await open()
  }
  const read: Buffer[] = []
  for await (const chunk of next) read.push(chunk as Buffer)
  assert.ok(Buffer.concat(read).equals(large.bytes))
  const [first] = stalled
  await assert.rejects(async () => {
    for await (const chunk of first ?? []) assert.ok(Buffer.isBuffer(chunk))
  }, /aborted/)
  for (const response of stalled) response.destroy()
})
