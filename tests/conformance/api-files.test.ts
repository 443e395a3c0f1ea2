import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  abortFile,
  beginFile,
  commitFile,
  fileContentPath,
  fileHeaders,
  findFile,
  listFiles,
  readFileUsage,
  removeFile,
  SMALL_FILE_BYTES,
} from '@deputy/contract/api-files'
import type { TestServer } from '../support/start-test-server.ts'
import {
  blobsOf,
  enrol,
  getFile,
  metaOf,
  nameOf,
  put,
  putFile,
  putFilePart,
  recountFiles,
  refusedPut,
  startFilesServer,
  uploadFile,
} from '../support/stored-files.ts'
import { connectApp, ok, signUp, type TestPerson } from '../support/test-accounts.ts'
import { until } from '../support/until.ts'

const day = 86_400_000
const tenant = 'web:http://app.localhost:8000'
const otherVersion = [409, 'conflict', 'the file has another version']
const otherEpoch = [409, 'conflict', 'the key epoch is not the current one']
const nothing = { expired: 0, cleared: 0, strays: 0, missing: 0 }
/** More than is kept in a row. */
const large = 200_000

let now = Date.now()
let server: TestServer
let person: TestPerson
let app: string

before(async () => {
  server = await startFilesServer(() => now)
})
after(() => server.close())
beforeEach(async () => {
  person = await signUp(server)
  app = (await connectApp(server, person.token, tenant)).token
  await enrol(server, person.token)
})

const listOf = async (since = 0, token = app) => ok(await server.call(listFiles, { since }, token))
const rowOf = async (name: string, token = app) => ok(await server.call(findFile, { name }, token)).file
const usageOf = async (token = app) => ok(await server.call(readFileUsage, {}, token))
const refused = async (answer: Promise<{ status: number; error?: string; message?: string }>) => {
  const { status, error, message } = await answer
  return [status, error, message]
}
const same = async (name: string, bytes: Uint8Array, token = app): Promise<void> => {
  const { status, body } = await getFile(server, token, name)
  assert.equal(status, 200)
  assert.ok(body.equals(bytes), 'the bytes are those that were put')
}

