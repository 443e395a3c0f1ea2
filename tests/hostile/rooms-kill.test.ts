import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { SealedMessage } from '@deputy/contract/room-wire'
import { newId, newSecret, sealedText } from '../support/room-client.ts'
import { connectRooms, type SocketClient } from '../support/room-socket.ts'
import { seeded } from '../support/seeded.ts'
import { freePort, type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { callServer, type ConfigFile } from '../support/start-test-server.ts'
import { connectApp, signUp } from '../support/test-accounts.ts'

const kills = Number(process.env['DEPUTY_KILLS'] ?? 6)
const seed = Number(process.env['DEPUTY_SEED'] ?? Date.now() % 2 ** 31)
const app = 'web:https://chat.example'
const room = 'chat.example/kill-loop'
const senders = 4

/** A member whose sends are repeated under their ids until they are answered. */
interface Sender {
  client: SocketClient
  token: string
  epoch: number
  n: number
  seq: number
  /** Sends without an answer, by id. */
  readonly open: Map<string, string>
}

test(
  `ROOM-9: ${kills} kills under load lose no message that was answered, and keep none twice (seed ${seed})`,
  { timeout: kills * 15_000 + 60_000 },
  async t => {
    const folder = await mkdtemp(join(tmpdir(), 'deputy-rooms-kill-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const file: ConfigFile = {
      server: { port: await freePort() },
      accounts: { premium: 'everyone' },
      limits: { address: 10_000_000 },
      rooms: { sendRate: 1_000_000, sendBurst: 1_000_000, requestRate: 1_000_000 },
    }
    const random = seeded(seed)
    let server: ServerProcess = await startServerProcess(folder, file)
    t.after(() => server.end('SIGKILL'))
    const person = await signUp({ ...server, call: (route, body, token) => callServer(server, route, body, token) })
    const { token } = await connectApp({ ...server, call: (route, body, bearer) => callServer(server, route, body, bearer) }, person.token, app)
    const key = newSecret()
    const answered = new Map<string, number>()
    let repeated = 0
    let texts = 0
    let stopped = false

    const enter = async (): Promise<Sender> => {
      const client = await connectRooms(server, { app, token })
      const { value } = await client.join(room, key)
      assert.ok(value)
      return { client, token: value.token, epoch: value.epoch, n: value.n, seq: value.seq, open: new Map() }
    }
    const members: Sender[] = []
    for (let index = 0; index < senders; index += 1) members.push(await enter())
    assert.equal((await members[0]!.client.ask('claim', { room, description: undefined, mailbox: undefined, temporary: undefined })).error, undefined)

    const sendOne = (sender: Sender, id: string, text: string): Promise<void> =>
      Promise.race([
        sender.client.ask('send', { room, text }, id).then(({ value, error }) => {
          assert.ok(value, `a send was refused: ${error}`)
          sender.open.delete(id)
          const before = answered.get(text)
          assert.ok(before === undefined || before === value.seq, 'a message has one seq')
          answered.set(text, value.seq)
        }),
        sender.client.closed.then(() => undefined),
      ])
    const load = async (sender: Sender): Promise<void> => {
      while (!stopped && sender.client.socket.readyState === sender.client.socket.OPEN) {
        await Promise.all(
          Array.from({ length: 8 }, () => {
            texts += 1
            const [id, text] = [newId(), sealedText(`message ${texts}`)]
            sender.open.set(id, text)
            return sendOne(sender, id, text)
          }),
        )
      }
    }
    const back = async (sender: Sender): Promise<void> => {
      const heard = sender.client.heard.get(room) ?? []
      for (const { n, epoch, event } of heard) {
        Object.assign(sender, { n: Math.max(sender.n, n), epoch })
        if (event.type === 'message') sender.seq = Math.max(sender.seq, event.message.seq)
      }
      sender.client = await connectRooms(server, { app, token })
      const { value, error } = await sender.client.ask('resume', { room, token: sender.token, epoch: sender.epoch, n: sender.n, seq: sender.seq })
      assert.ok(value, `the seat is gone: ${error}`)
      Object.assign(sender, { token: value.token, epoch: value.epoch })
      repeated += sender.open.size
      await Promise.all([...sender.open].map(([id, text]) => sendOne(sender, id, text)))
    }

    for (let kill = 0; kill < kills; kill += 1) {
      const loads = members.map(load)
      await pause(20 + random() * 180)
      await server.end('SIGKILL')
      await Promise.all(loads)
      server = await startServerProcess(folder, file)
      await Promise.all(members.map(back))
    }
    stopped = true

    const stored: SealedMessage[] = []
    for (let after = 0, more = true; more;) {
      const { value } = await members[0]!.client.ask('backlog', { room, after })
      assert.ok(value)
      stored.push(...value.messages)
      ;({ last: after, more } = value)
    }
    t.diagnostic(JSON.stringify({ answered: answered.size, stored: stored.length, repeated }))
    assert.deepEqual(
      stored.map(({ seq }) => seq),
      Array.from({ length: stored.length }, (_, index) => index + 1),
      'seq has no gap',
    )
    assert.equal(new Set(stored.map(({ text }) => text)).size, stored.length, 'nothing is stored twice')
    const bySeq = new Map(stored.map(({ seq, text }) => [seq, text]))
    for (const [text, seq] of answered) assert.equal(bySeq.get(seq), text)
    assert.ok(answered.size > kills * 10)
  },
)
