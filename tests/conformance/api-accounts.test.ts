import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as api from '@deputy/contract/api-accounts'
import { authorizeApp, listApps, redeemApp } from '@deputy/contract/api-apps'
import { listSessions } from '@deputy/contract/api-sessions'
import { mintRecoveryCode, recoveryProof } from '@deputy/seal'
import { Authenticator, type Flaws } from '../support/authenticator.ts'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'
import { connectApp, giveRecoveryCode, ok, signUp, verifierPair } from '../support/test-accounts.ts'
import { minute, testClock, type TestClock } from '../support/test-clock.ts'

const device = 'Test'
let clock: TestClock
let server: TestServer
const start = () => startTestServer({ limits: { signIn: 10_000 } }, { clock })
before(async () => {
  clock = testClock()
  server = await start()
})
after(() => server.close())

/** A server of its own for tests that need it fresh, or configured in another way later. */
async function onFreshServer(body: () => Promise<void>): Promise<void> {
  const shared = server
  server = await start()
  try {
    await body()
  } finally {
    await server.close()
    server = shared
  }
}
let addresses = 0
const freshAddress = (): string => `person-${(addresses += 1)}@example.com`

describe('passkeys', () => {
  const signIn = async (authenticator: Authenticator, flaws: Flaws = {}) => {
    const { ceremony, options } = ok(await server.call(api.beginSignIn, {}))
    return server.call(api.finishSignIn, { ceremony, response: authenticator.get(options, flaws), device })
  }

  test('a passkey makes an account without a recovery code, and signs in to it; whether a code is set is told', async () => {
    const authenticator = new Authenticator(server.origins.broker)
    const begun = ok(await server.call(api.beginSignUp, { name: 'Ada' }))
    const made = ok(await server.call(api.finishSignUp, { ceremony: begun.ceremony, response: authenticator.create(begun.options), device }))
    assert.equal(made.recovery, false)
    assert.equal(ok(await signIn(authenticator)).recovery, false)
    await giveRecoveryCode(server, made.session.token)
    const { session, recovery } = ok(await signIn(authenticator))
    assert.deepEqual([session.account.id, session.kind, recovery], [made.session.account.id, 'account', true])
    const ada = made
    assert.notEqual(session.id, ada.session.id)
  })

  test('the options ask for a discoverable, verified credential of the broker’s host, and for prf', async () => {
    const { options } = ok(await server.call(api.beginSignUp, { name: 'Ada' }))
    const { rp, authenticatorSelection, extensions, user } = options as Record<'rp' | 'authenticatorSelection' | 'extensions' | 'user', Record<string, unknown>>
    assert.equal(rp['id'], 'broker.localhost')
    assert.equal(authenticatorSelection['residentKey'], 'required')
    assert.equal(authenticatorSelection['userVerification'], 'required')
    assert.ok('prf' in extensions)
    assert.equal(user['name'], 'Ada')
  })

  test('only the first account of a fresh local server is its admin and premium', () =>
    onFreshServer(async () => {
      const [ada, ben] = [await signUp(server, 'Ada'), await signUp(server, 'Ben')]
      assert.deepEqual([ada.session.account.admin, ada.session.account.premium], [true, true])
      assert.deepEqual([ben.session.account.admin, ben.session.account.premium], [false, false])
    }))

  for (const [what, flaws] of Object.entries({
    'of another origin': { origin: 'https://evil.example' },
    'for another party': { party: 'evil.example' },
    'without verifying the person': { unverified: true },
  } satisfies Record<string, Flaws>))
    test(`a response ${what} neither makes an account nor signs in`, async () => {
      const authenticator = new Authenticator(server.origins.broker)
      const begun = ok(await server.call(api.beginSignUp, { name: 'Eve' }))
      const made = await server.call(api.finishSignUp, { ceremony: begun.ceremony, response: authenticator.create(begun.options, flaws), device })
      assert.deepEqual([made.status, made.error], [403, 'denied'])
      const ada = await signUp(server)
      const answer = await signIn(ada.authenticator, flaws)
      assert.deepEqual([answer.status, answer.error], [403, 'denied'])
    })

  test('a forged signature, another account’s handle and an unknown passkey are denied alike', async () => {
    const [ada, ben] = [await signUp(server, 'Ada'), await signUp(server, 'Ben')]
    const stranger = new Authenticator(server.origins.broker)
    stranger.create({ challenge: 'AAAA', rp: { id: 'broker.localhost' }, user: { id: 'AAAA' } })
    const answers = [
      await signIn(ada.authenticator, { forged: true }),
      await signIn(ada.authenticator, { userHandle: ben.session.account.id }),
      await signIn(stranger),
    ]
    for (const answer of answers) assert.deepEqual([answer.status, answer.error, answer.message], [403, 'denied', 'no account has this passkey'])
  })

  test('a counter that goes back is a copy and denied', async () => {
    const ada = await signUp(server)
    ok(await signIn(ada.authenticator, { counter: 10 }))
    assert.equal((await signIn(ada.authenticator, { counter: 10 })).error, 'denied')
    ok(await signIn(ada.authenticator, { counter: 11 }))
  })

  test('a ceremony is used up by its end, whatever comes of it, and lasts 5 minutes', async () => {
    const ada = await signUp(server)
    const first = ok(await server.call(api.beginSignIn, {}))
    const response = ada.authenticator.get(first.options)
    ok(await server.call(api.finishSignIn, { ceremony: first.ceremony, response, device }))
    assert.equal((await server.call(api.finishSignIn, { ceremony: first.ceremony, response, device })).error, 'denied')
    const failed = ok(await server.call(api.beginSignIn, {}))
    assert.equal((await server.call(api.finishSignIn, { ceremony: failed.ceremony, response: {}, device })).error, 'denied')
    assert.equal((await server.call(api.finishSignIn, { ceremony: failed.ceremony, response: ada.authenticator.get(failed.options), device })).error, 'denied')
    const late = ok(await server.call(api.beginSignIn, {}))
    clock.advance(5 * minute)
    assert.equal((await server.call(api.finishSignIn, { ceremony: late.ceremony, response: ada.authenticator.get(late.options), device })).error, 'denied')
  })

  test('a response to one challenge does not answer another', async () => {
    const ada = await signUp(server)
    const [one, two] = [ok(await server.call(api.beginSignIn, {})), ok(await server.call(api.beginSignIn, {}))]
    assert.equal((await server.call(api.finishSignIn, { ceremony: one.ceremony, response: ada.authenticator.get(two.options), device })).error, 'denied')
  })

  test('hostile responses are denied, never a failure of the server', async () => {
    const hostile: unknown[] = [
      null,
      [],
      'x',
      1,
      { id: 'x' },
      { id: 'x', rawId: 'x', type: 'public-key', response: null },
      { id: { toString: 1 } },
      { id: 'x', rawId: 'x', type: 'public-key', response: { clientDataJSON: 'e30', attestationObject: 'oA', authenticatorData: 'AA', signature: 'AA' } },
    ]
    for (const response of hostile) {
      const up = ok(await server.call(api.beginSignUp, { name: 'Eve' }))
      assert.equal((await server.call(api.finishSignUp, { ceremony: up.ceremony, response, device })).error, 'denied')
      const sign = ok(await server.call(api.beginSignIn, {}))
      assert.equal((await server.call(api.finishSignIn, { ceremony: sign.ceremony, response, device })).error, 'denied')
    }
    // That one was slow is no failure.
    assert.deepEqual(
      server.log.filter(line => !line.includes('"event":"slow"')),
      [],
    )
  })

  test('more passkeys can be added and removed, but not the last way in', async () => {
    const ada = await signUp(server)
    const [own] = ok(await server.call(api.listPasskeys, {}, ada.token)).passkeys
    assert.equal((await server.call(api.removePasskey, { id: own?.id ?? '' }, ada.token)).error, 'conflict')
    const second = new Authenticator(server.origins.broker)
    const begun = ok(await server.call(api.beginPasskey, {}, ada.token))
    assert.deepEqual(
      (begun.options as { excludeCredentials: { id: string }[] }).excludeCredentials.map(({ id }) => id),
      [own?.id],
    )
    ok(await server.call(api.finishPasskey, { ceremony: begun.ceremony, response: second.create(begun.options), name: 'Key' }, ada.token))
    assert.equal(ok(await signIn(second)).session.account.id, ada.session.account.id)
    const listed = ok(await server.call(api.listPasskeys, {}, ada.token)).passkeys
    assert.deepEqual(
      listed.map(({ name, lastUsed }) => ({ name, lastUsed })),
      [
        { name: device, lastUsed: null },
        { name: 'Key', lastUsed: clock.now() },
      ],
    )
    ok(await server.call(api.removePasskey, { id: own?.id ?? '' }, ada.token))
    assert.equal((await signIn(ada.authenticator)).error, 'denied')
    assert.equal((await server.call(api.removePasskey, { id: listed[1]?.id ?? '' }, ada.token)).error, 'conflict')
    assert.equal((await server.call(api.removePasskey, { id: own?.id ?? '' }, ada.token)).error, 'not-found')
  })

  test('nobody adds a passkey by another’s ceremony, or removes another’s passkey', async () => {
    const [ada, ben] = [await signUp(server, 'Ada'), await signUp(server, 'Ben')]
    const begun = ok(await server.call(api.beginPasskey, {}, ada.token))
    const response = new Authenticator(server.origins.broker).create(begun.options)
    assert.equal((await server.call(api.finishPasskey, { ceremony: begun.ceremony, response, name: 'x' }, ben.token)).error, 'denied')
    const [own] = ok(await server.call(api.listPasskeys, {}, ada.token)).passkeys
    assert.equal((await server.call(api.removePasskey, { id: own?.id ?? '' }, ben.token)).error, 'not-found')
  })

  test('a passkey of one account cannot be made another’s', async () => {
    const ada = await signUp(server)
    const begun = ok(await server.call(api.beginPasskey, {}, ada.token))
    const response = new Authenticator(server.origins.broker).create(begun.options)
    ok(await server.call(api.finishPasskey, { ceremony: begun.ceremony, response, name: 'x' }, ada.token))
    const again = ok(await server.call(api.beginPasskey, {}, ada.token))
    assert.equal((await server.call(api.finishPasskey, { ceremony: again.ceremony, response, name: 'x' }, ada.token)).error, 'denied')
  })

  test('a name of control characters only is invalid; others are cleaned', async () => {
    assert.equal((await server.call(api.beginSignUp, { name: '\u202e\u0000' })).error, 'invalid')
    assert.equal((await signUp(server, '\u202e Ada \u0007 Lovelace ')).session.account.name, 'Ada Lovelace')
  })

  test('a closed server takes no new accounts, those it has sign in', () =>
    onFreshServer(async () => {
      const ada = await signUp(server)
      await server.restart({ accounts: { signUp: false } })
      // The port is another one after the restart, and with it the origin.
      const authenticator = ada.authenticator.at(server.origins.broker)
      assert.equal((await server.call(api.beginSignUp, { name: 'Ben' })).error, 'denied')
      ok(await signIn(authenticator))
    }))
})