describe('one request', () => {
  for (const size of [1, 65_536, 65_537, large])
    test(`${size} bytes are put, told, read back, replaced and removed`, async () => {
      const name = nameOf(`file of ${size}`)
      const bytes = randomBytes(size)
      const done = await put(server, app, name, bytes, { base: 'none' })
      assert.deepEqual(done, { version: done.version, updatedAt: now, changed: done.version })
      const row = { name, meta: metaOf(name), version: done.version, epoch: 1, size, updatedAt: now, changed: done.changed }
      assert.deepEqual(await rowOf(name), row)
      assert.deepEqual((await listOf()).files, [row])
      const { headers, body } = await getFile(server, app, name)
      assert.ok(body.equals(bytes))
      assert.deepEqual(
        [headers['etag'], headers[fileHeaders.meta], headers[fileHeaders.epoch], headers[fileHeaders.version], headers[fileHeaders.updatedAt]],
        [`"${done.version}"`, metaOf(name), '1', String(done.version), String(now)],
      )
      const next = randomBytes(size + 1)
      const replaced = await put(server, app, name, next, { base: done.version })
      assert.ok(replaced.version > done.version)
      assert.ok(replaced.updatedAt > done.updatedAt, 'times of one file rise even within a millisecond')
      await same(name, next)
      assert.deepEqual([(await usageOf()).usedBytes, (await usageOf()).files], [size + 1, 1])
      const { changed } = ok(await server.call(removeFile, { name, base: replaced.version }, app))
      assert.ok(changed > replaced.changed)
      assert.equal((await getFile(server, app, name)).status, 404)
      assert.equal(await rowOf(name), null)
      assert.deepEqual([(await usageOf()).usedBytes, (await usageOf()).files], [0, 0])
      await server.sweep()
      assert.deepEqual(await blobsOf(server.folder), [])
    })

  test('bytes on their way are no strays, and what breaks off leaves none', async () => {
    const bytes = randomBytes(large)
    const half = large / 2
    const begin = async (name: string): Promise<ClientRequest> => {
      const headers = {
        host: new URL(server.origins.api).host,
        authorization: `Bearer ${app}`,
        'content-length': large,
        [fileHeaders.name]: name,
        [fileHeaders.meta]: metaOf(name),
        [fileHeaders.epoch]: 1,
        [fileHeaders.base]: 'any',
      }
      const sending = request({ host: '127.0.0.1', port: server.port, method: 'PUT', path: fileContentPath, headers })
      sending.on('error', () => {})
      sending.write(bytes.subarray(0, half))
      await until(async () => (await blobsOf(server.folder)).length === 1)
      return sending
    }
    const whole = await begin(nameOf('on its way'))
    assert.deepEqual(await server.sweep(), nothing)
    const answered = once(whole, 'response')
    whole.end(bytes.subarray(half))
    const [answer] = (await answered) as [IncomingMessage]
    assert.equal(answer.statusCode, 200)
    answer.resume()
    await same(nameOf('on its way'), bytes)
    ok(await server.call(removeFile, { name: nameOf('on its way') }, app))
    await server.sweep()
    const broken = await begin(nameOf('broken off'))
    broken.destroy()
    await until(async () => (await blobsOf(server.folder)).length === 0)
    assert.equal(await rowOf(nameOf('broken off')), null)
    assert.deepEqual(await server.sweep(), nothing)
  })

  test('a file may grow out of its row and shrink back into it', async () => {
    const name = nameOf('elastic')
    for (const size of [10, large, 20, 100_000, 65_536]) {
      const bytes = randomBytes(size)
      await put(server, app, name, bytes)
      await same(name, bytes)
    }
    const { counted, kept } = recountFiles(server.folder)
    assert.deepEqual(kept, counted)
    await server.sweep()
    assert.deepEqual(await blobsOf(server.folder), [])
  })

  test('the base must be there: a version, no file, or anything', async () => {
    const name = nameOf('based')
    const bytes = Buffer.from('x')
    assert.deepEqual(await refusedPut(server, app, name, bytes, { base: 1 }), otherVersion)
    const first = await put(server, app, name, bytes, { base: 'none' })
    for (const base of ['none', first.version - 1, first.version + 1] as const)
      if (base !== 0) assert.deepEqual(await refusedPut(server, app, name, bytes, { base }), otherVersion)
    const second = await put(server, app, name, bytes, { base: first.version })
    assert.deepEqual(await refusedPut(server, app, name, randomBytes(large), { base: first.version }), otherVersion)
    assert.deepEqual(await refused(server.call(removeFile, { name, base: first.version }, app)), otherVersion)
    assert.equal((await put(server, app, name, bytes, { base: 'any' })).version, second.version + 1)
    await server.sweep()
    assert.deepEqual(await blobsOf(server.folder), [])
  })

  for (const size of [100, large])
    test(`of twelve writers over one base exactly one wins, with ${size} bytes`, async () => {
      const name = nameOf('raced')
      let base: number | 'none' = 'none'
      for (let round = 0; round < 5; round += 1) {
        const bodies = Array.from({ length: 12 }, () => randomBytes(size))
        const answers = await Promise.all(bodies.map(body => putFile(server, app, name, body, { base })))
        const won = answers.findIndex(answer => answer.status === 200)
        assert.deepEqual(answers.filter(answer => answer.status === 200).length, 1)
        assert.ok(answers.every((answer, index) => index === won || answer.status === 409))
        await same(name, bodies[won] ?? Buffer.alloc(0))
        base = (JSON.parse(answers[won]?.text ?? '') as { version: number }).version
      }
      const { counted, kept } = recountFiles(server.folder)
      assert.deepEqual(kept, counted)
    })

  test('headers and names that are none are refused', async () => {
    const bytes = Buffer.from('x')
    const { meta, epoch, base } = fileHeaders
    for (const headers of [
      { [meta]: '' },
      { [meta]: 'not sealed!' },
      { [meta]: 'x'.repeat(4097) },
      { [epoch]: '0' },
      { [epoch]: '1e3' },
      { [base]: '' },
      { [base]: '-1' },
    ])
      assert.deepEqual((await refusedPut(server, app, nameOf('x'), bytes, { headers })).slice(0, 2), [400, 'invalid'], JSON.stringify(headers))
    for (const name of ['short', `${nameOf('x')}x`, `${nameOf('x').slice(1)}.`, 'uploads', '..%2f..%2fetc'])
      assert.equal((await putFile(server, app, name, bytes)).status, 404, name)
    assert.deepEqual((await refusedPut(server, app, nameOf('x'), Buffer.alloc(0))).slice(0, 2), [400, 'invalid'])
    const chunked = await server.fetch(server.origins.api + fileContentPath, {
      method: 'PUT',
      headers: { authorization: `Bearer ${app}`, [fileHeaders.name]: nameOf('x'), [meta]: 'x', [epoch]: '1', [base]: 'any', 'transfer-encoding': 'chunked' },
      body: 'x',
    })
    assert.equal(chunked.status, 400)
    assert.deepEqual((await listOf()).files, [])
  })

  test('the largest body of one request is taken, one byte more goes by parts', async () => {
    const name = nameOf('eight')
    const bytes = randomBytes(SMALL_FILE_BYTES)
    await put(server, app, name, bytes)
    await same(name, bytes)
    const { status, text } = await putFile(server, app, name, randomBytes(SMALL_FILE_BYTES + 1))
    assert.deepEqual([status, (JSON.parse(text) as { error: string }).error], [413, 'too-large'])
  })
})

