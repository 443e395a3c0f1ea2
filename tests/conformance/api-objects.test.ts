import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import {
  abortObject,
  completeObject,
  deleteObject,
  listAccountObjects,
  listObjects,
  readUsage,
  removeObject,
  reserveObject,
} from '@deputy/contract/api-objects'
import { disconnectApp } from '@deputy/contract/api-apps'
import { deleteAccount } from '@deputy/contract/api-accounts'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'
import { download, putPart, sealedBytes, sealedRecord, store, upload } from '../support/stored-objects.ts'
import { connectApp, ok, signUp, type TestPerson } from '../support/test-accounts.ts'

const MiB = 2 ** 20
const hour = 3_600_000
const tenant = 'web:http://app.localhost:8000'
const other = 'web:http://other.localhost:8001'

let now = Date.now()
let server: TestServer
let person: TestPerson
let app: string
let secondApp: string
let stranger: string

const usageOf = async (token: string) => ok(await server.call(readUsage, {}, token))

before(async () => {
  server = await startTestServer(
    { objects: { part: '1MiB', bytes: '64MiB', bytesPremium: '64MiB', largest: '40MiB', count: 40, perHour: 100 } },
    { clock: { now: () => now } },
  )
  person = await signUp(server)
  app = (await connectApp(server, person.token, tenant)).token
  secondApp = (await connectApp(server, person.token, other)).token
  stranger = (await connectApp(server, (await signUp(server, 'Eve')).token, tenant)).token
})
after(() => server.close())