describe('e-mail codes', () => {
  const begin = async (email: string) => {
    const { ceremony } = ok(await server.call(api.beginEmail, { email }))
    const letter = server.letters.at(-1) ?? ''
    return { ceremony, code: /code is (\d{4} \d{4})/.exec(letter)?.[1] ?? '', letter }
  }
  const finish = (ceremony: string, code: string, name?: string) =>
    server.call(api.finishEmail, { ceremony, code, device, ...(name === undefined ? {} : { name }) })
  const wrongOf = (code: string): string => String((Number(code.replace(' ', '')) + 1) % 10 ** 8).padStart(8, '0')

  test('a code makes an account, and later signs in to the same, whatever the case of the address', async () => {
    const first = await begin('Ada@Example.com')
    assert.match(first.letter, /mail to ada@example\.com/)
    const made = ok(await finish(first.ceremony, first.code, 'Ada'))
    assert.deepEqual([made.session.account.name, made.session.account.email], ['Ada', 'ada@example.com'])
    assert.equal(made.recovery, false)
    const second = await begin('ADA@example.COM')
    const again = ok(await finish(second.ceremony, second.code.replace(' ', '')))
    assert.equal(again.session.account.id, made.session.account.id)
  })

  test('without a name the account is called by its address', async () => {
    const { ceremony, code } = await begin('grace.hopper@example.com')
    assert.equal(ok(await finish(ceremony, code)).session.account.name, 'grace.hopper')
  })

  test('five wrong tries use a code up, the right one works once', async () => {
    const first = await begin(freshAddress())
    for (let attempt = 0; attempt < 5; attempt += 1) assert.equal((await finish(first.ceremony, wrongOf(first.code))).message, 'the code is wrong')
    assert.equal((await finish(first.ceremony, first.code)).message, 'the code is used up or out of time')
    const second = await begin(freshAddress())
    for (let attempt = 0; attempt < 4; attempt += 1) assert.equal((await finish(second.ceremony, wrongOf(second.code))).status, 403)
    ok(await finish(second.ceremony, second.code))
    assert.equal((await finish(second.ceremony, second.code)).error, 'denied')
  })

  test('of right codes tried at once only one signs in, and wrong ones cannot outrun the count', async () => {
    const first = await begin(freshAddress())
    const right = await Promise.all(Array.from({ length: 5 }, () => finish(first.ceremony, first.code)))
    assert.equal(right.filter(({ status }) => status === 200).length, 1)
    const second = await begin(freshAddress())
    const wrong = await Promise.all(Array.from({ length: 20 }, () => finish(second.ceremony, wrongOf(second.code))))
    assert.equal(wrong.filter(({ message }) => message === 'the code is wrong').length, 5)
  })

  test('a code lasts 10 minutes and belongs to its ceremony', async () => {
    const [one, two] = [await begin(freshAddress()), await begin(freshAddress())]
    assert.equal((await finish(one.ceremony, two.code)).error, 'denied')
    clock.advance(10 * minute)
    assert.equal((await finish(two.ceremony, two.code)).error, 'denied')
  })

  test('the answer does not tell known from unknown addresses, nor those over their share', () =>
    onFreshServer(async () => {
      const made = await begin('ada@example.com')
      ok(await finish(made.ceremony, made.code))
      await server.restart({ accounts: { signUp: false, emailsPerHour: 3 } })
      const shape = async (email: string): Promise<unknown> => {
        const { status, answer } = await server.call(api.beginEmail, { email })
        return [status, Object.keys(answer ?? {}), answer?.ceremony.length]
      }
      const before = server.letters.length
      const known = await shape('ada@example.com')
      assert.deepEqual(await shape('nobody@example.com'), known)
      assert.equal(server.letters.length, before + 1)
      for (let mail = 0; mail < 5; mail += 1) assert.deepEqual(await shape('ada@example.com'), known)
      assert.equal(server.letters.length, before + 2)
      clock.advance(61 * minute)
      await shape('ada@example.com')
      assert.equal(server.letters.length, before + 3)
    }))

  test('an address is enough to remove the only passkey', async () => {
    const { ceremony, code } = await begin(freshAddress())
    const { token } = ok(await finish(ceremony, code)).session
    const begun = ok(await server.call(api.beginPasskey, {}, token))
    const authenticator = new Authenticator(server.origins.broker)
    ok(await server.call(api.finishPasskey, { ceremony: begun.ceremony, response: authenticator.create(begun.options), name: 'Key' }, token))
    const [passkey] = ok(await server.call(api.listPasskeys, {}, token)).passkeys
    ok(await server.call(api.removePasskey, { id: passkey?.id ?? '' }, token))
  })
})

