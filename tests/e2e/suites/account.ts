import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listSessions, revokeSession } from '@deputy/contract/api-sessions'
import { readProfile } from '@deputy/contract/api-accounts'
import { setTimeout as pause } from 'node:timers/promises'
import type { World } from '../../support/chromium.ts'
import { startDeputy, type TestApp, type TestDeputy } from '../../support/deputy.ts'
import { addAuthenticator, closed, finish, makeAccount, openWindow, refuseCard } from '../../support/sign-in-walk.ts'
import { ok, signUp } from '../../support/test-accounts.ts'

const info = (of: TestApp) => of.page.evaluate(() => app.broker.account.info())
const changes = (of: TestApp, count: number) => of.page.evaluate(wanted => app.changed(wanted), count)
const login = (of: TestApp) => of.page.evaluate(() => app.broker.account.login(location.origin))
const prompt = (of: TestApp) => of.page.evaluate(() => app.broker.connect.prompt(location.origin))

/** Sign-in, connect and sessions of the framed broker, in one storage world. */
export function accountSuite(world: World): void {
  let deputy: TestDeputy
  before(async () => {
    deputy = await startDeputy({ chromium: { world }, config: { sessions: { renew: '4s', grace: '1s' } } })
    await signUp(deputy.server, 'Operator')
  })
  after(() => deputy?.[Symbol.asyncDispose]())

  let apps = 0
  const openApp = () => deputy.openApp(`app${(apps += 1)}`)

  test('ACC-1, ACC-2, ACC-3, ACC-4, ACC-5: a person signs in with a passkey, allows the app, signs out and comes back in one click', async () => {
    const home = await openApp()
    assert.equal(await info(home), null)
    const signedIn = login(home)
    const popup = await openWindow(home)
    await addAuthenticator(deputy.context, popup)
    assert.match(await makeAccount(popup, 'Ada Lovelace'), /\w{4}-\w{4}/)
    await popup.getByText(new URL(home.origin).host).first().waitFor()
    await finish(popup, 'Allow')
    assert.equal(await signedIn, true)
    assert.deepEqual(await info(home), { image: null, name: 'Ada Lovelace', premium: false, premiumUntil: null })
    assert.deepEqual(await changes(home, 1), [{ switched: true }])
    assert.equal(await login(home), true, 'who is signed in is asked nothing')

    const { token } = await home.session()
    await home.page.evaluate(() => app.broker.account.logout())
    assert.equal(await info(home), null)
    assert.deepEqual((await changes(home, 2)).at(-1), { switched: true })
    assert.equal((await deputy.server.call(readProfile, {}, token)).error, 'unauthorized', 'the session has ended at the service')

    const again = login(home)
    const back = await openWindow(home)
    await back.getByText('Continue to this app?').waitFor()
    await finish(back, 'Continue')
    assert.equal(await again, true)
    assert.equal((await info(home))?.name, 'Ada Lovelace')
    assert.deepEqual(await home.page.evaluate(() => app.changes), [{ switched: true }, { switched: true }, { switched: true }])
  })

  test('CON-1: connect.prompt asks the person; allowing answers true, and a connected app is not asked again', async () => {
    const home = await openApp()
    const connected = prompt(home)
    const popup = await openWindow(home, 'Continue')
    await popup.getByText('Allow this app?').waitFor()
    await finish(popup, 'Allow')
    assert.equal(await connected, true)
    assert.equal(await prompt(home), true)
    assert.equal((await info(home))?.name, 'Ada Lovelace')

    // A frame that lost its session: the window finds everything said already, and closes by itself.
    await home.forget()
    assert.equal(await info(home), null)
    const again = prompt(home)
    const closing = closed(await openWindow(home, 'Continue'))
    assert.equal(await again, true)
    await closing
  })

  test('CON-1, ACC-2: declining the card, refusing in the window and closing it answer false, and nothing is connected', async () => {
    const home = await openApp()
    const declined = prompt(home)
    await refuseCard(home, 'Not now')
    assert.equal(await declined, false)

    const refused = login(home)
    await finish(await openWindow(home), 'Don’t allow')
    assert.equal(await refused, false)

    const gone = prompt(home)
    await (await openWindow(home, 'Continue')).close()
    assert.equal(await gone, false)

    const cancelled = prompt(home)
    const popup = await openWindow(home, 'Continue')
    const closing = closed(popup)
    await refuseCard(home, 'Cancel')
    assert.equal(await cancelled, false)
    await closing
    assert.equal(await info(home), null)
    assert.deepEqual(await home.page.evaluate(() => app.changes), [])
  })

  test('equal requests share one card and one window', async () => {
    const home = await openApp()
    const both = Promise.all([prompt(home), prompt(home), login(home)])
    const popup = await openWindow(home, 'Continue')
    await finish(popup, 'Allow')
    assert.deepEqual(await both, [true, true, true])
  })

  test('ACC-2, CON-1: an app asks in its own name only', async () => {
    const home = await openApp()
    const errors = await home.page.evaluate(async () => {
      const told: unknown[] = []
      for (const origin of ['https://evil.example', '', `${location.origin}/`, 'null']) {
        for (const ask of [app.broker.account.login, app.broker.connect.prompt]) told.push(await ask(origin).catch((error: unknown) => (error as Error).name))
      }
      return told
    })
    assert.deepEqual(errors, Array(8).fill('TypeError'))
    assert.equal(await home.frame().getByRole('dialog').count(), 0)
  })

  test('ACC-4, ACC-5: other tabs of the app hear of sign-in and sign-out; an ended registration hears nothing', async () => {
    const [home, person] = [await openApp(), await signUp(deputy.server)]
    const tab = await deputy.openApp(new URL(home.origin).hostname.replace('.localhost', ''))
    const silent = tab.page.evaluate(async () => {
      let told = 0
      const end = await app.broker.account.onChange(() => void (told += 1))
      await end()
      await app.changed(2)
      return told
    })
    await home.signIn(person)
    assert.deepEqual(await changes(tab, 1), [{ switched: true }])
    assert.equal((await info(tab))?.name, 'Ada')
    await tab.page.evaluate(() => app.broker.account.logout())
    assert.deepEqual(await changes(home, 2), [{ switched: true }, { switched: true }])
    assert.equal(await info(home), null)
    assert.equal(await silent, 0)
  })

  test('ACC-5: a renewal of the same account’s token is no switch, and happens once for all tabs', async () => {
    const [home, person] = [await openApp(), await signUp(deputy.server)]
    const tab = await deputy.openApp(new URL(home.origin).hostname.replace('.localhost', ''))
    await home.signIn(person)
    await changes(tab, 1)
    const { token, renewAt } = await home.session()
    // Time passes at the service and in the browser alike; there is no clock to move in both.
    await pause(Math.max(0, renewAt - Date.now()) + 100)
    await Promise.all([info(home), info(tab)])
    assert.deepEqual(await changes(home, 2), [{ switched: true }, { switched: false }])
    assert.deepEqual(await changes(tab, 2), [{ switched: true }, { switched: false }])
    const renewed = await home.session()
    assert.notEqual(renewed.token, token)
    assert.equal((await info(home))?.name, 'Ada')

    // Somebody uses a copy of the old token once its grace is over: the whole session ends.
    await pause(1200)
    assert.equal((await deputy.server.call(readProfile, {}, token)).error, 'unauthorized')
    assert.equal(await info(home), null)
    assert.deepEqual((await changes(home, 3)).at(2), { switched: true })
    assert.equal(await info(tab), null)
  })

  test('ACC-1, ACC-5: a session ended on the account page is signed out, with a switch', async () => {
    const [home, person] = [await openApp(), await signUp(deputy.server)]
    await home.signIn(person)
    await changes(home, 1)
    const { sessions } = ok(await deputy.server.call(listSessions, {}, person.token))
    const own = sessions.find(session => session.app === home.id)
    ok(await deputy.server.call(revokeSession, { id: own?.id ?? '' }, person.token))
    assert.equal(await info(home), null)
    assert.deepEqual(await changes(home, 2), [{ switched: true }, { switched: true }])
  })

  test('ACC-1, FS-4: while nobody can be reached the account stays, availability is unknown, and both answer within 4 s without a card', async () => {
    const [home, person] = [await openApp(), await signUp(deputy.server)]
    const availability = () => home.page.evaluate(() => app.broker.cloud.fs.availability())
    assert.equal(await availability(), 'disconnected')
    await home.signIn(person)
    assert.equal(await availability(), 'connected')
    assert.equal(await home.page.evaluate(() => app.broker.cloud.fs.available()), true)
    for (const fault of ['refused', 'silent'] as const) {
      await home.page.route(`${deputy.server.origins.api}/**`, route => (fault === 'refused' ? route.abort() : undefined))
      const begun = performance.now()
      const seen = await Promise.all([info(home), availability()])
      const spent = performance.now() - begun
      assert.deepEqual([seen[0]?.name, seen[1]], ['Ada', 'unknown'], fault)
      assert.ok(spent < 4000, `${fault}: ${spent} ms`)
      await home.page.unrouteAll({ behavior: 'ignoreErrors' })
    }
    assert.equal(await home.frame().getByRole('dialog').count(), 0)
    assert.deepEqual(await home.page.evaluate(() => app.changes), [{ switched: true }])
  })

  test('FS-1, FS-2: every pin is another text, and says nothing of the account', async () => {
    const [home, person] = [await openApp(), await signUp(deputy.server)]
    await home.signIn(person)
    const pins = await home.page.evaluate(async () => Promise.all(Array.from({ length: 20 }, () => app.pin())))
    assert.equal(new Set(pins).size, 20)
    for (const pin of pins) assert.ok(!Buffer.from(pin, 'base64url').includes(person.session.account.id))
  })
}