describe('parts', () => {
  test('a file by parts is there at the commit, whole, and answered again when asked again', async () => {
    const name = nameOf('parts')
    const bytes = randomBytes(3 * 65_536 + 5)
    const plan = await uploadFile(server, app, bytes)
    assert.deepEqual([plan.partBytes, plan.parts], [65_536, 4])
    assert.equal((await getFile(server, app, name)).status, 404)
    assert.deepEqual([(await usageOf()).usedBytes, (await usageOf()).files], [bytes.length, 0])
    const body = { upload: plan.upload, name, meta: metaOf(name), epoch: 1, base: null }
    const done = ok(await server.call(commitFile, body, app))
    assert.deepEqual(ok(await server.call(commitFile, body, app)), done)
    await same(name, bytes)
    assert.deepEqual([(await usageOf()).usedBytes, (await usageOf()).files], [bytes.length, 1])
    assert.equal((await server.call(commitFile, { ...body, name: nameOf('elsewhere') }, app)).status, 404)
    assert.ok((await blobsOf(server.folder)).includes(plan.upload))
    ok(await server.call(removeFile, { name }, app))
    await server.sweep()
    assert.ok(!(await blobsOf(server.folder)).includes(plan.upload))
  })

  test('a commit that met a conflict may be tried again with another base', async () => {
    const name = nameOf('retried')
    const first = await put(server, app, name, Buffer.from('first'))
    const bytes = randomBytes(100_000)
    const { upload } = await uploadFile(server, app, bytes)
    const body = { upload, name, meta: metaOf(name), epoch: 1 }
    assert.deepEqual(await refused(server.call(commitFile, { ...body, base: null }, app)), otherVersion)
    assert.deepEqual(await refused(server.call(commitFile, { ...body, epoch: 2 }, app)), otherEpoch)
    ok(await server.call(commitFile, { ...body, base: first.version }, app))
    await same(name, bytes)
  })

  test('commits of two uploads over one base: exactly one wins', async () => {
    const name = nameOf('two uploads')
    const { version } = await put(server, app, name, Buffer.from('base'))
    const [one, other] = [randomBytes(100_000), randomBytes(150_000)]
    const uploads = [await uploadFile(server, app, one), await uploadFile(server, app, other)]
    const answers = await Promise.all(uploads.map(({ upload }) => server.call(commitFile, { upload, name, meta: metaOf(name), epoch: 1, base: version }, app)))
    assert.deepEqual(new Set(answers.map(answer => answer.status)), new Set([200, 409]))
    await same(name, answers[0]?.status === 200 ? one : other)
  })

  test('a missing part, a part of another size or of no upload is refused', async () => {
    const bytes = randomBytes(100_000)
    const { upload } = ok(await server.call(beginFile, { size: bytes.length, epoch: 1 }, app))
    const body = { upload, name: nameOf('x'), meta: metaOf('x'), epoch: 1 }
    assert.equal((await putFilePart(server, app, upload, 0, bytes.subarray(0, 65_536))).status, 200)
    assert.deepEqual(await refused(server.call(commitFile, body, app)), [409, 'conflict', 'a part is missing'])
    for (const size of [1, 34_463, 34_465]) assert.equal((await putFilePart(server, app, upload, 1, bytes.subarray(0, size))).status, 400, String(size))
    assert.equal((await putFilePart(server, app, upload, 2, bytes)).status, 400)
    for (const part of ['01', '-1', 'x', '99999999']) assert.equal((await putFilePart(server, app, upload, part, bytes)).status, 404, part)
    assert.equal((await putFilePart(server, app, randomUUID(), 0, bytes)).status, 404)
    // A part that has landed is not written again.
    assert.equal((await putFilePart(server, app, upload, 0, Buffer.alloc(65_536))).status, 200)
    assert.equal((await putFilePart(server, app, upload, 1, bytes.subarray(65_536))).status, 200)
    ok(await server.call(commitFile, body, app))
    await same(nameOf('x'), bytes)
  })

  test('an upload given up or out of time gives its room back, with its bytes', async () => {
    await server.sweep()
    const before = await usageOf()
    const { upload } = await uploadFile(server, app, randomBytes(100_000))
    ok(await server.call(abortFile, { upload }, app))
    assert.deepEqual(await usageOf(), before)
    assert.equal((await server.call(abortFile, { upload }, app)).status, 404)
    const late = await uploadFile(server, app, randomBytes(100_000))
    now += day + 1
    assert.equal((await server.call(commitFile, { upload: late.upload, name: nameOf('late'), meta: 'x', epoch: 1 }, app)).status, 404)
    assert.ok((await server.sweep()).expired >= 1)
    assert.deepEqual(await usageOf(), before)
    assert.deepEqual(await server.sweep(), nothing)
  })

  test('an account has so many uploads at a time; overdue ones do not stand in the way', async () => {
    const begin = () => server.call(beginFile, { size: 10, epoch: 1 }, app)
    for (let count = 0; count < 3; count += 1) ok(await begin())
    assert.equal((await begin()).error, 'too-many')
    now += day + 1
    ok(await begin())
  })
})

