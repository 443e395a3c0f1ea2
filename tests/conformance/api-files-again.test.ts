import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import {
  abortAppFile,
  abortFile,
  beginAppFile,
  beginFile,
  commitAppFile,
  commitFile,
  fileHeaders,
  findFile,
  listFileApps,
  readFileUsage,
  SMALL_FILE_BYTES,
} from '@deputy/contract/api-files'
import { rotateKeys } from '@deputy/contract/api-keys'
import type { TestServer } from '../support/start-test-server.ts'
import {
  blobsOf,
  enrol,
  getFile,
  metaOf,
  nameOf,
  put,
  putByParts,
  putFilePart,
  recountFiles,
  refusedPut,
  startFilesServer,
  testUnlocker,
} from '../support/stored-files.ts'
import { connectApp, ok, signUp, type TestPerson } from '../support/test-accounts.ts'

const tenant = 'web:http://app.localhost:8000'
const otherTenant = 'web:http://other.localhost:8001'
const otherVersion = [409, 'conflict', 'the file has another version']
const notAgain = [400, 'invalid', 'only a file of an older key epoch is sealed again, and keeps its size']
/** More than is kept in a row. */
const large = 200_000

let server: TestServer
let person: TestPerson
let app: string

before(async () => {
  server = await startFilesServer(Date.now)
})
after(() => server.close())
beforeEach(async () => {
  person = await signUp(server)
  app = (await connectApp(server, person.token, tenant)).token
  await enrol(server, person.token)
})

const rotate = async () =>
  ok(await server.call(rotateKeys, { from: 1, unlockers: [testUnlocker('x')], link: { epoch: 1, wrapped: 'x' }, recovery: null }, person.token))
const rowOf = async (name: string) => ok(await server.call(findFile, { name }, app)).file
const oldOnes = async () => ok(await server.call(listFileApps, {}, person.token)).apps.reduce((sum, { oldEpoch }) => sum + oldEpoch, 0)
const refused = async (answer: Promise<{ status: number; error?: string; message?: string }>) => {
  const { status, error, message } = await answer
  return [status, error, message]
}
const uploadOf = async (bytes: Buffer, epoch = 2, of = tenant) => {
  const plan = ok(await server.call(beginAppFile, { app: of, size: bytes.length, epoch }, person.token))
  for (let part = 0; part < plan.parts; part += 1) {
    const { status } = await putFilePart(server, person.token, plan.upload, part, bytes.subarray(part * plan.partBytes, (part + 1) * plan.partBytes), of)
    assert.equal(status, 200)
  }
  return plan.upload
}
const clean = async () => {
  const { counted, kept } = recountFiles(server.folder)
  assert.deepEqual(kept, counted)
}

test('the account puts files sealed again in place of the versions it read, and the app reads those', async () => {
  const before = new Map<string, number>()
  for (const size of [10, large]) before.set(nameOf(`of ${size}`), (await put(server, app, nameOf(`of ${size}`), randomBytes(size))).version)
  const parted = nameOf('by parts')
  const { version } = await putByParts(server, app, parted, randomBytes(large))
  await rotate()
  assert.equal(await oldOnes(), 3)
  for (const [name, base] of before) {
    const size = (await rowOf(name))?.size ?? 0
    const bytes = randomBytes(size)
    const done = await put(server, person.token, name, bytes, { of: tenant, base, epoch: 2, meta: metaOf('again') })
    assert.deepEqual(await rowOf(name), {
      name,
      meta: metaOf('again'),
      version: done.version,
      epoch: 2,
      size,
      updatedAt: done.updatedAt,
      changed: done.changed,
    })
    assert.ok((await getFile(server, app, name)).body.equals(bytes))
  }
  const bytes = randomBytes(large)
  const upload = await uploadOf(bytes)
  const commit = { app: tenant, upload, name: parted, meta: metaOf('again'), epoch: 2, base: version }
  const done = ok(await server.call(commitAppFile, commit, person.token))
  assert.deepEqual(ok(await server.call(commitAppFile, commit, person.token)), done, 'sent again, it is answered again')
  assert.ok((await getFile(server, app, parted)).body.equals(bytes))
  assert.equal(await oldOnes(), 0)
  await clean()
  await server.sweep()
  assert.equal((await blobsOf(server.folder)).length, 2, 'nothing of what was replaced is left')
})

