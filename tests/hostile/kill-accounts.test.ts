import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readProfile } from '@deputy/contract/api-accounts'
import { renewSession } from '@deputy/contract/api-sessions'
import { seeded } from '../support/seeded.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { callServer, type TestServer } from '../support/start-test-server.ts'
import { connectApp, ok, signUp } from '../support/test-accounts.ts'

const kills = 6
const generous = { limits: { signIn: 100_000, write: 100_000, address: 1_000_000 } }

test('accounts and sessions that were answered survive a kill at any moment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-kill-'))
  const random = seeded(20261121)
  /** Tokens that must work, by account, as far as answers arrived. */
  const answered: { account: string; token: string }[] = []
  let server: ServerProcess | undefined
  try {
    for (let round = 0; round < kills; round += 1) {
      server = await startServerProcess(folder, generous)
      const running = server
      const call: TestServer['call'] = (route, body, token) => callServer(running, route, body, token)
      const caller = { origins: running.origins, call }
      for (const { account, token } of answered) assert.equal(ok(await call(readProfile, {}, token)).id, account)
      const stories = Math.floor(3 + random() * 12)
      let told = 0
      const people = Array.from({ length: 4 }, async () => {
        for (;;) {
          const ada = await signUp(caller)
          answered.push({ account: ada.session.account.id, token: ada.token })
          const app = await connectApp(caller, ada.token)
          const renewed = ok(await call(renewSession, {}, app.token))
          answered.push({ account: ada.session.account.id, token: renewed.token })
          told += 1
          if (told === stories) await running.end('SIGKILL')
        }
      })
      await Promise.allSettled(people)
      assert.equal(running.alive(), false)
    }
    assert.ok(answered.length > kills * 3)
  } finally {
    if (server?.alive() === true) await server.end('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
})
