import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { disconnectApp } from '@deputy/contract/api-apps'
import {
  abortFile,
  beginFile,
  commitFile,
  findFile,
  listAppFiles,
  listFileApps,
  listFiles,
  readFileUsage,
  removeAppFiles,
  removeFile,
} from '@deputy/contract/api-files'
import { rotateKeys } from '@deputy/contract/api-keys'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'
import {
  enrol,
  getFile,
  nameOf,
  put,
  putByParts,
  putFilePart,
  recountFiles,
  refusedPut,
  testUnlocker,
  startFilesServer,
  uploadFile,
} from '../support/stored-files.ts'
import { connectApp, ok, signUp, type TestPerson } from '../support/test-accounts.ts'

const day = 86_400_000
const tenant = 'web:http://app.localhost:8000'
const otherTenant = 'web:http://other.localhost:8001'
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
const same = async (name: string, bytes: Uint8Array, token = app): Promise<void> => {
  const { status, body } = await getFile(server, token, name)
  assert.equal(status, 200)
  assert.ok(body.equals(bytes), 'the bytes are those that were put')
}

describe('lists', () => {
  test('pages follow the order of changes and end; changes since are told, removals too', async () => {
    const names = Array.from({ length: 25 }, (_, index) => nameOf(`listed ${index}`))
    for (const name of names) await put(server, app, name, Buffer.from(name))
    const seen: string[] = []
    let since = 0
    for (let more = true; more;) {
      const page = ok(await server.call(listFiles, { since, limit: 10 }, app))
      assert.ok(page.files.length <= 10)
      assert.equal(page.reset, false)
      seen.push(...page.files.map(file => file.name))
      ;({ changed: since, more } = page)
    }
    assert.deepEqual(seen, names)
    assert.deepEqual(await listOf(since), { files: [], removed: [], changed: since, more: false, reset: false })
    const [first = '', second = '', third = ''] = names
    await put(server, app, second, Buffer.from('again'))
    ok(await server.call(removeFile, { name: first }, app))
    const { changed } = ok(await server.call(removeFile, { name: third }, app))
    const later = await listOf(since)
    assert.deepEqual(
      later.files.map(file => file.name),
      [second],
    )
    assert.deepEqual([later.removed, later.changed, later.more], [[first, third], changed, false])
    assert.deepEqual((await listOf()).removed, [])
    // A file made again is no longer one that was removed.
    await put(server, app, first, Buffer.from('back'))
    assert.deepEqual((await listOf(since)).removed, [third])
  })

  test('traces of removals are forgotten after 90 days: an older reader is told to start again, and no version comes twice', async () => {
    const name = nameOf('traced')
    const first = await put(server, app, name, Buffer.from('one'))
    await put(server, app, nameOf('stays'), Buffer.from('stays'))
    const { changed } = ok(await server.call(removeFile, { name }, app))
    now += 89 * day
    await server.sweep()
    assert.deepEqual((await listOf(first.changed)).removed, [name])
    now += 2 * day
    await server.sweep()
    const { removed, reset, files } = await listOf(first.changed)
    assert.deepEqual([removed, reset, files.length], [[], true, 1])
    assert.equal((await listOf(changed)).reset, false)
    assert.equal((await listOf()).reset, false)
    assert.equal((await listOf(changed + 1000)).reset, true, 'a number from a future that was undone')
    const again = await put(server, app, name, Buffer.from('one'), { base: 'none' })
    assert.ok(again.version > changed)
  })

  test('long lists: 2,000 files in one page or several', { timeout: 60_000 }, async () => {
    let next = 0
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        while (next < 2000) {
          next += 1
          await put(server, app, nameOf(`many ${next}`), Buffer.from('x'))
        }
      }),
    )
    const all = ok(await server.call(listFiles, { since: 0, limit: 10_000 }, app))
    assert.deepEqual([all.files.length, all.more], [2000, false])
    const page = ok(await server.call(listFiles, { since: 0 }, app))
    assert.deepEqual([page.files.length, page.more, page.changed], [1000, true, page.files.at(-1)?.changed])
    assert.equal(ok(await server.call(removeAppFiles, { app: tenant, name: null }, person.token)).removed, 2000)
    assert.deepEqual((await listOf()).files, [])
    assert.equal((await listOf(all.changed)).reset, true)
  })
})

