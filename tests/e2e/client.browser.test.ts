import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openClient, signInClient } from '../support/client-page.ts'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { signUp } from '../support/test-accounts.ts'
import { httpOrigin } from '../support/tunnel-scene.ts'
import { bundle, pageOf } from '../support/web-origins.ts'

const support = join(import.meta.dirname, '../support')
let deputy: TestDeputy
before(async () => {
  deputy = await startDeputy({ config: { tunnel: { allow: ['127.0.0.0/8'] } } })
})
after(() => deputy?.[Symbol.asyncDispose]())

test('importing the library does nothing to the page; the first call makes one frame, over the whole view and clipped away', async () => {
  const page = await openClient(deputy, 'lazy')
  assert.equal(await page.locator('iframe').count(), 0)
  assert.deepEqual(await page.evaluate(() => Promise.all([realm.client.account.info(), realm.client.account.info(), realm.client.shell.updateReady()])), [
    null,
    null,
    false,
  ])
  assert.equal(await page.locator('iframe').count(), 1)
  const { clip, display, view } = await page.evaluate(() => {
    const frame = document.querySelector('iframe')!
    const { clipPath, display } = getComputedStyle(frame)
    const { width, height } = frame.getBoundingClientRect()
    return { clip: clipPath, display, view: width === innerWidth && height === innerHeight }
  })
  assert.deepEqual({ display, view }, { display: 'block', view: true })
  assert.match(clip, /^inset\(0px 100% 100% 0px\)$/)
})

test('ACC-1, OBJ-2, OBJ-9: account and storage through the library, errors thrown with a code', async () => {
  const page = await openClient(deputy, 'store')
  const denied = await page.evaluate(() => realm.failure(realm.client.storage.put(new Blob(['x']))))
  assert.deepEqual(denied, { name: 'StorageError', code: 'denied', message: 'storage: storing needs an account' })
  await signInClient(deputy, page, await signUp(deputy.server, 'Grace'))
  assert.deepEqual(await page.evaluate(() => realm.client.account.info()), { name: 'Grace', image: null, premium: true, premiumUntil: null })
  const text = await page.evaluate(async () => {
    const { storage } = realm.client
    const { url, key } = await storage.put(new Blob(['sealed, stored, opened']))
    const file = await storage.get(url, key)
    const { objects } = await storage.list()
    const part = await new Response(await file.read(8, 14)).text()
    await storage.delete(url)
    return [part, objects.length, (await realm.failure(storage.get(url, key)))?.code]
  })
  assert.deepEqual(text, ['stored', 1, 'not-found'])
  const wrong = await page.evaluate(() => realm.failure(realm.client.storage.put('no file' as unknown as Blob)))
  assert.deepEqual(wrong, { name: 'StorageError', code: 'invalid', message: 'storage: the data is not a Blob or a ReadableStream' })
})