describe('reading', () => {
  for (const size of [1000, large])
    test(`ranges, tags and conditions of ${size} bytes`, async () => {
      const name = nameOf('ranged')
      const bytes = randomBytes(size)
      const { version } = await put(server, app, name, bytes)
      const get = (headers: Record<string, string>) => getFile(server, app, name, headers)
      const range = async (text: string, more: Record<string, string> = {}) => {
        const { status, headers, body } = await get({ range: text, ...more })
        return [status, headers['content-range'], body.toString('hex')]
      }
      const hex = (start: number, end?: number) => bytes.subarray(start, end).toString('hex')
      assert.deepEqual(await range('bytes=0-9'), [206, `bytes 0-9/${size}`, hex(0, 10)])
      assert.deepEqual(await range('bytes=990-'), [206, `bytes 990-${size - 1}/${size}`, hex(990)])
      assert.deepEqual(await range('bytes=-5'), [206, `bytes ${size - 5}-${size - 1}/${size}`, hex(size - 5)])
      assert.equal((await get({ range: `bytes=${size}-` })).status, 416)
      assert.equal((await get({ range: 'lines=1-2' })).status, 200)
      assert.deepEqual(await range('bytes=0-9', { 'if-range': `"${version}"` }), [206, `bytes 0-9/${size}`, hex(0, 10)])
      assert.equal((await get({ range: 'bytes=0-9', 'if-range': '"0"' })).status, 200)
      const { status, body } = await getFile(server, app, name, { range: 'bytes=0-9' }, undefined, 'POST')
      assert.deepEqual([status, body.toString('hex')], [206, hex(0, 10)])
      const unchanged = await get({ 'if-none-match': `"${version}"` })
      assert.deepEqual([unchanged.status, unchanged.body.length, unchanged.headers['etag']], [304, 0, `"${version}"`])
      assert.equal((await get({ 'if-match': '"0"' })).status, 412)
      await put(server, app, name, bytes)
      assert.equal((await get({ 'if-none-match': `"${version}"` })).status, 200)
      assert.equal((await get({ 'if-match': `"${version}"` })).status, 412)
    })

  test('the broker’s pages may read what is said of a file, no other page may', async () => {
    const name = nameOf('seen')
    await put(server, app, name, Buffer.from('x'))
    const { headers } = await getFile(server, app, name)
    assert.equal(headers['access-control-allow-origin'], server.origins.broker)
    const exposed = String(headers['access-control-expose-headers']).split(', ')
    for (const header of ['etag', 'content-range', ...Object.values(fileHeaders).filter(one => one !== fileHeaders.base && one !== fileHeaders.name)])
      assert.ok(exposed.includes(header), header)
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['vary'], `origin, ${fileHeaders.name}`)
    assert.equal((await getFile(server, app, name, { origin: 'https://evil.example' })).status, 403)
    const preflight = await server.fetch(server.origins.api + fileContentPath, {
      method: 'OPTIONS',
      headers: { origin: server.origins.broker, 'access-control-request-method': 'PUT', 'access-control-request-headers': `authorization,${fileHeaders.name}` },
    })
    const allowed = String(preflight.headers['access-control-allow-headers']).split(', ')
    for (const header of [fileHeaders.name, fileHeaders.meta, fileHeaders.epoch, fileHeaders.base]) assert.ok(allowed.includes(header), header)
    assert.ok(Number(preflight.headers['access-control-max-age']) >= 3600)
    assert.ok(String(preflight.headers['access-control-allow-methods']).includes('GET'))
  })
})
