import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { ROOM_CLOSE } from '@deputy/contract/room-wire'
import { memberKeys, newId, newSecret, sealedText, verifierOf } from '../support/room-client.ts'
import { refusal } from '../support/room-scene.ts'
import { connectRooms, roomSocket, type SocketClient } from '../support/room-socket.ts'
import { seeded } from '../support/seeded.ts'
import { fetchFrom, startTestServer, type TestServer } from '../support/start-test-server.ts'
import { connectApp, signUp } from '../support/test-accounts.ts'

const app = 'web:https://chat.example'
const frames = Number(process.env['DEPUTY_FRAMES'] ?? 10_000)
const seed = Number(process.env['DEPUTY_SEED'] ?? Date.now() % 2 ** 31)

describe('hostile clients of rooms', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer({ accounts: { premium: 'everyone' }, limits: { address: 10_000_000 }, rooms: { requestRate: 1_000_000 } })
  })
  after(() => server.close())

  const seated = async (room: string, key: string, token?: string): Promise<SocketClient> => {
    const client = await connectRooms(server, { app, ...(token === undefined ? {} : { token }) })
    const { error, message } = await client.join(room, key)
    assert.equal(error, undefined, message)
    return client
  }
  const heardBy = (client: SocketClient, room: string): number => client.events(room).filter(({ type }) => type === 'message').length

  test('a page of another origin gets no socket, nor does another path or host', async () => {
    const refused = async (origin: string): Promise<string> => {
      const socket = roomSocket(server, origin)
      const [error] = (await once(socket, 'error')) as [Error]
      return error.message
    }
    for (const origin of ['https://evil.example', 'null', server.origins.api, `${server.origins.broker}.evil.example`])
      assert.match(await refused(origin), /403/)
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' }
    assert.equal((await fetchFrom(server.port, `${server.origins.api}/v1/other`, { headers: upgrade })).status, 404)
    assert.equal((await fetchFrom(server.port, `${server.origins.cdn}/v1/rooms`, { headers: upgrade })).status, 421)
  })

  test('a forged member id, and one of another room, gets no seat', async () => {
    const [room, key] = ['chat.example/forged', newSecret()]
    const ada = await seated(room, key)
    const client = await connectRooms(server, { app })
    const owner = (await ada.ask('members', { room })).value?.members[0]?.id ?? ''
    assert.deepEqual(await client.join(room, key, { keys: { ...memberKeys(room), member: owner } }), refusal(roomsRefusals.malformed))
    assert.deepEqual(await client.join(room, key, { keys: memberKeys('chat.example/elsewhere') }), refusal(roomsRefusals.malformed))
    assert.deepEqual((await ada.ask('members', { room })).value?.members.length, 1)
  })

  test('who has no seat in a room cannot speak in it, read it or change it, whatever it knows of it', async () => {
    const [room, key] = ['chat.example/closed', newSecret()]
    const { token } = await connectApp(server, (await signUp(server, 'Ada')).token, app)
    const ada = await seated(room, key, token)
    assert.equal((await ada.ask('claim', { room, description: undefined, mailbox: undefined, temporary: undefined })).error, undefined)
    await ada.ask('send', { room, text: sealedText('secret') })
    const { members } = (await ada.ask('members', { room })).value!
    const member = members[0]!.id
    const stranger = await seated('chat.example/elsewhere', newSecret())
    const closed = refusal(roomsRefusals.closed)
    assert.deepEqual(await stranger.ask('send', { room, text: sealedText('x') }), closed)
    assert.deepEqual(await stranger.ask('backlog', { room, after: 0 }), closed)
    assert.deepEqual(await stranger.ask('find', { room, seq: 1 }), closed)
    assert.deepEqual(await stranger.ask('members', { room }), closed)
    assert.deepEqual(await stranger.ask('credentials', { room, ids: [member] }), closed)
    assert.deepEqual(await stranger.ask('remove', { room, member }), closed)
    assert.deepEqual(await stranger.ask('release', { room }), closed)
    assert.deepEqual(await stranger.ask('resume', { room, token: newSecret(), epoch: 1, n: 0, seq: 0 }), closed)
    assert.deepEqual([heardBy(ada, room), stranger.heard.get(room)], [1, undefined])
  })

  test('a frame that is too large ends its socket only', async () => {
    const [room, key] = ['chat.example/large', newSecret()]
    const [ada, ben] = [await seated(room, key), await seated(room, key)]
    assert.deepEqual(await ben.ask('send', { room, text: 'A'.repeat(262_144) }), refusal(roomsRefusals.tooLarge))
    void ben.ask('send', { room, text: 'A'.repeat(2 ** 19) })
    assert.equal(await ben.closed, 1009)
    assert.equal((await ada.ask('send', { room, text: sealedText('fine') })).error, undefined)
  })

  test('what is no frame, or out of turn, closes the socket', async () => {
    const close = async (...sent: readonly (string | Buffer)[]): Promise<number> => {
      const socket = roomSocket(server)
      await once(socket, 'open')
      const closed = once(socket, 'close')
      for (const frame of sent) socket.send(frame)
      return (await closed)[0] as number
    }
    const hello = JSON.stringify({ type: 'hello', app })
    for (const sent of [['{'], ['null'], ['[]'], ['7'], ['{}'], [hello, hello], [JSON.stringify({ type: 'join', id: newId() })], [Buffer.from(hello)]])
      assert.equal(await close(...sent), ROOM_CLOSE.malformed, String(sent))
    assert.equal(await close(JSON.stringify({ type: 'hello', app, token: newSecret() })), ROOM_CLOSE.unauthorized)
  })

  test('a session of one app does not speak for another', async () => {
    const { token } = await connectApp(server, (await signUp(server, 'Ben')).token, 'web:https://other.example')
    await assert.rejects(connectRooms(server, { app, token }), /4403/)
  })

  test(`${frames} random frames change nothing for the others (seed ${seed})`, async () => {
    const random = seeded(seed)
    const below = (count: number): number => Math.floor(random() * count)
    const [room, key] = ['chat.example/random', newSecret()]
    const ada = await seated(room, key)
    const member = (await ada.ask('members', { room })).value!.members[0]!.id
    const words = [
      'hello',
      'session',
      'resume',
      'send',
      'edit',
      'delete',
      'backlog',
      'find',
      'members',
      'credentials',
      'remove',
      'block',
      'unblock',
      'grant',
      'limit',
      'claim',
      'release',
    ]
    const things = [
      null,
      true,
      -1,
      0.5,
      1e308,
      '',
      'A',
      'A'.repeat(5000),
      [],
      {},
      [[]],
      { __proto__: 1 },
      room,
      'chat.example/none',
      member,
      newId(),
      newSecret(),
      'send',
      '\u0000',
    ]
    const thing = (): unknown => things[below(things.length)]
    const names = [
      'room',
      'text',
      'seq',
      'from',
      'to',
      'after',
      'limit',
      'member',
      'ids',
      'permission',
      'value',
      'maxMessageBytes',
      'token',
      'epoch',
      'n',
      'app',
      'verifier',
      'create',
      'revision',
    ]
    const frame = (): string | Buffer => {
      const kind = random()
      if (kind < 0.03) return Buffer.from(Array.from({ length: below(50) }, () => below(256)))
      if (kind < 0.06) return String.fromCharCode(...Array.from({ length: below(80) }, () => below(0xd800)))
      if (kind < 0.1) return JSON.stringify(thing()) ?? 'undefined'
      const fields = Object.fromEntries(Array.from({ length: below(7) }, () => [names[below(names.length)]!, thing()]))
      return JSON.stringify({ type: kind < 0.2 ? thing() : words[below(words.length)], id: kind < 0.25 ? thing() : newId(), room, ...fields })
    }
    const open = async (): Promise<SocketClient> => {
      const client = await connectRooms(server, { app })
      client.take = () => undefined
      return client
    }
    let client = await open()
    let sockets = 1
    for (let sent = 0; sent < frames; sent += 1) {
      if (client.socket.readyState !== client.socket.OPEN) {
        client = await open()
        sockets += 1
      }
      client.socket.send(frame())
      if (sent % 50 === 49 && client.socket.readyState === client.socket.OPEN) {
        client.socket.ping()
        await Promise.race([once(client.socket, 'pong'), client.closed])
      }
    }
    client.socket.close()
    assert.ok(sockets > 1)
    assert.equal((await ada.ask('send', { room, text: sealedText('still here') })).value?.seq, 1)
    assert.equal((await ada.ask('members', { room })).value?.members.length, 1)
    assert.deepEqual(
      server.log.filter(line => line.includes('failed')),
      [],
    )
  })

  test('neither a room key, a verifier nor a token is in the database or the log, and a text only as it was sealed', async () => {
    const [room, key] = ['chat.example/secrets', newSecret()]
    const { token } = await connectApp(server, (await signUp(server, 'Cid')).token, app)
    const ada = await seated(room, key, token)
    await ada.ask('claim', { room, description: 'plainly a description', mailbox: undefined, temporary: undefined })
    await ada.ask('send', { room, text: sealedText('sealed') })
    const seat = await ada.ask('backlog', { room, after: 0 })
    assert.equal(seat.value?.messages.length, 1)
    const verifier = verifierOf(key)
    const bytes = await Promise.all(
      (await readdir(server.folder, { recursive: true, withFileTypes: true }))
        .filter(entry => entry.isFile() && entry.name !== 'lock')
        .map(entry => readFile(join(entry.parentPath, entry.name))),
    )
    const all = Buffer.concat([...bytes, Buffer.from(server.log.join(''))])
    assert.ok(all.includes(sealedText('sealed')), 'the search sees what is stored')
    assert.ok(all.includes('plainly a description'))
    for (const secret of [key, verifier, token, 'sealed'.padEnd(108, '.')]) assert.equal(all.includes(secret), false)
    assert.equal(
      server.log.some(line => line.includes(room) || line.includes('sealed')),
      false,
    )
  })
})