test('NET-1, NET-3, NET-4, NET-11: fetch, look-ups and the quota through the library, with bodies of every kind and errors thrown with a code', async () => {
  await using origin = await httpOrigin((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { 'content-type': type, 'x-own': own } = request.headers
      response.end(JSON.stringify({ method: request.method, type, own, body: Buffer.concat(chunks).toString() }))
    })
  })
  const page = await openClient(deputy, 'network')
  const needsAccount = { name: 'TunnelError', code: 'denied', message: 'cloud: the tunnel needs an account' }
  const refused = await page.evaluate(
    url => Promise.all([realm.failure(realm.cloud.fetch(url)), realm.failure(realm.cloud.dns.lookup('127.0.0.1'))]),
    origin.url,
  )
  assert.deepEqual(refused, [needsAccount, needsAccount])
  await signInClient(deputy, page, await signUp(deputy.server, 'Nora'))
  const seen = await page.evaluate(async url => {
    const { cloud, failure } = realm
    const said = async (init: Parameters<typeof cloud.fetch>[1], input: string | Request = url) => {
      const response = await cloud.fetch(input, init)
      return [response.headers.get('svc-node'), (await response.json()) as { body: string }] as const
    }
    const form = new FormData()
    form.set('name', 'Ada')
    const bytes = new TextEncoder().encode('bytes')
    const gone = new AbortController()
    gone.abort(new Error('enough'))
    return {
      form: (await said({ method: 'POST', body: form }))[1].body.includes('name="name"\r\n\r\nAda'),
      pairs: await said({ method: 'POST', body: new URLSearchParams({ a: 'b' }), headers: { 'x-own': 'mine' } }),
      bytes: await said({ method: 'PUT', body: bytes, headers: new Headers({ 'x-own': 'two' }), spread: true }),
      kept: bytes.byteLength,
      request: await said(undefined, new Request(url, { method: 'POST', body: 'text' })),
      aborted: await failure(cloud.fetch(url, { signal: gone.signal })),
      asked: await failure(cloud.fetch(new Request(url, { signal: gone.signal }))),
      unknown: await failure(cloud.fetch('http://nowhere.invalid/')),
      one: await cloud.dns.lookup('127.0.0.1'),
      all: await cloud.dns.lookup('127.0.0.1', { all: true }),
      quota: (await cloud.quota()).overQuota,
    }
  }, origin.url)
  const enough = { name: 'Error', message: 'enough' }
  assert.deepEqual(JSON.parse(JSON.stringify(seen)), {
    form: true,
    pairs: ['local', { method: 'POST', type: 'application/x-www-form-urlencoded;charset=UTF-8', own: 'mine', body: 'a=b' }],
    bytes: [null, { method: 'PUT', own: 'two', body: 'bytes' }],
    kept: 5,
    request: ['local', { method: 'POST', type: 'text/plain;charset=UTF-8', body: 'text' }],
    aborted: enough,
    asked: enough,
    unknown: { name: 'TunnelError', code: 'ENOTFOUND', message: 'cloud: the host was not found' },
    one: { address: '127.0.0.1', family: 4 },
    all: [{ address: '127.0.0.1', family: 4 }],
    quota: false,
  })
})

test('OBJ-5: an aborted put throws the reason of the signal', async () => {
  const page = await openClient(deputy, 'abort')
  await page.evaluate(() => realm.client.account.info())
  await signInClient(deputy, page, await signUp(deputy.server))
  const reasons = await page.evaluate(async () => {
    const caught = (promise: Promise<unknown>) => promise.then(() => 'stored', String)
    const before = realm.client.storage.put(new Blob(['x']), { signal: AbortSignal.abort('before') })
    const controller = new AbortController()
    const during = realm.client.storage.put(new Blob([new Uint8Array(60_000_000)]), { signal: controller.signal, onProgress: () => controller.abort('during') })
    return [await caught(before), await caught(during), (await realm.client.storage.list()).objects.length]
  })
  assert.deepEqual(reasons, ['before', 'during', 0])
})

test('CON-2: connect answers true at once for a connected app; the button url names a page of the broker', async () => {
  const page = await openClient(deputy, 'connected')
  await page.evaluate(() => realm.client.account.info())
  await signInClient(deputy, page, await signUp(deputy.server))
  assert.equal(await page.evaluate(() => realm.client.connect()), true)
  const { broker } = deputy.server.origins
  assert.deepEqual(await page.evaluate(() => [realm.client.connectButtonUrl(), realm.client.connectButtonUrl('https://other.example')]), [
    `${broker}/connect-button`,
    'https://other.example/connect-button',
  ])
  await page.evaluate(() => {
    const frame = Object.assign(document.createElement('iframe'), { src: realm.client.connectButtonUrl(), id: 'button' })
    document.body.append(frame)
  })
  await page.frameLocator('#button').getByText('Connected as Ada').waitFor()
})

test('ACC-4, ACC-5: onChange hears a sign-out as a switch, and its unsubscribe ends it', async () => {
  const page = await openClient(deputy, 'change')
  await page.evaluate(() => realm.client.account.info())
  await signInClient(deputy, page, await signUp(deputy.server))
  await page.waitForFunction(async () => (await realm.client.account.info()) !== null)
  const heard = await page.evaluate(async () => {
    const off = await realm.client.account.onChange(change => void realm.changes.push(change))
    await realm.client.account.logout()
    off()
    return realm.changes
  })
  await page.waitForFunction(() => realm.changes.length > 0)
  assert.deepEqual(heard.length === 0 ? await page.evaluate(() => realm.changes) : heard, [{ switched: true }])
})

