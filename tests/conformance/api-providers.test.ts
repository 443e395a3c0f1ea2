import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { beginEmail, beginOidc, beginPasskey, finishEmail, finishOidc, finishPasskey, listPasskeys, removePasskey } from '@deputy/contract/api-accounts'
import { Authenticator } from '../support/authenticator.ts'
import { type OidcPerson, type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'
import { ok } from '../support/test-accounts.ts'

const device = 'Test'

describe('outside providers', () => {
  let provider: OidcProvider
  let server: TestServer
  before(async () => {
    provider = await startOidcProvider()
    const { issuer, clientId, clientSecret } = provider
    const gone = { id: 'gone', title: 'Gone', issuer: 'http://127.0.0.1:9', clientId, clientSecret }
    server = await startTestServer({
      accounts: { providers: [{ id: 'here', title: 'Here', issuer, clientId, clientSecret }, gone] },
      limits: { signIn: 10_000 },
    })
  })
  after(async () => {
    await server.close()
    await provider[Symbol.asyncDispose]()
  })

  const signIn = async (person: OidcPerson, flaws?: Parameters<OidcProvider['signIn']>[2]) => {
    const { ceremony, url } = ok(await server.call(beginOidc, { provider: 'here' }))
    return server.call(finishOidc, { ceremony, url: provider.signIn(url, person, flaws), device })
  }

  test('the window is sent to the provider with a challenge, a state and a nonce, and back to the broker', async () => {
    const { url } = ok(await server.call(beginOidc, { provider: 'here' }))
    const { origin, searchParams } = new URL(url)
    assert.equal(origin, provider.issuer)
    assert.equal(searchParams.get('redirect_uri'), `${server.origins.broker}/sign-in`)
    assert.equal(searchParams.get('code_challenge_method'), 'S256')
    for (const name of ['code_challenge', 'state', 'nonce']) assert.ok((searchParams.get(name) ?? '').length >= 43, name)
    assert.ok(!url.includes(provider.clientSecret))
  })

  test('a person is signed in, the next time to the same account', async () => {
    const person = { sub: 'ada', name: 'Ada', email: 'ada@provider.example', email_verified: true }
    const first = ok(await signIn(person))
    assert.deepEqual([first.session.account.name, first.session.account.email], ['Ada', 'ada@provider.example'])
    assert.equal(first.recovery, false)
    const second = ok(await signIn({ ...person, name: 'Other', email: 'moved@provider.example' }))
    assert.equal(second.session.account.id, first.session.account.id)
  })

  test('an address counts only when the provider has verified it', async () => {
    const { ceremony } = ok(await server.call(beginEmail, { email: 'ben@example.com' }))
    const code = /code is (\d{4} \d{4})/.exec(server.letters.at(-1) ?? '')?.[1] ?? ''
    const ben = ok(await server.call(finishEmail, { ceremony, code, device })).session
    const unverified = ok(await signIn({ sub: 'thief', name: 'Thief', email: 'ben@example.com', email_verified: false })).session
    assert.notEqual(unverified.account.id, ben.account.id)
    assert.equal(unverified.account.email, null)
    const verified = ok(await signIn({ sub: 'ben', email: 'BEN@example.com', email_verified: true })).session
    assert.equal(verified.account.id, ben.account.id)
  })

  test('a person without a name is still somebody', async () => {
    assert.equal(ok(await signIn({ sub: 'nameless' })).session.account.name, 'Somebody')
  })

  test('another nonce, audience or key, a changed state and a used ceremony are denied', async () => {
    for (const flaws of [{ nonce: 'other' }, { audience: 'other' }, { forged: true }]) {
      const answer = await signIn({ sub: 'eve' }, flaws)
      assert.deepEqual([answer.status, answer.error], [403, 'denied'])
    }
    const { ceremony, url } = ok(await server.call(beginOidc, { provider: 'here' }))
    const back = new URL(provider.signIn(url, { sub: 'eve' }))
    back.searchParams.set('state', 'other')
    assert.equal((await server.call(finishOidc, { ceremony, url: back.href, device })).error, 'denied')
    back.searchParams.set('state', new URL(url).searchParams.get('state') ?? '')
    assert.equal((await server.call(finishOidc, { ceremony, url: back.href, device })).error, 'denied')
  })

  test('a code of one ceremony does not finish another', async () => {
    const [one, two] = [ok(await server.call(beginOidc, { provider: 'here' })), ok(await server.call(beginOidc, { provider: 'here' }))]
    assert.equal((await server.call(finishOidc, { ceremony: one.ceremony, url: provider.signIn(two.url, { sub: 'eve' }), device })).error, 'denied')
  })

  test('the provider’s own refusal is denied, a url that is none invalid', async () => {
    const one = ok(await server.call(beginOidc, { provider: 'here' }))
    const state = new URL(one.url).searchParams.get('state') ?? ''
    assert.equal(
      (await server.call(finishOidc, { ceremony: one.ceremony, url: `${server.origins.broker}/sign-in?error=access_denied&state=${state}`, device })).error,
      'denied',
    )
    const two = ok(await server.call(beginOidc, { provider: 'here' }))
    assert.equal((await server.call(finishOidc, { ceremony: two.ceremony, url: 'no url', device })).error, 'invalid')
  })

  test('a provider that is not there is unavailable, one nobody configured not found', async () => {
    assert.equal((await server.call(beginOidc, { provider: 'gone' })).error, 'unavailable')
    assert.equal((await server.call(beginOidc, { provider: 'other' })).error, 'not-found')
  })

  test('a tied provider is a way in', async () => {
    const { token } = ok(await signIn({ sub: 'keyless', name: 'Keyless' })).session
    const { ceremony, options } = ok(await server.call(beginPasskey, {}, token))
    ok(await server.call(finishPasskey, { ceremony, response: new Authenticator(server.origins.broker).create(options), name: 'Key' }, token))
    const [passkey] = ok(await server.call(listPasskeys, {}, token)).passkeys
    ok(await server.call(removePasskey, { id: passkey?.id ?? '' }, token))
  })
})