describe('limits', () => {
  test('what does not fit is refused, what replaces is counted with what it replaces', async () => {
    const own = await startTestServer({ files: { bytes: '300KiB', bytesPremium: '300KiB', count: 3, part: '64KiB', largest: '1MiB' } })
    try {
      const { token } = await signUp(own)
      const { token: writer } = await connectApp(own, token)
      await enrol(own, token)
      const [a, b, c] = [nameOf('a'), nameOf('b'), nameOf('c')]
      await put(own, writer, a, randomBytes(200_000))
      await put(own, writer, a, randomBytes(250_000))
      assert.deepEqual((await refusedPut(own, writer, b, randomBytes(60_000))).slice(0, 2), [402, 'quota'])
      assert.deepEqual((await refusedPut(own, writer, b, randomBytes(100_000))).slice(0, 2), [402, 'quota'])
      assert.equal((await own.call(beginFile, { size: 100_000, epoch: 1 }, writer)).error, 'quota')
      const { upload } = ok(await own.call(beginFile, { size: 50_000, epoch: 1 }, writer))
      assert.deepEqual((await refusedPut(own, writer, b, randomBytes(30_000))).slice(0, 2), [402, 'quota'])
      ok(await own.call(abortFile, { upload }, writer))
      await put(own, writer, b, randomBytes(30_000))
      await put(own, writer, c, Buffer.from('c'))
      assert.deepEqual((await refusedPut(own, writer, nameOf('d'), Buffer.from('d'))).slice(0, 2), [403, 'too-many'])
      await put(own, writer, c, Buffer.from('again'))
      ok(await own.call(removeFile, { name: c }, writer))
      await put(own, writer, nameOf('d'), Buffer.from('d'))
      assert.equal((await own.call(beginFile, { size: 2 ** 20 + 28 + 65, epoch: 1 }, writer)).error, 'too-large')
      assert.deepEqual(ok(await own.call(readFileUsage, {}, writer)), { usedBytes: 280_001, limitBytes: 307_200, files: 3, maxFiles: 3 })
      // Who is over a limit that was lowered may still write less.
      await own.restart({ files: { bytes: '100KiB', bytesPremium: '100KiB' } })
      assert.deepEqual((await refusedPut(own, writer, b, randomBytes(40_000))).slice(0, 2), [402, 'quota'])
      await put(own, writer, b, randomBytes(20_000))
    } finally {
      await own.close()
    }
  })
})