test('nothing is written that is not the same file under newer keys', async () => {
  const name = nameOf('kept')
  const { version: base } = await put(server, app, name, randomBytes(100))
  const again = { of: tenant, base, epoch: 2 }
  const bytes = randomBytes(100)
  assert.deepEqual(await refusedPut(server, person.token, name, bytes, { ...again, epoch: 1 }), notAgain, 'before any rotation there is nothing to seal again')
  await rotate()
  assert.deepEqual(await refusedPut(server, person.token, name, bytes, { ...again, epoch: 1 }), [409, 'conflict', 'the key epoch is not the current one'])
  for (const kind of ['any', 'none'] as const)
    assert.deepEqual(await refusedPut(server, person.token, name, bytes, { ...again, base: kind }), [
      400,
      'invalid',
      'a file is sealed again in place of one version',
    ])
  for (const other of [base - 1, base + 1].filter(number => number > 0))
    assert.deepEqual(await refusedPut(server, person.token, name, bytes, { ...again, base: other }), otherVersion)
  for (const size of [1, 99, 101, large]) assert.deepEqual(await refusedPut(server, person.token, name, randomBytes(size), again), notAgain, `${size} bytes`)
  for (const [other, of] of [
    [nameOf('none'), tenant],
    [name, otherTenant],
    [name, 'web:http://never.localhost:1'],
  ] as const)
    assert.deepEqual(await refusedPut(server, person.token, other, bytes, { ...again, of }), otherVersion)
  for (const strange of ['', 'x', 'x'.repeat(400)]) assert.equal((await refusedPut(server, person.token, name, bytes, { ...again, of: strange }))[0], 404)
  assert.deepEqual(await refusedPut(server, person.token, name, bytes, { ...again, headers: { [fileHeaders.name]: 'A'.repeat(44) } }), [
    404,
    'not-found',
    'there is no such file',
  ])
  assert.equal((await refusedPut(server, person.token, name, bytes, { ...again, headers: { 'content-length': String(SMALL_FILE_BYTES + 1) } }))[0], 413)

  assert.equal((await refusedPut(server, app, name, bytes, again))[0], 403, 'an app writes by its own address')
  assert.equal((await refusedPut(server, person.token, name, bytes, { base, epoch: 2 }))[0], 403, 'and the account by its own')
  const eve = await signUp(server, 'Eve')
  await enrol(server, eve.token)
  assert.deepEqual(await refusedPut(server, eve.token, name, bytes, { ...again, epoch: 1 }), otherVersion, 'somebody else has no such file')

  assert.equal((await rowOf(name))?.version, base)
  await put(server, person.token, name, bytes, again)
  assert.deepEqual(await refusedPut(server, person.token, name, bytes, again), otherVersion, 'once')
  const now = (await rowOf(name))?.version ?? 0
  assert.deepEqual(await refusedPut(server, person.token, name, bytes, { ...again, base: now }), notAgain, 'what is under the newest keys stays')
  await clean()
})

