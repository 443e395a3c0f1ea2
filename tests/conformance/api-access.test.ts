import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { apiError, pathOf, type Route } from '@deputy/contract/api'
import * as accounts from '@deputy/contract/api-accounts'
import * as apps from '@deputy/contract/api-apps'
import * as files from '@deputy/contract/api-files'
import * as keys from '@deputy/contract/api-keys'
import * as objects from '@deputy/contract/api-objects'
import * as rooms from '@deputy/contract/api-rooms'
import * as sessions from '@deputy/contract/api-sessions'
import { fits } from '@deputy/contract/validate'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'
import { connectApp, signUp } from '../support/test-accounts.ts'

const routes: readonly Route[] = [accounts, apps, files, keys, objects, rooms, sessions].flatMap(module =>
  (Object.values(module) as Route[]).filter(value => typeof value === 'object' && 'access' in value),
)

describe('who may call what', () => {
  let server: TestServer
  let account: string
  let app: string
  before(async () => {
    server = await startTestServer({ limits: { signIn: 10_000 } })
    account = (await signUp(server)).token
    app = (await connectApp(server, account)).token
  })
  after(() => server.close())

  const post = (route: Route, body: string, headers: Readonly<Record<string, string>> = {}) =>
    server.fetch(`${server.origins.api}${pathOf(route)}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', origin: server.origins.broker, ...headers },
    })
  const errorOf = (text: string): string => {
    const body: unknown = JSON.parse(text)
    assert.ok(fits(apiError, body), `an error has its shape: ${text}`)
    return (body as { error: string }).error
  }

  test('there are routes to check', () => assert.ok(routes.length >= 30))

  for (const route of routes) {
    const name = pathOf(route)

    test(`${name}: a call without a session, with a made-up or a malformed one, is unauthorized unless anyone may call`, async () => {
      for (const authorization of [undefined, `Bearer ${'A'.repeat(43)}`, 'Bearer short', `Basic ${account}`, `Bearer ${account}x`]) {
        const answer = await post(route, '{}', authorization === undefined ? {} : { authorization })
        if (route.access === 'anyone') assert.notEqual(answer.status, 401)
        else assert.deepEqual([answer.status, errorOf(answer.text)], [401, 'unauthorized'])
      }
    })

    if (route.access === 'account' || route.access === 'app')
      test(`${name}: a session of the other kind is denied`, async () => {
        const answer = await post(route, '{}', { authorization: `Bearer ${route.access === 'account' ? app : account}` })
        assert.deepEqual([answer.status, errorOf(answer.text)], [403, 'denied'])
      })

    test(`${name}: a body of another shape is invalid and says where`, async () => {
      const authorization = `Bearer ${route.access === 'app' ? app : account}`
      for (const [body, place] of [
        ['[]', 'body'],
        ['null', 'body'],
        ['"text"', 'body'],
      ] as const) {
        const answer = await post(route, body, { authorization })
        assert.deepEqual([answer.status, errorOf(answer.text)], [400, 'invalid'])
        assert.match(answer.text, new RegExp(place))
      }
    })

    test(`${name}: a page of another origin may not call, and its preflight is refused`, async () => {
      for (const origin of ['https://evil.example', 'null', `${server.origins.broker}.evil.example`, server.origins.api]) {
        const answer = await post(route, '{}', { origin, authorization: `Bearer ${account}` })
        assert.deepEqual([answer.status, errorOf(answer.text), answer.headers['access-control-allow-origin']], [403, 'denied', undefined])
        const preflight = await server.fetch(`${server.origins.api}${name}`, {
          method: 'OPTIONS',
          headers: { origin, 'access-control-request-method': 'POST' },
        })
        assert.deepEqual([preflight.status, preflight.headers['access-control-allow-origin']], [403, undefined])
      }
    })
  }

  test('the broker may ask in advance, and the browser keeps the answer', async () => {
    const preflight = await server.fetch(`${server.origins.api}${pathOf(sessions.listSessions)}`, {
      method: 'OPTIONS',
      headers: { origin: server.origins.broker, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' },
    })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers['access-control-allow-origin'], server.origins.broker)
    assert.equal(preflight.headers['access-control-allow-credentials'], undefined)
    assert.match(String(preflight.headers['access-control-allow-headers']), /authorization/)
    assert.ok(Number(preflight.headers['access-control-max-age']) >= 600)
  })

  test('every answer may be read by the broker, is stored nowhere and sets no cookie', async () => {
    for (const token of [undefined, account]) {
      const answer = await post(sessions.listSessions, '{}', token === undefined ? {} : { authorization: `Bearer ${token}` })
      assert.equal(answer.headers['access-control-allow-origin'], server.origins.broker)
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  })

  test('a body that is no JSON, of another type, too large or broken off is refused', async () => {
    const authorization = `Bearer ${account}`
    assert.equal((await post(sessions.listSessions, '{', { authorization })).status, 400)
    assert.equal((await post(sessions.listSessions, '{}', { authorization, 'content-type': 'text/plain' })).status, 400)
    const large = await post(sessions.listSessions, JSON.stringify({ x: 'x'.repeat(300_000) }), { authorization })
    assert.deepEqual([large.status, errorOf(large.text)], [413, 'too-large'])
    const chunked = await post(sessions.listSessions, JSON.stringify({ x: 'x'.repeat(300_000) }), { authorization, 'transfer-encoding': 'chunked' })
    assert.deepEqual([chunked.status, errorOf(chunked.text)], [413, 'too-large'])
    const again = await post(sessions.listSessions, '{}', { authorization })
    assert.equal(again.status, 200)
  })

  test('members the shape does not know are dropped', async () => {
    const answer = await post(sessions.listSessions, '{"__proto__":{"x":1},"constructor":1,"extra":true}', { authorization: `Bearer ${account}` })
    assert.equal(answer.status, 200)
  })

  test('an unknown route and another method are not found', async () => {
    const headers = { origin: server.origins.broker }
    for (const [method, path] of [
      ['POST', '/v1/accounts/nothing'],
      ['GET', pathOf(sessions.listSessions)],
      ['POST', '/'],
      ['POST', '/v1/../v1/accounts/__proto__'],
    ] as const) {
      const answer = await server.fetch(`${server.origins.api}${path}`, { method, headers })
      assert.deepEqual([answer.status, errorOf(answer.text)], [404, 'not-found'])
    }
  })
})

describe('rate limits', () => {
  test('calls over the limit of an address are told how long to wait, other routes go on', async () => {
    const server = await startTestServer({ limits: { signIn: 3 } })
    try {
      const statuses: number[] = []
      for (let call = 0; call < 5; call += 1) statuses.push((await server.call(accounts.beginSignIn, {})).status)
      assert.deepEqual(statuses, [200, 200, 200, 429, 429])
      const refused = await server.fetch(`${server.origins.api}${pathOf(accounts.beginSignIn)}`, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', origin: server.origins.broker },
      })
      assert.equal(errorOf429(refused.text), 'rate-limited')
      const wait = Number(refused.headers['retry-after'])
      assert.ok(wait >= 1 && wait <= 60)
      assert.equal(refused.headers['access-control-allow-origin'], server.origins.broker)
      assert.equal((await server.call(sessions.listSessions, {})).status, 401)
    } finally {
      await server.close()
    }
  })

  test('the limits of one account are not those of another', async () => {
    const server = await startTestServer({ limits: { read: 3 } })
    try {
      const [ada, ben] = [await signUp(server, 'Ada'), await signUp(server, 'Ben')]
      for (let call = 0; call < 3; call += 1) assert.equal((await server.call(sessions.listSessions, {}, ada.token)).status, 200)
      assert.equal((await server.call(sessions.listSessions, {}, ada.token)).status, 429)
      assert.equal((await server.call(sessions.listSessions, {}, ben.token)).status, 200)
    } finally {
      await server.close()
    }
  })

  test('an address is limited whatever it calls, and told apart by the trusted proxy', async () => {
    const server = await startTestServer({ limits: { address: 3 }, server: { proxies: 1 } })
    try {
      const from = (address: string) =>
        server.fetch(`${server.origins.api}${pathOf(sessions.listSessions)}`, {
          method: 'POST',
          body: '{}',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': `9.9.9.9, ${address}` },
        })
      for (let call = 0; call < 3; call += 1) assert.equal((await from('203.0.113.1')).status, 401)
      assert.equal((await from('203.0.113.1')).status, 429)
      assert.equal((await from('203.0.113.2')).status, 401)
      for (let call = 0; call < 3; call += 1) assert.equal((await from(`2001:db8:0:1::${call}`)).status, 401)
      assert.equal((await from('2001:db8:0:1:ffff::')).status, 429)
      assert.equal((await from('2001:db8:0:2::1')).status, 401)
    } finally {
      await server.close()
    }
  })
})

const errorOf429 = (text: string): unknown => (JSON.parse(text) as { error: unknown }).error