const recoverWith = async (code: string) => server.call(api.recover, { proof: await recoveryProof(code), device })

describe('recovery', () => {
  test('what proves the code signs in once; then none is set until the window sets the next', async () => {
    const ada = await signUp(server)
    const first = ok(await recoverWith(ada.recoveryCode))
    assert.deepEqual([first.session.account.id, first.recovery], [ada.session.account.id, false])
    assert.equal((await recoverWith(ada.recoveryCode)).error, 'denied')
    const next = await giveRecoveryCode(server, first.session.token)
    assert.equal(ok(await recoverWith(next)).session.account.id, ada.session.account.id)
  })

  test('a made-up code is denied, the code itself is no proof, and what is none is invalid', async () => {
    const ada = await signUp(server)
    assert.equal((await recoverWith(mintRecoveryCode())).error, 'denied')
    for (const wrong of ['', ada.recoveryCode, 'x'.repeat(42), `${'x'.repeat(42)}=`])
      assert.equal((await server.call(api.recover, { proof: wrong, device })).error, 'invalid')
  })

  test('a code that is set replaces the old one', async () => {
    const ada = await signUp(server)
    const code = await giveRecoveryCode(server, ada.token)
    assert.equal((await recoverWith(ada.recoveryCode)).error, 'denied')
    ok(await recoverWith(code))
  })
})

