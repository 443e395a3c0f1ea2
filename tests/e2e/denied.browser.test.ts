import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { addAuthenticator, closed, finish, makeAccount, openWindow } from '../support/sign-in-walk.ts'

let deputy: TestDeputy
before(async () => {
  deputy = await startDeputy({ chromium: { world: 'denied' } })
})
after(() => deputy?.[Symbol.asyncDispose]())

test('ACC-2, OBJ-2, FS-1: where the browser denies the frame all storage, everything works until the frame is loaded anew', async () => {
  const home = await deputy.openApp()
  assert.equal(
    await home.frame().evaluate(() =>
      Promise.resolve(indexedDB.databases()).then(
        () => 'kept',
        () => 'denied',
      ),
    ),
    'denied',
  )
  const signedIn = home.page.evaluate(() => app.broker.account.login(location.origin))
  const popup = await openWindow(home)
  await addAuthenticator(deputy.context, popup)
  await makeAccount(popup, 'Ada')
  await finish(popup, 'Allow')
  assert.equal(await signedIn, true)
  const seen = await home.page.evaluate(async () => {
    const put = await app.broker.storage.put(new Blob(['hello']), { accountPin: await app.pin() })
    if ('error' in put) return put
    const opened = await app.broker.storage.get(put.url, put.key)
    if ('error' in opened) return opened
    const stream = await opened.read(0, opened.size)
    const bytes = 'error' in stream ? stream : await app.drain(stream)
    const list = await app.broker.storage.list({ accountPin: await app.pin() })
    return {
      text: bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : bytes,
      listed: 'error' in list ? list : list.objects.length,
      changes: app.changes,
    }
  })
  assert.deepEqual(seen, { text: 'hello', listed: 1, changes: [{ switched: true }] })

  await home.page.evaluate(() => app.remount())
  assert.equal(await home.page.evaluate(() => app.broker.account.info()), null)
  const again = home.page.evaluate(() => app.broker.account.login(location.origin))
  const closing = closed(await openWindow(home))
  assert.equal(await again, true, 'the window knows the person and the app, and asks nothing')
  await closing
})
