import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { storageRefusals } from '@deputy/contract/storage-refusals'
import type { World } from '../../support/chromium.ts'
import { startDeputy, type TestDeputy } from '../../support/deputy.ts'
import { signUp } from '../../support/test-accounts.ts'
import { pageOf } from '../../support/web-origins.ts'

const refusal = (name: keyof typeof storageRefusals) => ({ error: storageRefusals[name].code, message: storageRefusals[name].message })

/** What one app can know of another, and what outlives a frame, in one storage world. */
export function isolationSuite(world: World): void {
  let deputy: TestDeputy
  before(async () => {
    deputy = await startDeputy({ chromium: { world } })
    await signUp(deputy.server, 'Operator')
  })
  after(() => deputy?.[Symbol.asyncDispose]())

  test('OBJ-12, OBJ-14, FS-2: an app of the same site sees, lists and deletes nothing of its neighbour, nor uses its session or its pin', async () => {
    const person = await signUp(deputy.server)
    // Two origins of one site share a partition of the browser's storage: only the broker keeps them apart.
    const [mine, other] = [await deputy.openApp('a.site'), await deputy.openApp('b.site')]
    await mine.signIn(person)
    const put = await mine.page.evaluate(async () => app.broker.storage.put(new Blob(['mine']), { accountPin: await app.pin() }))
    if ('error' in put) assert.fail(put.message)
    const theirs = { url: put.url, pin: await mine.page.evaluate(() => app.pin()) }
    const attempt = () =>
      other.page.evaluate(
        async ({ url, pin }) => ({
          account: (await app.broker.account.info())?.name ?? null,
          availability: await app.broker.cloud.fs.availability(),
          own: await app.broker.storage.list({ accountPin: await app.pin() }),
          theirs: await app.broker.storage.list({ accountPin: pin }),
          put: await app.broker.storage.put(new Blob(['x']), { accountPin: pin }),
          delete: await app.broker.storage.delete(url, { accountPin: await app.pin() }),
        }),
        theirs,
      )
    const changed = refusal('accountChanged')
    const nobody = refusal('needsAccount')
    assert.deepEqual(await attempt(), { account: null, availability: 'disconnected', own: nobody, theirs: changed, put: changed, delete: nobody })
    assert.deepEqual(await other.page.evaluate(() => app.changes), [], 'nor does it hear of its neighbour')
    await other.signIn(person)
    assert.deepEqual(await attempt(), {
      account: 'Ada',
      availability: 'connected',
      own: { objects: [] },
      theirs: changed,
      put: changed,
      delete: refusal('notCreator'),
    })
  })

  test('a page that embeds the broker and is not connected gets nothing but what anybody may have', async () => {
    const home = await deputy.openApp('nobody')
    const seen = await home.page.evaluate(async () => ({
      account: await app.broker.account.info(),
      available: await app.broker.storage.available(),
      list: await app.broker.storage.list({ accountPin: await app.pin() }),
    }))
    assert.deepEqual(seen, {
      account: null,
      available: false,
      list: refusal('needsAccount'),
    })
  })

  test('a page cannot reach into the broker’s frame, and a page without an origin of its own gets no link', async () => {
    const home = await deputy.openApp('outside')
    const reached = await home.page.evaluate(() => {
      try {
        return app.frame.contentWindow?.document.body.innerHTML ?? 'nothing'
      } catch (error) {
        return (error as Error).name
      }
    })
    assert.equal(reached, 'SecurityError')
    const page = pageOf(`
      const frame = document.createElement('iframe')
      frame.src = ${JSON.stringify(`${deputy.server.origins.broker}/frame`)}
      addEventListener('message', ({ source }) => source === frame.contentWindow && parent.postMessage('ready', '*'))
      frame.onload = () => parent.postMessage('loaded', '*')
      document.body.append(frame)`)
    const ready = await home.page.evaluate(async html => {
      const ready: string[] = []
      const open = (name: string, until: 'loaded' | 'ready', make: (frame: HTMLIFrameElement) => void) =>
        new Promise<void>(resolve => {
          const frame = document.createElement('iframe')
          addEventListener('message', ({ data, source }) => {
            if (source !== frame.contentWindow) return
            if (data === 'ready') ready.push(name)
            if (data === until) resolve()
          })
          make(frame)
          document.body.append(frame)
        })
      await open('sandboxed', 'loaded', frame => {
        frame.sandbox.add('allow-scripts')
        frame.srcdoc = html
      })
      await open('data', 'loaded', frame => (frame.src = `data:text/html,${encodeURIComponent(html)}`))
      // Last, so that the others had more time than it takes.
      await open('plain', 'ready', frame => (frame.srcdoc = html))
      return ready
    }, page)
    assert.deepEqual(ready, ['plain'])
  })

  test('the session, its pins and the subscriptions outlive the frame', async () => {
    const [home, person] = [await deputy.openApp('remount'), await signUp(deputy.server)]
    await home.signIn(person)
    const seen = await home.page.evaluate(async () => {
      const pin = await app.pin()
      await app.remount()
      const account = await app.broker.account.info()
      const list = await app.broker.storage.list({ accountPin: pin })
      await app.broker.account.logout()
      return { account: account?.name, list, changes: await app.changed(2) }
    })
    assert.deepEqual(seen, { account: 'Ada', list: { objects: [] }, changes: [{ switched: true }, { switched: true }] })
  })

  test('a frame that goes away in the middle of a put leaves nothing pending', async () => {
    const [home, person] = [await deputy.openApp('midway'), await signUp(deputy.server)]
    await home.signIn(person)
    const code = await home.page.evaluate(async () => {
      const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: () => new Promise<void>(() => {}) })
      const put = app.broker.storage.put(stream, { accountPin: await app.pin(), size: 100 })
      await app.broker.account.info()
      app.frame.remove()
      return put.then(
        () => 'answered',
        (error: unknown) => (error as { code?: unknown }).code,
      )
    })
    assert.equal(code, 'unavailable')
  })
}
