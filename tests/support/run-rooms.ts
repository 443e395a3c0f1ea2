import { symlink, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openSqlite, readConfig, type RoomNeeds, roomService } from '@deputy/server'
import { newId, newSecret, roomClient, textsOf } from './room-client.ts'

/**
 * A room service in a process of its own over a database that others share, to show what the lease is worth. Lines of JSON come in as
 * requests and go out as answers; the folder is its own, so that the lock of the folder does not stop it, the database in it is not.
 */
const [folder = '', shared = ''] = process.argv.slice(2)
await mkdir(folder, { recursive: true })
if (shared !== '') await symlink(join(shared, 'rows.sqlite'), join(folder, 'rows.sqlite'))
const rows: RoomNeeds['rows'] = await openSqlite(folder, new URL('../../server/src/writes.ts', import.meta.url))
const service = roomService({
  rows,
  clock: { now: () => Date.now() },
  config: readConfig({ file: { rooms: { lease: '1s', hold: '1h', sendRate: 1_000_000, sendBurst: 1_000_000 } } }),
  ids: { id: newId, token: newSecret, bytes: count => new Uint8Array(count) },
  log: { error: () => undefined, warn: () => undefined, info: () => undefined },
  profileOf: async id => ({ id, premium: true, name: 'Ada', image: null, email: null, admin: false, premiumUntil: null, created: 0 }),
  findSession: async token => ({ id: newId(), account: 'ada', app: 'web:https://chat.example', token }),
  sessionLives: async () => true,
  sameApp: async () => 'same',
  later: run => void setImmediate(run),
  alone: false,
})
await service.start()
const connection = service.serve({
  write: frames => {
    for (const text of textsOf(Buffer.concat(frames))) client.take(text)
  },
  waiting: () => 0,
  close: () => undefined,
  cut: () => undefined,
})
const client = roomClient(text => connection.receive(text))
connection.receive(JSON.stringify({ type: 'hello', app: 'web:https://chat.example', token: newSecret() }))

for await (const line of createInterface(process.stdin)) {
  const { ask, fields } = JSON.parse(line) as { ask: 'join' | 'claim' | 'send' | 'resume'; fields: { room: string; key: string } }
  const { key, ...rest } = fields
  const answer = ask === 'join' ? client.join(rest.room, key, { create: {} }) : client.ask(ask, rest)
  void answer.then(value => process.stdout.write(`${JSON.stringify(value)}\n`))
}
