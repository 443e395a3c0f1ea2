import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { storageRefusals } from '@deputy/contract/storage-refusals'
import type { World } from '../../support/chromium.ts'
import type { TestApp, TestDeputy } from '../../support/deputy.ts'
import { signUp, type TestPerson } from '../../support/test-accounts.ts'
import { refusal, signedInApp, startStorageDeputy, usageIn } from './storage-scene.ts'

/** Every refusal of the objects, in one storage world. */
export function storageRefusalsSuite(world: World): void {
  let deputy: TestDeputy
  before(async () => {
    deputy = await startStorageDeputy(world)
  })
  after(() => deputy?.[Symbol.asyncDispose]())

  const signedIn = () => signedInApp(deputy)
  const usageOf = (person: TestPerson) => usageIn(deputy, person)

  test('OBJ-E3, OBJ-E6, OBJ-E7, OBJ-E11: get refuses a bad url, a bad key, the wrong key and what is not there', async () => {
    const { home } = await signedIn()
    const put = await home.page.evaluate(async () => app.broker.storage.put(new Blob(['hello']), { accountPin: await app.pin() }))
    if ('error' in put) assert.fail(put.message)
    const answers = await home.page.evaluate(
      async ({ url, key, cdn }) => {
        const { get } = app.broker.storage
        const never = `${cdn}/${crypto.randomUUID()}`
        const wrong = `${key[0] === 'A' ? 'B' : 'A'}${key.slice(1)}`
        return {
          badUrl: await Promise.all(
            ['', 'nonsense', `${url}?x`, `${url}/`, url.toUpperCase(), 'http://evil.example/x', 7 as unknown as string].map(bad => get(bad, key)),
          ),
          badKey: await Promise.all(
            ['', 'short', `${key}A`, `${key.slice(0, 42)}=`, `${key.slice(0, 42)}B`, undefined as unknown as string].map(bad => get(url, bad)),
          ),
          integrity: await get(url, wrong),
          notFound: await get(never, key),
        }
      },
      { ...put, key: `${put.key.slice(0, 42)}A`, cdn: deputy.server.origins.cdn },
    )
    assert.deepEqual(answers.badUrl, Array(7).fill(refusal('badUrl')))
    assert.deepEqual(answers.badKey, Array(6).fill(refusal('badKey')))
    assert.deepEqual(answers.integrity, refusal('integrity'))
    assert.deepEqual(answers.notFound, refusal('notFound'))
  })

  test('OBJ-14, OBJ-E1, OBJ-E8: put, list and delete need the account of the pin; refusals are data', async () => {
    const { home, person } = await signedIn()
    const stranger = await deputy.openApp('stranger')
    const url = `${deputy.server.origins.cdn}/${crypto.randomUUID()}`
    const all = (from: TestApp, pin?: string) =>
      from.page.evaluate(
        async ({ pin, url }) => {
          const { put, list, delete: remove } = app.broker.storage
          const accountPin = pin ?? (await app.pin())
          return [await put(new Blob(['x']), { accountPin }), await list({ accountPin }), await remove(url, { accountPin })]
        },
        { pin, url },
      )
    assert.deepEqual(await all(stranger), Array(3).fill(refusal('needsAccount')))
    const mine = await home.page.evaluate(() => app.pin())
    for (const pin of ['', 'made up', mine.slice(1), `${mine}A`]) assert.deepEqual(await all(home, pin), Array(3).fill(refusal('accountChanged')), pin)
    await stranger.signIn(person)
    assert.deepEqual(await all(stranger, mine), Array(3).fill(refusal('accountChanged')), 'the pin of another app')
    await home.signIn(await signUp(deputy.server, 'Eve'))
    assert.deepEqual(await all(home, mine), Array(3).fill(refusal('accountChanged')), 'the pin of another account')
  })

  test('OBJ-E1: an account that changes in the middle of a put ends it, and the reservation is given back', async () => {
    const { home, person } = await signedIn()
    const put = home.page.evaluate(async () => {
      let delivered = 0
      const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull: controller => (delivered++ < 9 ? controller.enqueue(new Uint8Array(2 ** 20)) : new Promise<void>(() => {})),
      })
      const started = () => void Object.assign(globalThis, { started: true })
      return app.broker.storage.put(stream, { accountPin: await app.pin(), size: 20 * 2 ** 20, onProgress: started })
    })
    await home.page.waitForFunction(() => 'started' in globalThis)
    await home.page.evaluate(() => app.broker.account.logout())
    assert.deepEqual(await put, refusal('accountChanged'))
    assert.deepEqual(await usageOf(person), { usedBytes: 0, objects: 0 })
  })

  test('OBJ-E9, OBJ-E3: what is neither a Blob nor a stream is refused, and so is a key that is no key', async () => {
    const { home, person } = await signedIn()
    const answers = await home.page.evaluate(async () => {
      const put = async (data: unknown, key?: unknown) => app.broker.storage.put(data as Blob, { accountPin: await app.pin(), key: key as string })
      return {
        data: await Promise.all([null, undefined, 'text', 7, {}, [1], new Uint8Array(3), new ArrayBuffer(3)].map(data => put(data))),
        key: await Promise.all(
          ['', 'x', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}B`, `${'A'.repeat(42)}+`, 7, null].map(key => put(new Blob(['x']), key)),
        ),
      }
    })
    assert.deepEqual(answers.data, Array(8).fill(refusal('notAFile')))
    assert.deepEqual(answers.key, Array(8).fill(refusal('badKey')))
    assert.deepEqual(await usageOf(person), { usedBytes: 0, objects: 0 })
  })

  test('OBJ-E12, OBJ-E14: a file past the quota or past the largest size is refused before it is read through', async () => {
    const { home } = await signedIn()
    const answers = await home.page.evaluate(async () => {
      const put = async (size: number) => {
        // Never ends: only a refusal does.
        const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: controller => controller.enqueue(new Uint8Array(2 ** 18)) })
        return app.broker.storage.put(stream, { accountPin: await app.pin(), size })
      }
      return { quota: await put(40 * 2 ** 20), tooLarge: await put(50 * 2 ** 20), record: await put(32 * 2 ** 20) }
    })
    assert.deepEqual(answers, { quota: refusal('quota'), tooLarge: refusal('tooLarge'), record: refusal('quota') })
  })

  test('OBJ-E15, OBJ-E16: too many objects, and too many in an hour, are told apart', async () => {
    const { home } = await signedIn()
    const { messages, list } = await home.page.evaluate(async () => {
      const { put, delete: remove } = app.broker.storage
      const store = async () => put(new Blob([]), { accountPin: await app.pin() })
      const messages: string[] = []
      let last = ''
      for (let index = 0; index < 6; index += 1) {
        const stored = await store()
        if ('url' in stored) last = stored.url
        messages.push('error' in stored ? `${stored.error} ${stored.message}` : 'stored')
      }
      for (let index = 0; index < 4; index += 1) {
        await remove(last, { accountPin: await app.pin() })
        const stored = await store()
        if ('url' in stored) last = stored.url
        messages.push('error' in stored ? `${stored.error} ${stored.message}` : 'stored')
      }
      return { messages, list: await app.broker.storage.list({ accountPin: await app.pin() }) }
    })
    const text = (name: 'tooMany' | 'tooManyThisHour') => `${storageRefusals[name].code} ${storageRefusals[name].message}`
    assert.deepEqual(messages, [...Array<string>(5).fill('stored'), text('tooMany'), ...Array<string>(3).fill('stored'), text('tooManyThisHour')])
    assert.equal('error' in list ? list.message : list.objects.length, 4)
  })

  test('OBJ-E17: a service that cannot be reached is unavailable, and nobody is signed out by it', async () => {
    const { home } = await signedIn()
    await home.page.route(`${deputy.server.origins.api}/**`, route => route.abort())
    const seen = await home.page.evaluate(
      async cdn => ({
        list: await app.broker.storage.list({ accountPin: await app.pin() }),
        put: await app.broker.storage.put(new Blob(['x']), { accountPin: await app.pin() }),
        delete: await app.broker.storage.delete(`${cdn}/${crypto.randomUUID()}`, { accountPin: await app.pin() }),
        account: (await app.broker.account.info())?.name,
      }),
      deputy.server.origins.cdn,
    )
    assert.deepEqual(seen, { list: refusal('unavailable'), put: refusal('unavailable'), delete: refusal('unavailable'), account: 'Ada' })
  })
}
