import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listSessions } from '@deputy/contract/api-sessions'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.close())

test('a host that is not served here is told so', async () => {
  const answer = await server.fetch(`http://elsewhere.localhost:${server.port}/`)
  assert.equal(answer.status, 421)
  assert.equal(answer.headers['content-type'], 'text/plain')
})

test('a call without a session is unauthorized, in the shape of an error', async () => {
  const { status, error } = await server.call(listSessions, {})
  assert.deepEqual([status, error], [401, 'unauthorized'])
})
