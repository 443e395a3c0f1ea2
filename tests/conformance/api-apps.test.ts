import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { readProfile } from '@deputy/contract/api-accounts'
import { appConnected, authorizeApp, disconnectApp, listApps, redeemApp } from '@deputy/contract/api-apps'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'
import { connectApp, ok, signUp, type TestPerson, verifierPair } from '../support/test-accounts.ts'
import { hour, second, testClock, type TestClock } from '../support/test-clock.ts'

const app = 'web:https://app.example'

describe('apps', () => {
  let clock: TestClock
  let server: TestServer
  let ada: TestPerson
  beforeEach(async () => {
    clock = testClock()
    server = await startTestServer({}, { clock })
    ada = await signUp(server)
  })
  afterEach(() => server.close())

  const authorize = async () => {
    const { verifier, challenge } = verifierPair()
    return { verifier, code: ok(await server.call(authorizeApp, { app, challenge }, ada.token)).code }
  }
  const refused = async (body: Parameters<typeof server.call<typeof redeemApp>>[1]): Promise<void> => {
    const { status, error } = await server.call(redeemApp, body)
    assert.deepEqual([status, error], [403, 'denied'])
  }

  test('a code becomes a session of (account, app), once', async () => {
    const { code, verifier } = await authorize()
    const session = ok(await server.call(redeemApp, { code, verifier, app, device: 'Frame' }))
    assert.deepEqual([session.kind, session.app, session.account.id], ['app', app, ada.session.account.id])
    assert.equal(ok(await server.call(readProfile, {}, session.token)).name, 'Ada')
    await refused({ code, verifier, app, device: 'Frame' })
  })

  test('of two that redeem one code at once only one gets a session', async () => {
    const { code, verifier } = await authorize()
    const answers = await Promise.all(Array.from({ length: 5 }, () => server.call(redeemApp, { code, verifier, app, device: '' })))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 403, 403, 403, 403],
    )
  })

  test('a code is worth nothing without its verifier, to another app, or after 60 s; a wrong try uses it up', async () => {
    const stolen = await authorize()
    await refused({ code: stolen.code, verifier: verifierPair().verifier, app, device: '' })
    await refused({ code: stolen.code, verifier: stolen.verifier, app, device: '' })
    const elsewhere = await authorize()
    await refused({ code: elsewhere.code, verifier: elsewhere.verifier, app: 'web:https://evil.example', device: '' })
    const late = await authorize()
    clock.advance(60 * second)
    await refused({ code: late.code, verifier: late.verifier, app, device: '' })
    const challengeAsVerifier = await authorize()
    await refused({ code: challengeAsVerifier.code, verifier: verifierPair().challenge, app, device: '' })
    await refused({ code: 'A'.repeat(43), verifier: verifierPair().verifier, app, device: '' })
  })

  test('an app is an origin and nothing else', async () => {
    const { challenge } = verifierPair()
    for (const wrong of [
      'web:https://app.example/',
      'web:https://app.example/path',
      'web:https://APP.example',
      'web:https://user@app.example',
      'web:https://app.example:443',
      'https://app.example',
      'web:javascript:alert(1)',
    ]) {
      const answer = await server.call(authorizeApp, { app: wrong, challenge }, ada.token)
      assert.deepEqual([wrong, answer.status, answer.error], [wrong, 400, 'invalid'])
    }
  })

  test('an app is connected from the person’s yes until it is disconnected', async () => {
    const connected = async () => ok(await server.call(appConnected, { app }, ada.token)).connected
    assert.equal(await connected(), false)
    await authorize()
    assert.equal(await connected(), true)
    const ben = await signUp(server, 'Ben')
    assert.equal(ok(await server.call(appConnected, { app }, ben.token)).connected, false)
    ok(await server.call(disconnectApp, { app }, ada.token))
    assert.equal(await connected(), false)
    assert.equal((await server.call(disconnectApp, { app }, ada.token)).error, 'not-found')
  })

  test('disconnecting ends the app’s sessions at once and its codes, no other’s', async () => {
    const [own, other] = [await connectApp(server, ada.token, app), await connectApp(server, ada.token, 'web:https://other.example')]
    assert.equal((await server.call(readProfile, {}, own.token)).status, 200)
    const { code, verifier } = await authorize()
    ok(await server.call(disconnectApp, { app }, ada.token))
    assert.equal((await server.call(readProfile, {}, own.token)).status, 401)
    assert.equal((await server.call(readProfile, {}, other.token)).status, 200)
    assert.equal((await server.call(readProfile, {}, ada.token)).status, 200)
    await refused({ code, verifier, app, device: '' })
  })

  test('the list shows when each was connected and last used', async () => {
    const connectedAt = clock.now()
    const session = await connectApp(server, ada.token, app)
    clock.advance(hour)
    await connectApp(server, ada.token, 'web:https://later.example')
    clock.advance(hour)
    await server.call(readProfile, {}, session.token)
    const { apps } = ok(await server.call(listApps, {}, ada.token))
    assert.deepEqual(apps, [
      { app, connectedAt, lastUsed: clock.now(), objects: 0, bytes: 0 },
      { app: 'web:https://later.example', connectedAt: connectedAt + hour, lastUsed: connectedAt + hour, objects: 0, bytes: 0 },
    ])
  })
})
