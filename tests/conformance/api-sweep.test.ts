import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { deleteAccount } from '@deputy/contract/api-accounts'
import { abortObject, completeObject, deleteObject, readUsage, removeObject, reserveObject } from '@deputy/contract/api-objects'
import { seeded } from '../support/seeded.ts'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'
import { download, filesOf, putPart, recount, store, upload } from '../support/stored-objects.ts'
import { connectApp, ok, signUp, type TestPerson } from '../support/test-accounts.ts'

const hour = 3_600_000
const nothing = { expired: 0, cleared: 0, strays: 0, missing: 0 }

let now = Date.now()
let server: TestServer
let person: TestPerson
let token: string

before(async () => {
  server = await startTestServer({ objects: { part: '1MiB' }, sessions: { sliding: '180d' } }, { clock: { now: () => now } })
  person = await signUp(server)
  token = (await connectApp(server, person.token)).token
  // The one at the start is over once this is.
  await server.sweep()
})
after(() => server.close())

const folderOf = (id: string): string => join(server.folder, 'objects', id.slice(0, 2))
const sql = (text: string): void => {
  const database = new DatabaseSync(join(server.folder, 'rows.sqlite'))
  database.exec(text)
  database.close()
}

test('bytes that no row names are removed; objects, uploads and foreign files stay', async () => {
  const ready = await store(server, token, 2 ** 20 + 1)
  const unfinished = await upload(server, token, 2 ** 20 + 1)
  const strays = [randomUUID(), randomUUID()]
  for (const id of strays) {
    await mkdir(folderOf(id), { recursive: true })
    await writeFile(join(folderOf(id), id), 'stray')
    await writeFile(join(folderOf(id), `${id}.parts`), 'stray')
  }
  await writeFile(join(folderOf(ready.id), `${ready.id}.parts`), 'left over')
  await writeFile(join(server.folder, 'objects', 'notes.txt'), 'of the operator')
  await writeFile(join(folderOf(ready.id), 'notes.txt'), 'of the operator')
  assert.deepEqual(await server.sweep(), { ...nothing, strays: 5 })
  assert.deepEqual(await server.sweep(), nothing)
  assert.deepEqual(await filesOf(server.folder), ['notes.txt', 'notes.txt', ready.id, `${unfinished.id}.parts`].toSorted())
  assert.deepEqual((await download(server, ready.url)).body, ready.bytes)
  const { url } = ok(await server.call(completeObject, { id: unfinished.id }, token))
  assert.deepEqual((await download(server, url)).body, unfinished.bytes)
  for (const id of [ready.id, unfinished.id]) ok(await server.call(deleteObject, { id }, token))
})

test('an upload out of time is given up with its bytes and its room', async () => {
  const { id } = await upload(server, token, 3 * 2 ** 20)
  now += 24 * hour - 1
  assert.deepEqual(await server.sweep(), nothing)
  now += 1
  assert.deepEqual(await server.sweep(), { ...nothing, expired: 1, cleared: 1 })
  assert.ok(!(await filesOf(server.folder)).some(name => name.startsWith(id)))
  assert.equal(ok(await server.call(readUsage, {}, token)).usedBytes, 0)
})

test('each new part gives an upload another day', async () => {
  const id = randomUUID()
  ok(await server.call(reserveObject, { id, size: 3 * 2 ** 20 }, token))
  for (const part of [0, 1, 2]) {
    now += 20 * hour
    assert.equal((await putPart(server, token, id, part, Buffer.alloc(2 ** 20 + 28))).status, 200)
    assert.deepEqual(await server.sweep(), nothing)
  }
  ok(await server.call(completeObject, { id }, token))
  now += 100 * hour
  assert.deepEqual(await server.sweep(), nothing)
  ok(await server.call(removeObject, { id }, person.token))
})

test('a crash between the bytes and the row that says they are ready loses nothing', async () => {
  const { id, bytes } = await upload(server, token, 2 ** 20 + 5)
  await rename(join(folderOf(id), `${id}.parts`), join(folderOf(id), id))
  await server.restart()
  await server.sweep()
  const { url } = ok(await server.call(completeObject, { id }, token))
  assert.deepEqual((await download(server, url)).body, bytes)
  ok(await server.call(deleteObject, { id }, token))
})

