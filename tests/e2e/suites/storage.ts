import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { reserveObject } from '@deputy/contract/api-objects'
import type { World } from '../../support/chromium.ts'
import type { TestApp, TestDeputy } from '../../support/deputy.ts'
import { ok, signUp, type TestPerson } from '../../support/test-accounts.ts'
import { refusal, signedInApp, startStorageDeputy, usageIn } from './storage-scene.ts'

const mib = 2 ** 20

/** Every rule of the objects, in one storage world. */
export function storageSuite(world: World): void {
  let deputy: TestDeputy
  before(async () => {
    deputy = await startStorageDeputy(world)
  })
  after(() => deputy?.[Symbol.asyncDispose]())

  const signedIn = () => signedInApp(deputy)
  const usageOf = (person: TestPerson) => usageIn(deputy, person)

  test('OBJ-1: available is true once an account is connected under the caller, and only then', async () => {
    const home = await deputy.openApp('available')
    assert.equal(await home.page.evaluate(() => app.broker.storage.available()), false)
    await home.signIn(await signUp(deputy.server))
    assert.equal(await home.page.evaluate(() => app.broker.storage.available()), true)
    await home.page.route(`${deputy.server.origins.cdn}/**`, route => route.abort())
    await home.page.evaluate(() => app.remount())
    assert.equal(await home.page.evaluate(() => app.broker.storage.available()), false, 'the data plane does not serve')
  })

  test('OBJ-2, OBJ-7, OBJ-8, OBJ-9: a Blob is sealed and stored, counts 28 bytes more for each MiB, and opens elsewhere without an account', async () => {
    const { home, person } = await signedIn()
    const size = 3 * mib + 5
    const put = await home.page.evaluate(async length => app.broker.storage.put(new Blob([app.bytes(length)]), { accountPin: await app.pin() }), size)
    if ('error' in put) assert.fail(put.message)
    assert.deepEqual(
      { size: put.size, status: put.status, keys: Object.keys(put).toSorted() },
      { size, status: 'ready', keys: ['created', 'key', 'size', 'status', 'url'] },
    )
    assert.match(put.key, /^[A-Za-z0-9_-]{43}$/)
    assert.match(put.url.slice(deputy.server.origins.cdn.length), /^\/[0-9a-f-]{36}$/)
    assert.deepEqual(await usageOf(person), { usedBytes: size + 4 * 28, objects: 1 })

    const stranger = await deputy.openApp('stranger')
    const seen = await stranger.page.evaluate(
      async ({ url, key }) => {
        const sealed = new Uint8Array(await (await fetch(url)).arrayBuffer())
        const opened = await app.broker.storage.get(url, key)
        if ('error' in opened) return opened
        const stream = await opened.read(0, opened.size)
        const plain = 'error' in stream ? new Uint8Array() : await app.drain(stream)
        const hash = plain instanceof Uint8Array ? await app.sha256(plain) : plain
        return {
          account: await app.broker.account.info(),
          sealed: sealed.length,
          readable: sealed[12] === app.bytes(1)[0],
          size: opened.size,
          hash,
          same: hash === (await app.sha256(app.bytes(opened.size))),
        }
      },
      { url: put.url, key: put.key },
    )
    assert.deepEqual({ ...seen, hash: '' }, { account: null, sealed: size + 4 * 28, readable: false, size, hash: '', same: true })
  })

  test('OBJ-2, OBJ-4, OBJ-6: a stream of a declared size is stored, with progress in bytes of the file itself', async () => {
    const { home } = await signedIn()
    const { put, told, same } = await home.page.evaluate(async () => {
      const size = 10_000_000
      const whole = app.bytes(size)
      let at = 0
      const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull: controller => {
          if (at === size) return controller.close()
          const next = Math.min(size, at + 300_001)
          controller.enqueue(whole.slice(at, next))
          at = next
        },
      })
      const told: { loaded: number; total: number }[] = []
      const put = await app.broker.storage.put(stream, { accountPin: await app.pin(), size, onProgress: progress => void told.push(progress) })
      if ('error' in put) return { put, told, same: false }
      const opened = await app.broker.storage.get(put.url, put.key)
      const read = 'error' in opened ? opened : await opened.read(0, size)
      const plain = 'error' in read ? new Uint8Array() : await app.drain(read)
      return { put, told, same: plain instanceof Uint8Array && (await app.sha256(plain)) === (await app.sha256(whole)) }
    })
    assert.equal('error' in put ? put.message : put.size, 10_000_000)
    assert.equal(same, true)
    assert.deepEqual(told.at(-1), { loaded: 10_000_000, total: 10_000_000 })
    assert.ok(told.every(({ loaded, total }, index) => total === 10_000_000 && loaded <= total && loaded >= (told[index - 1]?.loaded ?? 0)))
  })

  test('OBJ-3: the key is the app’s or a fresh one, and is never sent anywhere', async () => {
    const { home } = await signedIn()
    const key = 'q'.repeat(42) + 'g'
    const sent: string[] = []
    home.page
      .context()
      .on('request', request => sent.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postDataBuffer()?.toString('latin1') ?? ''}`))
    const keys = await home.page.evaluate(async given => {
      const put = async (options: { key?: string }) => app.broker.storage.put(new Blob(['x']), { accountPin: await app.pin(), ...options })
      const [one, two, three] = [await put({ key: given }), await put({}), await put({})]
      return [one, two, three].map(answer => ('error' in answer ? answer.message : answer.key))
    }, key)
    assert.equal(keys[0], key)
    assert.equal(new Set(keys).size, 3)
    assert.ok(
      sent.some(text => text.includes('/parts/0')),
      'the uploads were watched',
    )
    for (const one of keys) assert.ok(!sent.some(text => text.includes(one)), 'a key was sent')
  })

  test('OBJ-5: a signal ends a put with aborted and gives the reservation back', async () => {
    const { home, person } = await signedIn()
    const outcome = await home.page.evaluate(async () => {
      const stop = new AbortController()
      let delivered = 0
      // Delivers the first part and then nothing: the put hangs until its signal fires.
      const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull: controller => (delivered++ < 9 ? controller.enqueue(new Uint8Array(2 ** 20)) : new Promise<void>(() => {})),
      })
      return app.broker.storage.put(stream, { accountPin: await app.pin(), size: 20 * 2 ** 20, signal: stop.signal, onProgress: () => stop.abort() })
    })
    assert.equal('error' in outcome ? outcome.error : outcome, 'aborted')
    assert.deepEqual(await usageOf(person), { usedBytes: 0, objects: 0 })
    const early = await home.page.evaluate(async () => app.broker.storage.put(new Blob(['x']), { accountPin: await app.pin(), signal: AbortSignal.abort() }))
    assert.equal('error' in early ? early.error : early, 'aborted')
  })

  test('OBJ-6, OBJ-E5, OBJ-E13: a stream needs a whole size and must deliver exactly it; what was reserved is given back', async () => {
    const { home, person } = await signedIn()
    const answers = await home.page.evaluate(async () => {
      const streamOf = (length: number) => new Blob([new Uint8Array(length)]).stream()
      const put = async (length: number, size?: unknown) => app.broker.storage.put(streamOf(length), { accountPin: await app.pin(), size: size as number })
      return {
        bad: await Promise.all([undefined, -1, 1.5, Number.NaN, '5', Number.POSITIVE_INFINITY, 2 ** 60].map(size => put(5, size))),
        short: [await put(5, 6), await put(2 ** 20, 2 ** 20 + 1), await put(0, 1)],
        long: [await put(6, 5), await put(1, 0), await put(9 * 2 ** 20, 8 * 2 ** 20)],
      }
    })
    assert.deepEqual(answers.bad, Array(7).fill(refusal('badSize')))
    assert.deepEqual(answers.short, Array(3).fill(refusal('shortStream')))
    assert.deepEqual(answers.long, Array(3).fill(refusal('shortStream')))
    assert.deepEqual(await usageOf(person), { usedBytes: 0, objects: 0 })
  })

  test('OBJ-8, OBJ-9, OBJ-10: any range of a stored object reads exactly, up to its borders', async () => {
    const { home } = await signedIn()
    const wrong = await home.page.evaluate(async () => {
      const record = 2 ** 20
      const size = 3 * record + 17
      const whole = app.bytes(size)
      const put = await app.broker.storage.put(new Blob([whole]), { accountPin: await app.pin() })
      if ('error' in put) return [put.message]
      const opened = await app.broker.storage.get(put.url, put.key)
      if ('error' in opened) return [opened.message]
      const ranges = [
        [0, 0],
        [0, 1],
        [record - 1, record + 1],
        [record, 2 * record],
        [5, size - 5],
        [size - 1, size],
        [size, size],
        [size - 3, size + 100],
        [-10, 4],
        [7, 3],
        [2.7, 4.2],
      ] as const
      const faults: string[] = []
      for (const [start, end] of ranges) {
        const stream = await opened.read(start, end)
        const read = 'error' in stream ? new Uint8Array([1, 2, 3]) : await app.drain(stream)
        const from = Math.max(0, Math.floor(start))
        const expected = whole.slice(from, Math.max(from, Math.floor(end)))
        if (!(read instanceof Uint8Array) || (await app.sha256(read)) !== (await app.sha256(expected))) faults.push(`${start}-${end}`)
      }
      return faults
    })
    assert.deepEqual(wrong, [])
  })

  test('OBJ-10, OBJ-E7: records are handed over up to the first that does not open, there the stream errors', async () => {
    const { home } = await signedIn()
    const put = await home.page.evaluate(async () => app.broker.storage.put(new Blob([app.bytes(3 * 2 ** 20)]), { accountPin: await app.pin() }))
    if ('error' in put) assert.fail(put.message)
    await home.page.route(`${put.url}**`, async route => {
      const answer = await route.fetch()
      const body = Buffer.from(await answer.body())
      const [, start = '0'] = /^bytes=(\d+)-/.exec(route.request().headers()['range'] ?? '') ?? []
      const place = 2 ** 20 + 28 + 500 - Number(start)
      if (route.request().method() === 'GET' && place >= 0 && place < body.length) body[place] = (body[place] ?? 0) ^ 1
      await route.fulfill({ response: answer, body })
    })
    const seen = await home.page.evaluate(async ({ url, key }) => {
      const opened = await app.broker.storage.get(url, key)
      if ('error' in opened) return { opened }
      const stream = await opened.read(0, opened.size)
      if ('error' in stream) return { stream }
      const reader = stream.getReader()
      let good = 0
      try {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) return { good, error: null }
          good += value.length
        }
      } catch (error) {
        const { message, code } = error as Error & { code: string }
        return { good, error: { error: code, message } }
      }
    }, put)
    assert.deepEqual(seen, { good: mib, error: refusal('integrity') })
  })

  test('OBJ-11, OBJ-E2, OBJ-E4: list pages newest first, with a cursor only while more remain; a bad limit or cursor is refused', async () => {
    const { home } = await signedIn()
    const { urls, pages, badLimit, badCursor } = await home.page.evaluate(async () => {
      const { put, list } = app.broker.storage
      const urls: string[] = []
      for (let index = 0; index < 5; index += 1) {
        const stored = await put(new Blob([String(index)]), { accountPin: await app.pin() })
        urls.unshift('error' in stored ? stored.message : stored.url)
      }
      const pages: { urls: string[]; more: boolean; keys: string[] }[] = []
      let cursor: string | undefined
      do {
        const page = await list({ accountPin: await app.pin(), limit: 2, cursor })
        if ('error' in page) throw new Error(page.message)
        pages.push({ urls: page.objects.map(({ url }) => url), more: 'cursor' in page, keys: Object.keys(page.objects[0] ?? {}).toSorted() })
        cursor = page.cursor
      } while (cursor !== undefined)
      const refused = async (options: object) => list({ accountPin: await app.pin(), ...options })
      return {
        urls,
        pages,
        badLimit: await Promise.all([0, -1, 1001, 1.5, Number.NaN, '10', null].map(limit => refused({ limit }))),
        badCursor: await Promise.all(['', 'nonsense', 'x'.repeat(5000), 7, null].map(cursor => refused({ cursor }))),
      }
    })
    const keys = ['created', 'size', 'status', 'url']
    assert.deepEqual(pages, [
      { urls: urls.slice(0, 2), more: true, keys },
      { urls: urls.slice(2, 4), more: true, keys },
      { urls: urls.slice(4), more: false, keys },
    ])
    assert.deepEqual(badLimit, Array(7).fill(refusal('badLimit')))
    assert.deepEqual(badCursor, Array(5).fill(refusal('badCursor')))
  })

  test('OBJ-12, OBJ-E10, OBJ-E11: an app deletes what it stored; another app of the same account may not', async () => {
    const { home, person } = await signedIn()
    const other = await deputy.openApp('other')
    await other.signIn(person)
    const put = await home.page.evaluate(async () => app.broker.storage.put(new Blob(['mine']), { accountPin: await app.pin() }))
    if ('error' in put) assert.fail(put.message)
    const remove = (from: TestApp) => from.page.evaluate(async url => app.broker.storage.delete(url, { accountPin: await app.pin() }), put.url)
    assert.deepEqual(await remove(other), refusal('notCreator'))
    assert.deepEqual(await other.page.evaluate(async () => app.broker.storage.list({ accountPin: await app.pin() })), { objects: [] })
    assert.deepEqual(await remove(home), { ok: true })
    assert.deepEqual(await remove(home), refusal('notFound'))
    assert.deepEqual(await home.page.evaluate(({ url, key }) => app.broker.storage.get(url, key), put), refusal('notFound'))
    assert.deepEqual(await home.page.evaluate(async () => app.broker.storage.delete('x', { accountPin: await app.pin() })), refusal('badUrl'))
    assert.deepEqual(await usageOf(person), { usedBytes: 0, objects: 0 })
  })

  test('OBJ-13, OBJ-E11: an object is listed as uploading until every part has landed, and get answers not-found until then', async () => {
    const { home, person } = await signedIn()
    const session = await home.session()
    const id = crypto.randomUUID()
    ok(await deputy.server.call(reserveObject, { id, size: 10 }, session.token))
    const url = `${deputy.server.origins.cdn}/${id}`
    const seen = await home.page.evaluate(
      async address => ({ list: await app.broker.storage.list({ accountPin: await app.pin() }), get: await app.broker.storage.get(address, 'A'.repeat(43)) }),
      url,
    )
    assert.deepEqual('error' in seen.list ? seen.list : seen.list.objects.map(object => [object.url, object.status, object.size]), [[url, 'uploading', 10]])
    assert.deepEqual(seen.get, refusal('notFound'))
    assert.equal((await usageOf(person)).objects, 1)
  })
}
