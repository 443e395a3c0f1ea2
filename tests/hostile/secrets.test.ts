import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import * as accounts from '@deputy/contract/api-accounts'
import { authorizeApp, redeemApp } from '@deputy/contract/api-apps'
import { renewSession } from '@deputy/contract/api-sessions'
import { recoveryProof } from '@deputy/seal'
import { pathOf } from '@deputy/contract/api'
import { startTestServer } from '../support/start-test-server.ts'
import { giveRecoveryCode, ok, signUp, verifierPair } from '../support/test-accounts.ts'

/** The bytes of every file below a folder. */
async function filesBelow(folder: string): Promise<{ path: string; bytes: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  return Promise.all(files.map(async path => ({ path, bytes: await readFile(path) })))
}

test('no token, code, recovery code or proof of one is ever written: not to the database, its journal, the log, an error or the metrics', async () => {
  const seen: string[] = []
  const server = await startTestServer({ operations: { sample: 1, slow: '0s', log: 'info' }, limits: { signIn: 10_000 } })
  const secrets = new Map<string, string>()
  const keep = (name: string, secret: string | null): string => {
    assert.ok(secret !== null && secret.length >= 8, `${name} is a secret`)
    secrets.set(name, secret)
    return secret
  }
  try {
    const ada = await signUp(server)
    keep('account token', ada.token)
    keep('recovery code', ada.recoveryCode)
    keep('recovery code without dashes', ada.recoveryCode.replaceAll('-', ''))
    const { ceremony } = ok(await server.call(accounts.beginEmail, { email: 'ada@example.com' }))
    const code = keep('e-mail code', /code is (\d{4} \d{4})/.exec(server.letters.at(-1) ?? '')?.[1]?.replace(' ', '') ?? null)
    const byMail = ok(await server.call(accounts.finishEmail, { ceremony, code, device: 'Mail' }))
    keep('second account token', byMail.session.token)
    const proof = keep('recovery proof', await recoveryProof(ada.recoveryCode))
    const recovered = ok(await server.call(accounts.recover, { proof, device: 'Recovered' }))
    keep('next recovery proof', await recoveryProof(await giveRecoveryCode(server, recovered.session.token)))
    const { verifier, challenge } = verifierPair()
    keep('verifier', verifier)
    const app = 'web:https://app.example'
    const authorized = ok(await server.call(authorizeApp, { app, challenge }, ada.token))
    keep('app code', authorized.code)
    const session = ok(await server.call(redeemApp, { code: authorized.code, verifier, app, device: 'Frame' }))
    keep('app token', session.token)
    keep('renewed token', ok(await server.call(renewSession, {}, session.token)).token)
    keep('unused app code', ok(await server.call(authorizeApp, { app, challenge }, ada.token)).code)
    keep('made-up token', 'planted-token-that-nobody-ever-was-given-xyz')
    // Refusals on every way: wrong shapes, wrong codes and unknown tokens with secrets inside.
    const headers = { 'content-type': 'application/json', origin: server.origins.broker }
    for (const [name, secret] of secrets) {
      const body = JSON.stringify({
        code: secret,
        proof: secret,
        device: 1,
        verifier: secret,
        app: secret,
        ceremony: secret,
        [secret]: secret,
        response: secret,
        email: secret,
      })
      for (const route of [accounts.recover, accounts.finishEmail, redeemApp, accounts.finishSignIn, accounts.beginEmail]) {
        const answer = await server.fetch(`${server.origins.api}${pathOf(route)}`, { method: 'POST', headers, body })
        seen.push(answer.text)
        assert.notEqual(answer.status, 200, name)
      }
      const unknown = await server.fetch(`${server.origins.api}${pathOf(renewSession)}?token=${encodeURIComponent(secret)}`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${secret}x` },
        body: '{}',
      })
      seen.push(unknown.text)
      seen.push((await server.fetch(`${server.origins.api}/v1/${encodeURIComponent(secret)}`)).text)
      seen.push((await server.fetch(`${server.origins.cdn}/${encodeURIComponent(secret)}`)).text)
    }
    seen.push(...server.log)
    assert.ok(server.log.length > 20, 'the log was on')

    const files = await filesBelow(server.folder)
    assert.ok(files.some(({ path }) => path.endsWith('rows.sqlite')) && files.some(({ path }) => path.endsWith('-wal')))
    for (const [name, secret] of secrets) {
      for (const text of seen) assert.ok(!text.includes(secret), `the ${name} is in: ${text.slice(0, 200)}`)
      for (const { path, bytes } of files) assert.ok(!bytes.includes(secret), `the ${name} is in ${path}`)
    }
    assert.equal((await stat(join(server.folder, 'secret'))).mode & 0o077, 0)
  } finally {
    await server.close()
  }
})
