import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { newSecret } from '../support/room-client.ts'
import { connectRooms, type SocketClient } from '../support/room-socket.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { callServer, type ConfigFile } from '../support/start-test-server.ts'
import { connectApp, signUp } from '../support/test-accounts.ts'

const app = 'web:https://chat.example'
const room = 'chat.example/expiry'
const minute = 60_000

test(
  'CLAIM-6: a temporary claim ends at its time though the server was killed meanwhile, and at once when its time came while none ran',
  { timeout: 120_000 },
  async t => {
    const folder = await mkdtemp(join(tmpdir(), 'deputy-rooms-expiry-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const file: ConfigFile = { accounts: { premium: 'everyone' }, limits: { address: 10_000_000 } }
    let server: ServerProcess = await startServerProcess(folder, file)
    t.after(() => server.end('SIGKILL'))
    const again = async (ahead: number): Promise<void> => {
      await server.end('SIGKILL')
      server = await startServerProcess(folder, file, ahead)
    }
    const call: Parameters<typeof signUp>[0] = { ...server, call: (route, body, token) => callServer(server, route, body, token) }
    const { token } = await connectApp(call, (await signUp(call)).token, app)
    const key = newSecret()
    const enter = async (): Promise<{ client: SocketClient; claimed: boolean }> => {
      const client = await connectRooms(server, { app, token })
      const { value, message } = await client.join(room, key)
      assert.ok(value, message)
      return { client, claimed: value.claimed }
    }
    const claim = async (client: SocketClient): Promise<void> => {
      const { error, message } = await client.ask('claim', { room, description: undefined, mailbox: undefined, temporary: minute })
      assert.equal(error, undefined, message)
    }
    const freed = (client: SocketClient): boolean => client.events(room).some(event => event.type === 'claim' && !event.claimed)

    const first = await enter()
    const earliest = Date.now() + minute
    await claim(first.client)
    const latest = Date.now() + minute
    const ahead = 50_000
    await again(ahead)
    const second = await enter()
    assert.equal(second.claimed, Date.now() + ahead < earliest, 'the claim outlived the kill')
    while (second.claimed && !freed(second.client)) await pause(20)
    const ended = Date.now() + ahead
    t.diagnostic(`told ${ended - latest} ms after its time`)
    assert.ok(ended >= earliest, 'it did not end before its time')

    await claim(second.client)
    await again(ahead + 60 * minute)
    assert.equal((await enter()).claimed, false)
  },
)
