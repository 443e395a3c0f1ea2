import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { clearRoom, limitRoom, listClaimedRooms, unclaimRoom } from '@deputy/contract/api-rooms'
import { disconnectApp } from '@deputy/contract/api-apps'
import { deleteAccount } from '@deputy/contract/api-accounts'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { newSecret, sealedText } from '../support/room-client.ts'
import { refusal } from '../support/room-scene.ts'
import { connectRooms, type SocketClient } from '../support/room-socket.ts'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'
import { connectApp, ok, signUp, type TestPerson } from '../support/test-accounts.ts'

const app = 'web:https://chat.example'
const claimOf = (room: string) => ({ room, description: undefined, mailbox: undefined, temporary: undefined })

describe('rooms of a whole server', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer({ accounts: { premium: 'everyone' }, limits: { signIn: 10_000 } })
  })
  after(() => server.close())

  const claimer = async (
    room: string,
    person?: TestPerson,
  ): Promise<{ person: TestPerson; client: SocketClient; token: string; key: string; seat: string }> => {
    const who = person ?? (await signUp(server))
    const { token } = await connectApp(server, who.token, app)
    const client = await connectRooms(server, { app, token })
    const key = newSecret()
    const joined = await client.join(room, key)
    assert.equal(joined.error, undefined, joined.message)
    assert.deepEqual(await client.ask('claim', claimOf(room)), { value: {} })
    return { person: who, client, token, key, seat: joined.value?.token ?? '' }
  }

  test('CLAIM-16: the account lists, limits, clears and unclaims its rooms, and nobody else does', async () => {
    const room = 'chat.example/settings'
    const { person, client } = await claimer(room)
    const text = sealedText('x')
    await client.ask('send', { room, text })
    const { rooms, limit } = ok(await server.call(listClaimedRooms, {}, person.token))
    assert.deepEqual(
      [rooms.map(row => [row.room, row.app, row.bytes, row.messages, row.members, row.cap]), limit],
      [[[room, app, text.length, 1, 1, 500_000_000]], 100],
    )
    ok(await server.call(limitRoom, { room, cap: 1000 }, person.token))
    ok(await server.call(clearRoom, { room }, person.token))
    const after = ok(await server.call(listClaimedRooms, {}, person.token)).rooms[0]
    assert.deepEqual([after?.bytes, after?.messages, after?.cap], [0, 0, 1000])
    assert.deepEqual(client.events(room).at(-1), { type: 'deleted', from: 1, to: 1 })
    const stranger = await signUp(server)
    for (const answer of [await server.call(clearRoom, { room }, stranger.token), await server.call(unclaimRoom, { room }, stranger.token)])
      assert.deepEqual([answer.status, answer.error], [404, 'not-found'])
    ok(await server.call(unclaimRoom, { room }, person.token))
    assert.deepEqual(client.events(room).at(-1)?.type, 'claim')
    assert.deepEqual(ok(await server.call(listClaimedRooms, {}, person.token)).rooms, [])
  })

  test('a restart of the server keeps seats, messages and order', async () => {
    const room = 'chat.example/restart'
    const { client, token, seat } = await claimer(room)
    await client.ask('send', { room, text: sealedText('before') })
    await server.restart()
    assert.equal(await client.closed, 1001)
    const last = client.heard.get(room)?.at(-1)
    const again = await connectRooms(server, { app, token })
    const back = await again.ask('resume', { room, token: seat, epoch: last?.epoch ?? 0, n: last?.n ?? 0, seq: 1 })
    assert.deepEqual([back.error, back.value?.replay, back.value?.seq], [undefined, 'mailbox', 1])
    assert.equal((await again.ask('send', { room, text: sealedText('after') })).value?.seq, 2)
  })

  test('an app that is disconnected loses its say in the room at once', async () => {
    const room = 'chat.example/revoked'
    const { person, client } = await claimer(room)
    const told = new Promise<void>(resolve => {
      const { take } = client
      client.take = text => {
        take(text)
        if (client.notes.at(-1)?.type === 'signedOut') resolve()
      }
    })
    ok(await server.call(disconnectApp, { app }, person.token))
    await told
    assert.deepEqual(await client.ask('release', { room }), refusal(roomsRefusals.notOwner))
    assert.deepEqual(await client.ask('claim', claimOf(room)), refusal(roomsRefusals.needsPremium))
  })

  test('deleting an account gives its rooms up', async () => {
    const room = 'chat.example/deleted'
    const { person, client } = await claimer(room)
    ok(await server.call(deleteAccount, { name: 'Ada' }, person.token))
    const members = await client.ask('members', { room })
    assert.equal(members.value?.members.length, 1)
    assert.deepEqual(client.events(room).find(event => event.type === 'claim' && !event.claimed)?.type, 'claim')
  })

  test('CLAIM-11: two origins are one app once each says so of the other, and cannot be told apart while one is silent', async () => {
    const statements = new Map<string, string>()
    const sites: Server[] = []
    const site = async (name: string): Promise<string> => {
      const listening = createServer((_request, response) => {
        const statement = statements.get(name)
        if (statement === undefined) response.destroy()
        else response.end(statement)
      }).listen(0, '127.0.0.1')
      await once(listening, 'listening')
      sites.push(listening)
      return `http://${name}.localhost:${(listening.address() as AddressInfo).port}`
    }
    const [one, two, three, silent] = [await site('one'), await site('two'), await site('three'), await site('silent')]
    statements.set('one', JSON.stringify({ app: 'team', origins: [one, two, three, silent] }))
    statements.set('three', JSON.stringify({ app: 'another', origins: [one] }))
    statements.set('two', JSON.stringify({ app: 'team', origins: [one, two] }))
    const person = await signUp(server)
    const room = `${new URL(one).host}/shared`
    const key = newSecret()
    const enter = async (origin: string, create: object | null): Promise<SocketClient> => {
      const { token } = await connectApp(server, person.token, `web:${origin}`)
      const client = await connectRooms(server, { app: `web:${origin}`, token })
      const joined = await client.join(room, key, { create })
      assert.equal(joined.error, undefined, joined.message)
      return client
    }
    const [first, second] = [await enter(one, {}), await enter(two, null)]
    assert.deepEqual(await first.ask('claim', claimOf(room)), { value: {} })
    assert.deepEqual(await second.ask('setDefault', { room, permission: 'send', value: false }), { value: {} })
    const third = await enter(three, null)
    assert.deepEqual(await third.ask('setDefault', { room, permission: 'send', value: true }), refusal(roomsRefusals.cannotChange))
    const fourth = await enter(silent, null)
    assert.deepEqual(await fourth.ask('setDefault', { room, permission: 'send', value: true }), refusal(roomsRefusals.cannotTell))
    for (const listening of sites) listening.close()
  })
})