describe('storing', () => {
  test('OBJ-13: an object is uploading until complete, then ready and served byte for byte', async () => {
    const { id, bytes, parts } = await upload(server, app, 2 * MiB + 5)
    assert.equal(parts.length, 3)
    const url = `${server.origins.cdn}/${id}`
    assert.equal((await download(server, url)).status, 404)
    const [listed] = ok(await server.call(listObjects, { limit: 1 }, app)).objects
    assert.deepEqual(listed, { created: now, size: 2 * MiB + 5, status: 'uploading', url })
    const ready = ok(await server.call(completeObject, { id }, app))
    assert.deepEqual(ready, { created: now, size: 2 * MiB + 5, status: 'ready', url })
    assert.deepEqual((await download(server, url)).body, bytes)
    assert.deepEqual(ok(await server.call(completeObject, { id }, app)), ready)
  })

  test('OBJ-8: an empty object is one record, and 28 bytes a record count', async () => {
    const before = await usageOf(app)
    const empty = await store(server, app, 0)
    assert.equal((await download(server, empty.url)).body.length, 28)
    const middle = await usageOf(app)
    assert.equal(middle.usedBytes - before.usedBytes, 28)
    await store(server, app, 3 * MiB + 1)
    const end = await usageOf(app)
    assert.equal(end.usedBytes - middle.usedBytes, 3 * MiB + 1 + 4 * 28)
    assert.equal(end.objects - before.objects, 2)
  })

  test('parts are taken in any order, at once, and again', async () => {
    const id = randomUUID()
    const bytes = sealedBytes(3 * MiB + 9)
    const plan = ok(await server.call(reserveObject, { id, size: 3 * MiB + 9 }, app))
    assert.deepEqual([plan.partBytes, plan.parts, plan.recordsPerPart], [sealedRecord, 4, 1])
    const send = (part: number) => putPart(server, app, id, part, bytes.subarray(part * plan.partBytes, (part + 1) * plan.partBytes))
    const answers = await Promise.all([3, 1, 0, 2].map(send))
    assert.deepEqual(
      answers.map(answer => answer.status),
      [200, 200, 200, 200],
    )
    assert.equal((await send(1)).status, 200)
    const { url } = ok(await server.call(completeObject, { id }, app))
    assert.deepEqual((await download(server, url)).body, bytes)
  })

  test('a part put again with other bytes changes nothing', async () => {
    const { id, bytes, parts } = await upload(server, app, 2 * MiB)
    assert.equal((await putPart(server, app, id, 0, Buffer.alloc(parts[0]?.length ?? 0))).status, 200)
    const { url } = ok(await server.call(completeObject, { id }, app))
    assert.deepEqual((await download(server, url)).body, bytes)
    assert.equal((await putPart(server, app, id, 0, Buffer.alloc(parts[0]?.length ?? 0))).status, 409)
  })

  test('a part of another size, without a size, beyond the object or of no number is refused', async () => {
    const id = randomUUID()
    ok(await server.call(reserveObject, { id, size: MiB + 1 }, app))
    const refused = async (part: number | string, size: number, headers = {}) => {
      const answer = await putPart(server, app, id, part, Buffer.alloc(size), headers)
      return [answer.status, (JSON.parse(answer.text) as { error: string }).error]
    }
    for (const size of [0, 1, sealedRecord - 1, sealedRecord + 1]) assert.deepEqual(await refused(0, size), [400, 'invalid'], `size ${size}`)
    assert.deepEqual(await refused(2, 29), [400, 'invalid'])
    for (const part of ['01', '-1', '1e0', 'x', '99999999', '0x0']) assert.deepEqual(await refused(part, sealedRecord), [404, 'not-found'], part)
    const { status } = await server.fetch(`${server.origins.api}/v1/objects/${id}/parts/0`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${app}`, 'transfer-encoding': 'chunked' },
      body: Buffer.alloc(sealedRecord),
    })
    assert.equal(status, 400)
    const incomplete = await server.call(completeObject, { id }, app)
    assert.deepEqual([incomplete.status, incomplete.error], [409, 'conflict'])
    ok(await server.call(abortObject, { id }, app))
  })

  test('OBJ-5: abort gives the reservation back, and only once', async () => {
    const before = await usageOf(app)
    const { id, parts } = await upload(server, app, 2 * MiB)
    assert.equal((await usageOf(app)).usedBytes - before.usedBytes, 2 * sealedRecord)
    ok(await server.call(abortObject, { id }, app))
    const { usedBytes, objects } = await usageOf(app)
    assert.deepEqual({ usedBytes, objects }, { usedBytes: before.usedBytes, objects: before.objects })
    assert.equal((await server.call(abortObject, { id }, app)).error, 'not-found')
    assert.equal((await server.call(completeObject, { id }, app)).error, 'not-found')
    assert.equal((await putPart(server, app, id, 0, parts[0] ?? Buffer.alloc(0))).status, 404)
    const { id: done } = await store(server, app, 1)
    assert.equal((await server.call(abortObject, { id: done }, app)).error, 'conflict')
  })
})

describe('limits', () => {
  test('an id is used once: neither a living nor a deleted nor an aborted object gives it away', async () => {
    const { id } = await store(server, app, 1)
    const again = () => server.call(reserveObject, { id, size: 1 }, stranger)
    assert.deepEqual([(await again()).status, (await again()).error], [409, 'conflict'])
    ok(await server.call(deleteObject, { id }, app))
    assert.equal((await again()).error, 'conflict')
    const aborted = await upload(server, app, 1)
    ok(await server.call(abortObject, { id: aborted.id }, app))
    assert.equal((await server.call(reserveObject, { id: aborted.id, size: 1 }, app)).error, 'conflict')
  })

  test('OBJ-E14: an object larger than the largest is refused', async () => {
    const refused = await server.call(reserveObject, { id: randomUUID(), size: 40 * MiB + 1 }, app)
    assert.deepEqual([refused.status, refused.error], [413, 'too-large'])
  })

  test('OBJ-E12: a reservation counts at once, the overhead too, to the last byte', async () => {
    const { usedBytes, limitBytes } = await usageOf(app)
    assert.equal(limitBytes, 64 * MiB)
    const first = randomUUID()
    ok(await server.call(reserveObject, { id: first, size: 30 * MiB }, app))
    const left = limitBytes - usedBytes - 30 * sealedRecord
    const fits = left - 28 * Math.ceil(left / sealedRecord)
    const refused = await server.call(reserveObject, { id: randomUUID(), size: fits + 1 }, app)
    assert.deepEqual([refused.status, refused.error], [402, 'quota'])
    const second = randomUUID()
    ok(await server.call(reserveObject, { id: second, size: fits }, app))
    assert.equal((await usageOf(app)).usedBytes, limitBytes)
    assert.equal((await server.call(reserveObject, { id: randomUUID(), size: 0 }, secondApp)).error, 'quota')
    for (const id of [first, second]) ok(await server.call(abortObject, { id }, app))
  })

  test('a reservation without a new part for a day is given up, and stands in nobody’s way before the sweep either', async () => {
    const token = (await connectApp(server, (await signUp(server, 'Idle')).token)).token
    const { id, parts } = await upload(server, token, 30 * MiB)
    const idle = randomUUID()
    ok(await server.call(reserveObject, { id: idle, size: 25 * MiB }, token))
    now += 23 * hour
    assert.equal((await putPart(server, token, id, 0, parts[0] ?? Buffer.alloc(0))).status, 200)
    now += hour
    // The upload had its last new part a day ago; a part put again is no new one.
    assert.equal((await server.call(completeObject, { id }, token)).error, 'not-found')
    assert.equal((await putPart(server, token, id, 0, parts[0] ?? Buffer.alloc(0))).status, 404)
    const next = randomUUID()
    ok(await server.call(reserveObject, { id: next, size: 30 * MiB }, token))
    ok(await server.call(abortObject, { id: next }, token))
    const { usedBytes, objects } = await usageOf(token)
    assert.deepEqual({ usedBytes, objects }, { usedBytes: 0, objects: 0 })
  })

  test('OBJ-E15, OBJ-E16: objects are counted, altogether and by the hour', async () => {
    const { token } = await signUp(server, 'Counter')
    const counting = (await connectApp(server, token)).token
    await server.restart({ objects: { part: '1MiB', count: 3, perHour: 5 } })
    now = Math.ceil(now / hour) * hour
    const reserveOne = async () => {
      const id = randomUUID()
      const { error } = await server.call(reserveObject, { id, size: 1 }, counting)
      return { id, error }
    }
    const made = [await reserveOne(), await reserveOne(), await reserveOne()]
    assert.ok(made.every(one => one.error === undefined))
    assert.equal((await reserveOne()).error, 'too-many')
    for (const { id } of made.slice(0, 2)) ok(await server.call(abortObject, { id }, counting))
    assert.deepEqual([(await reserveOne()).error, (await reserveOne()).error], [undefined, undefined])
    const [full] = made
    ok(await server.call(abortObject, { id: made[2]?.id ?? full?.id ?? '' }, counting))
    assert.equal((await reserveOne()).error, 'too-many-this-hour')
    assert.equal((await usageOf(counting)).storedThisHour, 5)
    now += hour
    assert.equal((await usageOf(counting)).storedThisHour, 0)
    assert.equal((await reserveOne()).error, undefined)
    await server.restart()
  })
})

describe('listing and deleting', () => {
  test('OBJ-11: newest first, page by page, with a cursor only while more remain', async () => {
    const fresh = (await connectApp(server, person.token, 'web:http://fresh.localhost:8000')).token
    const stored: string[] = []
    for (let index = 0; index < 5; index += 1) {
      if (index % 2 === 0) now += 1000
      stored.unshift((await store(server, fresh, index)).url)
    }
    const all = ok(await server.call(listObjects, {}, fresh))
    assert.equal(all.cursor, undefined)
    assert.deepEqual(new Set(all.objects.map(object => object.url)), new Set(stored))
    assert.ok(all.objects.every((object, index) => object.created <= (all.objects[index - 1]?.created ?? now)))
    const paged: string[] = []
    const sizes: number[] = []
    let cursor: string | undefined
    do {
      const page = ok(await server.call(listObjects, { limit: 2, cursor }, fresh))
      paged.push(...page.objects.map(object => object.url))
      sizes.push(page.objects.length)
      cursor = page.cursor
    } while (cursor !== undefined)
    assert.deepEqual(
      paged,
      all.objects.map(object => object.url),
    )
    assert.deepEqual(sizes, [2, 2, 1])
    const { cursor: mine } = ok(await server.call(listObjects, { limit: 1 }, fresh))
    await store(server, app, 1)
    for (const [token, cursor] of [
      [app, mine],
      [stranger, mine],
      [fresh, `${mine}x`],
      [fresh, 'nonsense'],
      [fresh, ''],
    ] as const) {
      const refused = await server.call(listObjects, { cursor }, token)
      assert.deepEqual([refused.status, refused.error], [400, 'invalid'])
    }
    assert.equal((await server.call(listAccountObjects, { cursor: mine }, person.token)).error, 'invalid')
    await server.restart()
    assert.equal(ok(await server.call(listObjects, { cursor: mine }, fresh)).objects.length, 4)
    for (const limit of [0, 1001, 1.5, -1]) assert.equal((await server.call(listObjects, { limit }, fresh)).error, 'invalid')
  })

  test('OBJ-12: deleting ends the serving at once and gives the room back; deleting again finds nothing', async () => {
    const before = await usageOf(app)
    const { id, url } = await store(server, app, MiB)
    ok(await server.call(deleteObject, { id }, app))
    assert.equal((await download(server, url)).status, 404)
    assert.equal((await server.call(deleteObject, { id }, app)).error, 'not-found')
    assert.equal((await server.call(completeObject, { id }, app)).error, 'not-found')
    assert.equal((await usageOf(app)).usedBytes, before.usedBytes)
    assert.equal((await server.call(deleteObject, { id: randomUUID() }, app)).error, 'not-found')
  })

  test('the account page sees every app’s objects and may remove any of them', async () => {
    const mine = await store(server, app, 10)
    const theirs = await upload(server, secondApp, 11)
    const { objects } = ok(await server.call(listAccountObjects, {}, person.token))
    assert.deepEqual(
      [mine, theirs].map(({ id }) => objects.find(object => object.id === id)).map(object => [object?.app, object?.status, object?.size]),
      [
        [tenant, 'ready', 10],
        [other, 'uploading', 11],
      ],
    )
    for (const { id } of [mine, theirs]) {
      ok(await server.call(removeObject, { id }, person.token))
      assert.equal((await server.call(removeObject, { id }, person.token)).error, 'not-found')
    }
    assert.equal((await download(server, mine.url)).status, 404)
  })
})

describe('isolation', () => {
  test('OBJ-12, OBJ-E10: neither another app of the account nor another account reaches an object', async () => {
    const { id, url, bytes } = await store(server, app, 2 * MiB)
    for (const token of [secondApp, stranger]) {
      const { objects } = ok(await server.call(listObjects, {}, token))
      assert.ok(!objects.some(object => object.url === url))
      const refused = await server.call(deleteObject, { id }, token)
      assert.deepEqual([refused.status, refused.error], [403, 'denied'])
      assert.equal((await server.call(abortObject, { id }, token)).error, 'not-found')
      assert.equal((await server.call(completeObject, { id }, token)).error, 'not-found')
      assert.equal((await putPart(server, token, id, 0, Buffer.alloc(sealedRecord))).status, 404)
    }
    assert.deepEqual((await download(server, url)).body, bytes)
  })

  test('an unfinished upload of another does not exist, whatever is asked', async () => {
    const { id, bytes, parts } = await upload(server, app, 2 * MiB)
    const nobody = randomUUID()
    for (const token of [secondApp, stranger]) {
      for (const route of [deleteObject, abortObject, completeObject]) {
        const [theirs, none] = [await server.call(route, { id }, token), await server.call(route, { id: nobody }, token)]
        assert.deepEqual(theirs, none)
        assert.equal(theirs.error, 'not-found')
      }
      const [theirs, none] = [await putPart(server, token, id, 0, parts[0] ?? bytes), await putPart(server, token, nobody, 0, parts[0] ?? bytes)]
      assert.deepEqual([theirs.status, theirs.text], [none.status, none.text])
    }
    assert.equal((await download(server, `${server.origins.cdn}/${id}`)).text, (await download(server, `${server.origins.cdn}/${nobody}`)).text)
    const { url } = ok(await server.call(completeObject, { id }, app))
    assert.deepEqual((await download(server, url)).body, bytes)
  })

  test('OBJ-E11: delete gives one answer for never made, deleted and still uploading', async () => {
    const { id: deleted } = await store(server, app, 1)
    ok(await server.call(deleteObject, { id: deleted }, app))
    const { id: uploading } = await upload(server, app, 1)
    const answers = await Promise.all([randomUUID(), deleted, uploading].map(id => server.call(deleteObject, { id }, app)))
    assert.deepEqual(answers[0], answers[1])
    assert.deepEqual(answers[0], answers[2])
    assert.equal(answers[0]?.error, 'not-found')
    ok(await server.call(abortObject, { id: uploading }, app))
  })

  test('a session of the account is none of an app, nor the other way round, and none is none', async () => {
    const id = randomUUID()
    assert.equal((await server.call(reserveObject, { id, size: 1 }, person.token)).error, 'denied')
    assert.equal((await server.call(listObjects, {}, person.token)).error, 'denied')
    assert.equal((await server.call(listAccountObjects, {}, app)).error, 'denied')
    assert.equal((await server.call(removeObject, { id }, app)).error, 'denied')
    for (const route of [abortObject, completeObject, deleteObject]) assert.equal((await server.call(route, { id })).error, 'unauthorized')
    assert.equal((await putPart(server, 'A'.repeat(43), id, 0, Buffer.alloc(29))).status, 401)
    assert.equal((await putPart(server, person.token, id, 0, Buffer.alloc(29))).status, 403)
  })

  test('a page of a foreign origin may not put a part', async () => {
    const { id, parts } = await upload(server, app, 1)
    const answer = await putPart(server, app, id, 0, parts[0] ?? Buffer.alloc(0), { origin: 'http://app.localhost:8000' })
    assert.equal(answer.status, 403)
    assert.equal(answer.headers['access-control-allow-origin'], undefined)
  })
})

describe('leaving', () => {
  test('disconnecting an app keeps its objects, its session is over', async () => {
    const origin = 'web:http://leaving.localhost:8000'
    const leaving = (await connectApp(server, person.token, origin)).token
    const { url, id } = await store(server, leaving, 5)
    ok(await server.call(disconnectApp, { app: origin }, person.token))
    assert.equal((await server.call(listObjects, {}, leaving)).error, 'unauthorized')
    assert.equal((await download(server, url)).status, 200)
    assert.ok(ok(await server.call(listAccountObjects, {}, person.token)).objects.some(object => object.id === id))
  })

  test('deleting the account ends the serving of its objects', async () => {
    const goner = await signUp(server, 'Goner')
    const token = (await connectApp(server, goner.token)).token
    const { url } = await store(server, token, MiB)
    const unfinished = await upload(server, token, MiB)
    ok(await server.call(deleteAccount, { name: 'Goner' }, goner.token))
    assert.equal((await download(server, url)).status, 404)
    assert.equal((await server.call(completeObject, { id: unfinished.id }, token)).error, 'unauthorized')
  })
})
