import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { signUp } from '../support/test-accounts.ts'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'
import { readProfile } from '@deputy/contract/api-accounts'
import { connectApp, ok } from '../support/test-accounts.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.close())

test('a passkey makes an account, an app connects', async () => {
  const ada = await signUp(server)
  const app = await connectApp(server, ada.token)
  assert.equal(app.kind, 'app')
  assert.equal(ok(await server.call(readProfile, {}, app.token)).admin, true)
})
