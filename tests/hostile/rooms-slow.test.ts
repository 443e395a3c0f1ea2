import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { newSecret } from '../support/room-client.ts'
import { connectRooms, type SocketClient } from '../support/room-socket.ts'
import { startServerProcess } from '../support/server-process.ts'

const app = 'web:https://chat.example'
const room = 'chat.example/slow'
const largest = 200 * 1024
const messages = 1600
const warmUp = 400
const atOnce = 4
const megabyte = 1_000_000

const residentBytes = async (pid: number): Promise<number> => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

test('a member that does not read costs the server no more than what may wait for it, hears of it, and stops nobody', { timeout: 300_000 }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-rooms-slow-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const server = await startServerProcess(folder, { rooms: { message: '200KiB', sendRate: 1_000_000, sendBurst: 1_000_000, requestRate: 1_000_000 } })
  t.after(() => server.end('SIGKILL'))
  const key = newSecret()
  const [ada, ben, slow] = [await connectRooms(server, { app }), await connectRooms(server, { app }), await connectRooms(server, { app })]
  for (const client of [ada, ben]) assert.equal((await client.join(room, key)).error, undefined)
  const { value: seat } = await slow.join(room, key)
  assert.ok(seat)
  const text = 'A'.repeat(largest)
  const heardBy = (client: SocketClient): number[] => client.events(room).flatMap(event => (event.type === 'message' ? [event.message.seq] : []))

  const hears = async (client: SocketClient, count: number): Promise<void> => {
    while (heardBy(client).length < count) await new Promise(resolve => client.socket.once('message', resolve))
  }
  const say = async (): Promise<void> => {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => ada.ask('send', { room, text })))
    for (const { error } of answers) assert.equal(error, undefined)
  }

  // What is not collected yet of messages told long ago has its size before anybody is slow.
  for (let index = 0; index < warmUp; index += atOnce) await say()
  const start = await residentBytes(server.pid)
  slow.socket.pause()
  const heardBefore = heardBy(slow).length
  let most = 0
  for (let index = 0; index < messages; index += atOnce) {
    await say()
    if (index % 20 === 0) most = Math.max(most, (await residentBytes(server.pid)) - start)
  }
  const unread = messages * largest
  t.diagnostic(`${(unread / megabyte).toFixed(0)} MB not read by one member took ${(most / megabyte).toFixed(0)} MB`)
  // Garbage that waits for its collection is in it too.
  assert.ok(most < unread, `the server grew by ${most} bytes`)
  const all = Array.from({ length: messages + warmUp }, (_, index) => index + 1)
  assert.deepEqual(heardBy(ada), all)
  await hears(ben, all.length)
  assert.deepEqual(heardBy(ben), all)

  slow.socket.resume()
  assert.equal(await slow.closed, 1006)
  assert.ok(heardBy(slow).length - heardBefore < messages, 'it was cut off')
  const back = await connectRooms(server, { app })
  const last = slow.heard.get(room)?.at(-1)?.n ?? seat.n
  const { value, message } = await back.ask('resume', { room, token: seat.token, epoch: seat.epoch, n: last, seq: 0 })
  assert.equal(value?.replay ?? message, 'reset')
  await ada.ask('send', { room, text: 'A'.repeat(200) })
  await hears(back, 1)
  assert.deepEqual(heardBy(back), [messages + warmUp + 1])
})
