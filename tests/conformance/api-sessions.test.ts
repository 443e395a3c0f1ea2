import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { readProfile } from '@deputy/contract/api-accounts'
import { endSession, listSessions, renewSession, revokeSession } from '@deputy/contract/api-sessions'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'
import { connectApp, ok, signUp, type TestPerson } from '../support/test-accounts.ts'
import { day, hour, minute, second, testClock, type TestClock } from '../support/test-clock.ts'

describe('sessions', () => {
  let clock: TestClock
  let server: TestServer
  let ada: TestPerson
  beforeEach(async () => {
    clock = testClock()
    server = await startTestServer({ limits: { signIn: 10_000, write: 10_000, read: 10_000, address: 100_000 } }, { clock })
    ada = await signUp(server)
  })
  afterEach(() => server.close())

  const works = async (token: string): Promise<boolean> => {
    const { status } = await server.call(readProfile, {}, token)
    assert.ok(status === 200 || status === 401, `a session works or is unauthorized, not ${status}`)
    return status === 200
  }

  test('a session says when to renew it and when it ends', () => {
    const { session } = ada
    assert.match(session.token, /^[A-Za-z0-9_-]{43}$/)
    assert.deepEqual([session.kind, session.app, session.renewAt, session.expiresAt], ['account', null, clock.now() + 15 * minute, clock.now() + 30 * day])
    assert.equal(session.account.name, 'Ada')
  })

  test('renewing hands out another token of the same session; the old one works 60 s longer', async () => {
    clock.advance(15 * minute)
    const renewed = ok(await server.call(renewSession, {}, ada.token))
    assert.notEqual(renewed.token, ada.token)
    assert.equal(renewed.id, ada.session.id)
    assert.equal(renewed.renewAt, clock.now() + 15 * minute)
    assert.equal(renewed.expiresAt, clock.now() + 30 * day)
    clock.advance(59 * second)
    assert.deepEqual([await works(ada.token), await works(renewed.token)], [true, true])
  })

  test('the old token used after its 60 s ends the whole session, and no other', async () => {
    const app = await connectApp(server, ada.token)
    const { token } = ok(await server.call(renewSession, {}, ada.token))
    clock.advance(60 * second)
    assert.equal(await works(token), true)
    assert.equal(await works(ada.token), false)
    assert.equal(await works(token), false)
    assert.equal(await works(app.token), true)
    assert.ok(server.log.some(line => line.includes('session-token-reused')))
  })

  test('the end comes by an old token of any age', async () => {
    let { token } = ada
    const tokens = [token]
    for (let round = 0; round < 5; round += 1) {
      clock.advance(20 * minute)
      token = ok(await server.call(renewSession, {}, token)).token
      tokens.push(token)
    }
    assert.equal(new Set(tokens).size, 6)
    clock.advance(2 * minute)
    assert.equal(await works(tokens[2] ?? ''), false)
    assert.equal(await works(token), false)
  })

  test('a renewal whose answer was lost can be asked again within the 60 s, and both new tokens work', async () => {
    const lost = ok(await server.call(renewSession, {}, ada.token))
    clock.advance(30 * second)
    const kept = ok(await server.call(renewSession, {}, ada.token))
    clock.advance(10 * minute)
    assert.deepEqual([await works(lost.token), await works(kept.token)], [true, true])
  })

  test('a token within its 60 s cannot be renewed without end', async () => {
    const statuses: number[] = []
    for (let call = 0; call < 12; call += 1) statuses.push((await server.call(renewSession, {}, ada.token)).status)
    assert.deepEqual(
      statuses.slice(0, 8),
      Array.from({ length: 8 }, () => 200),
    )
    assert.deepEqual(statuses.slice(8), [409, 409, 409, 409])
  })

  test('of many renewals at once each answers a token that works', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => server.call(renewSession, {}, ada.token)))
    const tokens = answers.map(answer => ok(answer).token)
    assert.equal(new Set(tokens).size, 6)
    for (const token of tokens) assert.equal(await works(token), true)
  })

  test('use keeps a session alive, 30 days without use end it', async () => {
    for (let month = 0; month < 4; month += 1) {
      clock.advance(29 * day)
      assert.equal(await works(ada.token), true)
    }
    clock.advance(30 * day)
    assert.equal(await works(ada.token), false)
  })

  test('180 days end a session however much it is used', async () => {
    let { token } = ada
    for (let days = 0; days < 179; days += 1) {
      clock.advance(day)
      token = ok(await server.call(renewSession, {}, token)).token
    }
    assert.equal(await works(token), true)
    clock.advance(day)
    assert.equal(await works(token), false)
    assert.equal((await server.call(renewSession, {}, token)).status, 401)
  })

  test('the list shows the sessions of the account alone, newest use first', async () => {
    const ben = await signUp(server, 'Ben')
    clock.advance(hour)
    const app = await connectApp(server, ada.token)
    await connectApp(server, ben.token)
    clock.advance(hour)
    const { sessions } = ok(await server.call(listSessions, {}, ada.token))
    assert.deepEqual(
      sessions.map(({ id, kind, app: of, current }) => ({ id, kind, of, current })),
      [
        { id: ada.session.id, kind: 'account', of: null, current: true },
        { id: app.id, kind: 'app', of: 'web:http://app.localhost:8000', current: false },
      ],
    )
    assert.deepEqual([sessions[0]?.device, sessions[0]?.lastUsed], ['Test', clock.now()])
  })

  test('a revoked session ends at once; that of another account cannot be revoked', async () => {
    const ben = await signUp(server, 'Ben')
    const app = await connectApp(server, ada.token)
    assert.equal(await works(app.token), true)
    const foreign = await server.call(revokeSession, { id: app.id }, ben.token)
    assert.deepEqual([foreign.status, foreign.error], [404, 'not-found'])
    assert.equal(await works(app.token), true)
    ok(await server.call(revokeSession, { id: app.id }, ada.token))
    assert.equal(await works(app.token), false)
    assert.equal((await server.call(revokeSession, { id: app.id }, ada.token)).error, 'not-found')
  })

  test('an ended session is gone, its tokens with it', async () => {
    const { token } = ok(await server.call(renewSession, {}, ada.token))
    ok(await server.call(endSession, {}, token))
    assert.deepEqual([await works(token), await works(ada.token)], [false, false])
  })

  test('sessions outlive a restart', async () => {
    const { token } = ok(await server.call(renewSession, {}, ada.token))
    await server.restart()
    assert.equal(await works(token), true)
    clock.advance(60 * second)
    assert.equal(await works(ada.token), false)
    assert.equal(await works(token), false)
  })
})