test('uploads of the account: bound to their app, their size and the version, and given up with their room', async () => {
  const name = nameOf('large')
  const bytes = randomBytes(large)
  const { version: base } = await putByParts(server, app, name, bytes)
  await rotate()
  const upload = await uploadOf(bytes)
  const commit = { app: tenant, upload, name, meta: metaOf('again'), epoch: 2, base }
  const eve = await signUp(server, 'Eve')
  await enrol(server, eve.token)
  const noUpload = [404, 'not-found', 'there is no such upload']
  const uploadRefused = async (token: string, id: string, of?: string) => (await putFilePart(server, token, id, 0, bytes.subarray(0, 65_536), of)).status
  assert.deepEqual(
    [
      await uploadRefused(eve.token, upload, tenant),
      await uploadRefused(person.token, upload, otherTenant),
      await uploadRefused(person.token, randomUUID(), tenant),
    ],
    [404, 404, 404],
  )
  assert.deepEqual([await uploadRefused(app, upload, tenant), await uploadRefused(person.token, upload)], [403, 403])
  assert.deepEqual(await refused(server.call(commitAppFile, { ...commit, app: otherTenant }, person.token)), noUpload)
  assert.deepEqual(await refused(server.call(commitAppFile, commit, eve.token)), noUpload)
  assert.deepEqual(await refused(server.call(abortAppFile, { app: otherTenant, upload }, person.token)), noUpload)
  assert.deepEqual(await refused(server.call(commitAppFile, { ...commit, name: nameOf('none') }, person.token)), otherVersion)
  assert.deepEqual(await refused(server.call(commitAppFile, { ...commit, base: base + 1 }, person.token)), otherVersion)
  assert.deepEqual(await refused(server.call(beginAppFile, { app: tenant, size: 10, epoch: 1 }, person.token)), [
    409,
    'conflict',
    'the key epoch is not the current one',
  ])
  assert.equal((await server.call(beginAppFile, { app: tenant, size: 2 ** 40, epoch: 2 }, person.token)).status, 413)
  assert.equal((await server.call(beginAppFile, { app: tenant, size: 20 * 2 ** 20, epoch: 2 }, person.token)).status, 200)
  assert.equal((await server.call(beginAppFile, { app: tenant, size: 1, epoch: 2 }, person.token)).status, 200)
  assert.equal((await server.call(beginAppFile, { app: tenant, size: 1, epoch: 2 }, person.token)).error, 'too-many', 'no more at a time than an app may have')

  // The account's uploads and the app's are of one kind: the same app may end what the account began, as its own write.
  const shorter = await (async () => {
    ok(await server.call(abortAppFile, { app: tenant, upload }, person.token))
    return uploadOf(bytes.subarray(1))
  })()
  assert.deepEqual(await refused(server.call(commitAppFile, { ...commit, upload: shorter }, person.token)), notAgain)
  ok(await server.call(abortFile, { upload: shorter }, app))
  assert.deepEqual(await refused(server.call(commitAppFile, { ...commit, upload: shorter }, person.token)), noUpload)
  assert.equal((await rowOf(name))?.version, base)
  await clean()
})

test('room counts for what is sealed again as for any write', async () => {
  const name = nameOf('most')
  const bytes = randomBytes(3 * 2 ** 20)
  const { version: base } = await putByParts(server, app, name, bytes)
  const { usedBytes, limitBytes } = ok(await server.call(readFileUsage, {}, app))
  const largest = 20 * 2 ** 20
  for (const size of [largest, largest, limitBytes - usedBytes - 2 * largest - 2 ** 20]) ok(await server.call(beginFile, { size, epoch: 1 }, app))
  await rotate()
  const started = await server.call(beginAppFile, { app: tenant, size: bytes.length, epoch: 2 }, person.token)
  assert.equal(started.error, 'quota', 'both are kept until the new one is whole')
  await put(server, person.token, name, bytes, { of: tenant, base, epoch: 2 })
  assert.equal((await rowOf(name))?.epoch, 2, 'one request takes the room of what it replaces')
  await clean()
})

test('of an app and the account at one file exactly one wins', async () => {
  const name = nameOf('raced')
  const { version: base } = await put(server, app, name, randomBytes(100))
  await rotate()
  const answers = await Promise.all([
    put(server, app, name, randomBytes(100), { base, epoch: 2 }).catch(() => null),
    put(server, person.token, name, randomBytes(100), { of: tenant, base, epoch: 2 }).catch(() => null),
  ])
  assert.equal(answers.filter(answer => answer !== null).length, 1)
  const { upload } = ok(await server.call(beginFile, { size: 10, epoch: 2 }, app))
  assert.equal((await server.call(commitFile, { upload, name, meta: metaOf('x'), epoch: 2, base }, app)).status, 409)
})