describe('the account', () => {
  const image = `data:image/png;base64,${Buffer.from('picture').toString('base64')}`

  test('name and picture change alone or together, and go back', async () => {
    const ada = await signUp(server)
    assert.equal(ok(await server.call(api.updateProfile, { image }, ada.token)).image, image)
    assert.equal(ok(await server.call(api.updateProfile, { name: 'Countess' }, ada.token)).image, image)
    const profile = ok(await server.call(api.updateProfile, { image: null }, ada.token))
    assert.deepEqual([profile.name, profile.image], ['Countess', null])
    assert.deepEqual(ok(await server.call(api.readProfile, {}, ada.token)), profile)
  })

  test('a picture that is none, or a script in disguise, is invalid', async () => {
    const ada = await signUp(server)
    for (const wrong of [
      'https://evil.example/x.png',
      'data:image/svg+xml;base64,AAAA',
      'data:text/html;base64,AAAA',
      `data:image/png;base64,${'A'.repeat(200_000)}`,
    ])
      assert.equal((await server.call(api.updateProfile, { image: wrong }, ada.token)).error, 'invalid')
  })

  test('premium for everyone is a matter of configuration', () =>
    onFreshServer(async () => {
      await signUp(server, 'Ada')
      const ben = await signUp(server, 'Ben')
      assert.equal(ben.session.account.premium, false)
      await server.restart({ accounts: { premium: 'everyone' } })
      assert.equal(ok(await server.call(api.readProfile, {}, ben.token)).premium, true)
    }))

  test('the export holds all of the account and nothing of another', async () => {
    const [ada, ben] = [await signUp(server, 'Ada'), await signUp(server, 'Ben')]
    await connectApp(server, ada.token, 'web:https://ada.example')
    await connectApp(server, ben.token, 'web:https://ben.example')
    const exported = ok(await server.call(api.exportAccount, {}, ada.token)) as Record<'profile' | 'passkeys' | 'sessions' | 'apps', unknown>
    assert.equal((exported.profile as { name: string }).name, 'Ada')
    assert.equal((exported.passkeys as unknown[]).length, 1)
    assert.equal((exported.sessions as unknown[]).length, 2)
    assert.deepEqual(
      (exported.apps as { app: string }[]).map(({ app }) => app),
      ['web:https://ada.example'],
    )
    const text = JSON.stringify(exported)
    assert.ok(!text.includes('Ben') && !text.includes('ben.example'))
  })

  test('deleting needs the name, and leaves nothing that works', async () => {
    const ada = await signUp(server, 'Ada')
    const app = await connectApp(server, ada.token)
    const { verifier, challenge } = verifierPair()
    const { code } = ok(await server.call(authorizeApp, { app: 'web:https://app.example', challenge }, ada.token))
    assert.equal((await server.call(api.deleteAccount, { name: 'ada' }, ada.token)).error, 'invalid')
    ok(await server.call(api.deleteAccount, { name: 'Ada' }, ada.token))
    for (const token of [ada.token, app.token]) assert.equal((await server.call(api.readProfile, {}, token)).status, 401)
    assert.equal((await server.call(listSessions, {}, ada.token)).status, 401)
    assert.equal((await server.call(redeemApp, { code, verifier, app: 'web:https://app.example', device })).error, 'denied')
    assert.equal((await recoverWith(ada.recoveryCode)).error, 'denied')
    const { ceremony, options } = ok(await server.call(api.beginSignIn, {}))
    assert.equal((await server.call(api.finishSignIn, { ceremony, response: ada.authenticator.get(options), device })).error, 'denied')
    const ben = await signUp(server, 'Ben')
    assert.deepEqual(ok(await server.call(listApps, {}, ben.token)).apps, [])
  })
})