test('LIB-11: a dedicated worker reaches the broker with its page’s identity, and its own messages stay its own', async () => {
  const page = await openClient(deputy, 'worker')
  deputy.web.serve('worker', '/worker.js', await bundle(join(support, 'client-worker-script.ts')))
  await page.evaluate(() => realm.client.account.info())
  await signInClient(deputy, page, await signUp(deputy.server, 'Katherine'))
  const answers = await page.evaluate(async () => {
    const worker = new Worker('/worker.js', { type: 'module' })
    worker.postMessage('first')
    await realm.client.relayWorker(worker)
    worker.postMessage('second')
    const ask = (question: string) =>
      new Promise(resolve => {
        worker.onmessage = ({ data }) => resolve(data)
        worker.postMessage({ ask: question })
      })
    return [await ask('name'), await ask('store'), await ask('heard')]
  })
  assert.deepEqual(answers, ['Katherine', 'from the worker', ['first', 'second']])
})

test('ACC-6, VER-2: an older broker tells of changes without a payload, is sent no storage call it cannot pin, fetches as ever, and what it lacks is refused by name', async () => {
  deputy.web.serve('old-broker', '/frame', pageOf(await bundle(join(support, 'old-broker-script.ts'))))
  const page = await openClient(deputy, 'modern', deputy.web.origin('old-broker'))
  const seen = await page.evaluate(async () => {
    const { account, storage, shell } = realm.client
    await account.onChange((...payload) => void realm.changes.push(payload.length === 0 || payload[0] === undefined))
    const signedIn = await account.login()
    const available = await storage.available()
    const refused = [await realm.failure(storage.put(new Blob(['x']))), await realm.failure(storage.list()), await realm.failure(shell.updateReady())]
    const fetched = await (await realm.cloud.fetch('https://site.example/')).text()
    return { signedIn, available, refused, fetched, calls: (await account.info())?.name }
  })
  await page.waitForFunction(() => realm.changes.length > 0)
  assert.deepEqual(await page.evaluate(() => realm.changes), [true])
  assert.deepEqual(seen, {
    signedIn: true,
    available: false,
    refused: [
      { name: 'StorageError', code: 'unavailable', message: 'storage: this broker is too old to pin an account' },
      { name: 'StorageError', code: 'unavailable', message: 'storage: this broker is too old to pin an account' },
      { name: 'ChannelError', code: 'unavailable', message: 'deputy: this broker does not serve shell' },
    ],
    fetched: 'old',
    calls: '0 storage calls',
  })
})

test('two copies of the library in one page share one frame, and a removed frame is made anew', async () => {
  const page = await openClient(deputy, 'twice')
  await page.evaluate(() => realm.client.account.info())
  await page.addScriptTag({ type: 'module', content: (await bundle(join(support, 'client-script.ts'))).replace('{ realm:', '{ second:') })
  await page.waitForFunction(() => 'second' in globalThis)
  assert.equal(await page.evaluate(() => (globalThis as unknown as { second: typeof realm }).second.client.account.info()), null)
  assert.equal(await page.locator('iframe').count(), 1)
  await page.evaluate(() => document.querySelector('iframe')?.remove())
  assert.equal(await page.evaluate(() => realm.client.account.info()), null)
  assert.equal(await page.locator('iframe[data-deputy-broker]').count(), 1)
})

test('a broker out of reach ends calls unavailable, which is not signed out', async () => {
  const page = await openClient(deputy, 'alone', 'http://nobody.localhost:9')
  page.setDefaultTimeout(40_000)
  const failure = await page.evaluate(() => realm.failure(realm.client.account.info()))
  assert.deepEqual([failure?.name, failure?.code], ['ChannelError', 'unavailable'])
})