describe('whose files', () => {
  test('apps and accounts have their own, whatever the name', async () => {
    const name = nameOf('shared name')
    const second = (await connectApp(server, person.token, otherTenant)).token
    const stranger = await signUp(server, 'Eve')
    const strange = (await connectApp(server, stranger.token, tenant)).token
    await enrol(server, stranger.token)
    await put(server, app, name, Buffer.from('mine'))
    const { upload } = await uploadFile(server, app, randomBytes(100_000))
    for (const token of [second, strange]) {
      assert.equal((await getFile(server, token, name)).status, 404)
      assert.equal(await rowOf(name, token), null)
      assert.deepEqual((await listOf(0, token)).files, [])
      assert.equal((await server.call(removeFile, { name }, token)).status, 404)
      assert.equal((await server.call(abortFile, { upload }, token)).status, 404)
      assert.equal((await server.call(commitFile, { upload, name, meta: 'x', epoch: 1 }, token)).status, 404)
      assert.equal((await putFilePart(server, token, upload, 0, randomBytes(65_536))).status, 404)
      await put(server, token, name, Buffer.from('theirs'), { base: 'none' })
    }
    await same(name, Buffer.from('mine'))
    assert.equal((await usageOf(strange)).files, 1)
    assert.equal((await usageOf(second)).files, 2, 'the account’s, all its apps together')
    assert.equal((await getFile(server, person.token, name)).status, 403)
    assert.deepEqual(ok(await server.call(listAppFiles, { app: otherTenant, since: 0 }, stranger.token)).files, [])
    ok(await server.call(abortFile, { upload }, app))
  })

  test('disconnecting an app ends its sessions and leaves its files', async () => {
    const name = nameOf('left')
    await put(server, app, name, Buffer.from('left'))
    ok(await server.call(disconnectApp, { app: tenant }, person.token))
    assert.equal((await getFile(server, app, name)).status, 401)
    const back = (await connectApp(server, person.token, tenant)).token
    await same(name, Buffer.from('left'), back)
  })

  test('the account page sees files per app, lists and removes them, and reads the last 30 days', async () => {
    const second = (await connectApp(server, person.token, otherTenant)).token
    const start = now
    await put(server, app, nameOf('a'), randomBytes(100))
    await put(server, app, nameOf('b'), randomBytes(large))
    now = start + 3 * day
    await put(server, second, nameOf('c'), randomBytes(50))
    ok(await server.call(rotateKeys, { from: 1, unlockers: [testUnlocker('x')], link: { epoch: 1, wrapped: 'x' }, recovery: null }, person.token))
    now = start + 5 * day
    await put(server, second, nameOf('d'), randomBytes(25), { epoch: 2 })
    now = start + 6 * day
    const { apps, days } = ok(await server.call(listFileApps, {}, person.token))
    assert.deepEqual(apps, [
      { app: tenant, files: 2, bytes: large + 100, oldEpoch: 2 },
      { app: otherTenant, files: 2, bytes: 75, oldEpoch: 1 },
    ])
    assert.equal(days.length, 30)
    assert.equal(days.at(-1)?.day, new Date(now).toISOString().slice(0, 10))
    const all = large + 175
    assert.deepEqual(
      days.slice(-9).map(({ bytes }) => bytes),
      [0, 0, large + 100, large + 100, large + 100, large + 150, large + 150, all, all],
    )
    const bytesOf = async (of: string, name: string, token: string) => (await getFile(server, token, name, { range: 'bytes=10-19' }, of)).status
    assert.equal(await bytesOf(tenant, nameOf('a'), person.token), 206)
    assert.equal(await bytesOf(otherTenant, nameOf('a'), person.token), 404)
    assert.equal(await bytesOf(tenant, nameOf('a'), app), 403)
    assert.equal(await bytesOf(tenant, nameOf('a'), (await signUp(server, 'Eve')).token), 404)
    const listed = ok(await server.call(listAppFiles, { app: tenant, since: 0, limit: 1 }, person.token))
    assert.deepEqual([listed.files.length, listed.files[0]?.name, listed.more], [1, nameOf('a'), true])
    assert.deepEqual(ok(await server.call(removeAppFiles, { app: tenant, name: nameOf('a') }, person.token)), { removed: 1 })
    assert.equal((await server.call(removeAppFiles, { app: tenant, name: nameOf('a') }, person.token)).status, 404)
    assert.deepEqual(ok(await server.call(removeAppFiles, { app: otherTenant, name: null }, person.token)), { removed: 2 })
    assert.deepEqual(ok(await server.call(removeAppFiles, { app: otherTenant, name: null }, person.token)), { removed: 0 })
    // Long after the last change the days are still told.
    now = start + 60 * day
    await put(server, app, nameOf('e'), randomBytes(10), { epoch: 2 })
    assert.deepEqual(new Set(ok(await server.call(listFileApps, {}, person.token)).days.map(({ bytes }) => bytes)), new Set([large, large + 10]))
    const { counted, kept } = recountFiles(server.folder)
    assert.deepEqual(kept, counted)
  })
})

test('a restart loses nothing, and bytes that no row names are swept', async () => {
  const [small, big] = [nameOf('small after restart'), nameOf('big after restart')]
  const bytes = randomBytes(large)
  await put(server, app, small, Buffer.from('small'))
  await putByParts(server, app, big, bytes)
  await server.restart()
  await server.sweep()
  await same(small, Buffer.from('small'))
  await same(big, bytes)
  assert.deepEqual(await server.sweep(), nothing)
})