test('a crash between giving up and removing is made good at the next start', async () => {
  const { id } = await store(server, token, 5)
  sql(`update objects set status = 'deleted' where id = '${id}'; update object_usage set objects = objects - 1, bytes = bytes - 33`)
  await server.restart()
  await server.sweep()
  assert.ok(!(await filesOf(server.folder)).includes(id))
  assert.equal((await server.call(reserveObject, { id, size: 1 }, token)).error, 'conflict')
})

test('ready objects whose bytes are gone are told to the operator and kept, and nobody is served', async () => {
  const { id, url } = await store(server, token, 5)
  await rename(join(folderOf(id), id), join(server.folder, 'elsewhere'))
  assert.deepEqual(await server.sweep(), { ...nothing, missing: 1 })
  assert.ok(server.log.some(line => line.includes('bytes-missing')))
  assert.equal((await download(server, url)).status, 404)
  await rename(join(server.folder, 'elsewhere'), join(folderOf(id), id))
  assert.deepEqual(await server.sweep(), nothing)
  assert.equal((await download(server, url)).status, 200)
  ok(await server.call(deleteObject, { id }, token))
})

test('the objects of a deleted account leave nothing behind', async () => {
  const goner = await signUp(server, 'Goner')
  const app = (await connectApp(server, goner.token)).token
  await store(server, app, 5)
  await upload(server, app, 2 ** 20)
  const before = await filesOf(server.folder)
  ok(await server.call(deleteAccount, { name: 'Goner' }, goner.token))
  assert.deepEqual(await server.sweep(), { ...nothing, cleared: 2 })
  assert.equal((await filesOf(server.folder)).length, before.length - 2)
})

test('objects whose account went without them are given up too', async () => {
  const goner = await signUp(server, 'Lost')
  const app = (await connectApp(server, goner.token)).token
  const { url } = await store(server, app, 5)
  sql(`pragma foreign_keys = on; delete from accounts where name = 'Lost'`)
  assert.deepEqual(await server.sweep(), { ...nothing, cleared: 1 })
  assert.equal((await download(server, url)).status, 404)
})

test('bytes that cannot be removed now are removed by a later sweep', async () => {
  const { id } = await store(server, token, 5)
  await rm(join(folderOf(id), id))
  await mkdir(join(folderOf(id), id, 'in-the-way'), { recursive: true })
  ok(await server.call(deleteObject, { id }, token))
  assert.ok(server.log.some(line => line.includes('bytes-not-removed')))
  await rm(join(folderOf(id), id), { recursive: true })
  assert.deepEqual(await server.sweep(), { ...nothing, cleared: 1 })
})

test('OBJ-8: the counters are what the rows add up to, after everything that can happen to an object', async () => {
  const random = seeded(20_261_121)
  const alive: { id: string; ready: boolean }[] = []
  for (let step = 0; step < 60; step += 1) {
    const size = Math.floor(random() * 3 * 2 ** 20)
    const pick = alive[Math.floor(random() * alive.length)]
    const what = Math.floor(random() * 5)
    if (what === 0 || pick === undefined) alive.push({ id: (await upload(server, token, size)).id, ready: false })
    else if (what === 1) alive.push({ id: (await store(server, token, size)).id, ready: true })
    else if (what === 2 && !pick.ready) {
      ok(await server.call(completeObject, { id: pick.id }, token))
      pick.ready = true
    } else if (what === 3) {
      ok(await server.call(pick.ready ? deleteObject : abortObject, { id: pick.id }, token))
      alive.splice(alive.indexOf(pick), 1)
    } else {
      // All of these are refused or answered as before; none may count twice.
      await Promise.all([
        server.call(reserveObject, { id: pick.id, size }, token),
        server.call(completeObject, { id: randomUUID() }, token),
        server.call(pick.ready ? abortObject : deleteObject, { id: pick.id }, token),
      ])
    }
  }
  const { counted, kept } = recount(server.folder)
  assert.equal(counted.length, 1)
  assert.deepEqual(kept, counted)
  now += 24 * hour
  const swept = await server.sweep()
  assert.equal(swept.expired, alive.filter(object => !object.ready).length)
  const after = recount(server.folder)
  assert.deepEqual(after.kept, after.counted)
})
