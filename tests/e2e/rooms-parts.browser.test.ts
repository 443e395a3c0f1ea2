import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page, WebSocketRoute } from 'playwright-core'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { openRoomPage } from '../support/room-page.ts'
import { signUp, type TestPerson } from '../support/test-accounts.ts'

declare global {
  /** Texts of the messages that were iterated. */
  var iterated: string[]
  /** What the receiving page was told of payloads: how each ended, and the progress of all. */
  var received: { readonly ends: (string | { readonly size: number; readonly type: string; readonly digest: string })[]; readonly loaded: number[] }
}

let deputy: TestDeputy
/** The only account with premium. */
let ada: TestPerson
before(async () => {
  deputy = await startDeputy()
  ada = await signUp(deputy.server, 'Ada')
})
after(() => deputy?.[Symbol.asyncDispose]())

/** Two pages of an app in one room; `sockets` are those of the second. */
async function pair(name: string, person?: TestPerson): Promise<{ one: Page; two: Page; ids: string[]; sockets: WebSocketRoute[] }> {
  const [one, two] = await Promise.all([openRoomPage(deputy, name, person), openRoomPage(deputy, name)])
  const sockets: WebSocketRoute[] = []
  await two.routeWebSocket(/\/v1\/rooms$/, route => {
    route.connectToServer()
    sockets.push(route)
  })
  const enter = (page: Page, invite?: string) =>
    page.evaluate(async invite => {
      const { room } = roomRealm.rooms[await (invite === undefined ? roomRealm.create() : roomRealm.join(invite))]!
      return { id: room.self.id, invite: room.invite }
    }, invite)
  const first = await enter(one)
  const second = await enter(two, first.invite)
  return { one, two, sockets, ids: [first.id, second.id] }
}

test('messages are iterated from the mailbox on into live ones, across a lost connection, until the room ends', async () => {
  const { one, two, sockets } = await pair('iterating', ada)
  await one.evaluate(async () => {
    const { room } = roomRealm.rooms[0]!
    await room.claim()
    for (const text of ['1', '2', '3']) await room.send(text)
  })
  const iterating = two.evaluate(async () => {
    const heard: string[] = (globalThis.iterated = [])
    for await (const { text } of roomRealm.parts.messages(roomRealm.rooms[0]!.room, { backlog: 1 })) heard.push(text)
    return heard
  })
  await two.waitForFunction(() => iterated.includes('3'))
  await one.evaluate(() => roomRealm.rooms[0]!.room.send('live'))
  await two.waitForFunction(() => iterated.includes('live'))
  await sockets[0]!.close({ code: 1001 })
  await one.evaluate(async () => {
    for (const text of ['missed', 'or not']) await roomRealm.rooms[0]!.room.send(text)
  })
  await two.waitForFunction(() => iterated.includes('or not'))
  assert.equal(sockets.length, 2)
  await two.evaluate(() => roomRealm.rooms[0]!.room.leave())
  assert.deepEqual(await iterating, ['2', '3', 'live', 'missed', 'or not'])
  await one.evaluate(() => roomRealm.rooms[0]!.room.release())
})

test('presence and requests between two members: answers, unknown names, handlers that throw, a deadline, and a member that goes', async () => {
  const { one, two, ids } = await pair('asking')
  const [first, second] = ids as [string, string]
  await two.evaluate(async () => {
    const { room } = roomRealm.rooms[0]!
    const { serve } = roomRealm.parts
    await serve(room, 'echo', (data, { from }) => ({ data, from }))
    await serve(room, 'throws', () => {
      throw new Error('within')
    })
    await serve(room, 'never', () => new Promise(() => {}))
  })
  const seen = await one.evaluate(async second => {
    const { room } = roomRealm.rooms[0]!
    const { presence, request } = roomRealm.parts
    const here = await presence(room)
    const code = (promise: Promise<unknown>) => promise.catch((error: { code: string }) => error.code)
    return {
      here: here.members.map(({ id }) => id),
      echo: await request(room, second, 'echo', { at: [1, 'two', null] }),
      many: (await Promise.all(Array.from({ length: 30 }, (_, at) => request(room, second, 'echo', at, { deadline: 30_000 })))).length,
      unknown: await code(request(room, second, 'nothing')),
      failed: await code(request(room, second, 'throws')),
      deadline: await code(request(room, second, 'never', null, { deadline: 500 })),
      nobody: await code(request(room, 'nobody', 'echo')),
    }
  }, second)
  assert.deepEqual(seen, {
    here: [first, second],
    echo: { data: { at: [1, 'two', null] }, from: first },
    many: 30,
    ...{ unknown: 'unknown', failed: 'failed', deadline: 'deadline', nobody: 'gone' },
  })
  const ending = one.evaluate(async second => {
    const { room } = roomRealm.rooms[0]!
    const here = await roomRealm.parts.presence(room)
    const alone = new Promise<number>(resolve => here.subscribe(members => resolve(members.length)))
    const code = await roomRealm.parts.request(room, second, 'never', null, { deadline: 600_000 }).catch((error: { code: string }) => error.code)
    return [code, await alone]
  }, second)
  await two.waitForFunction(() => roomRealm.rooms[0]!.texts().some(text => text.includes('"never"') && !text.includes('cancel')))
  await two.evaluate(() => roomRealm.rooms[0]!.room.leave())
  assert.deepEqual(await ending, ['gone', 1])
})

test('a payload of a megabyte arrives whole with progress on both ends, across a lost connection; small ones go to all; both sides abort', async () => {
  const { one, two, ids, sockets } = await pair('payloads')
  const [, second] = ids as [string, string]
  await two.evaluate(async () => {
    const { room } = roomRealm.rooms[0]!
    const digest = async (blob: Blob) => [...new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()))].join()
    globalThis.received = { ends: [], loaded: [] }
    await roomRealm.parts.receivePayloads(room, payload => {
      if (payload.name === 'abort') payload.abort()
      payload.onProgress(progress => received.loaded.push(progress.loaded))
      payload.done.then(
        async blob => received.ends.push({ size: blob.size, type: blob.type, digest: await digest(blob) }),
        (error: { code: string }) => received.ends.push(error.code),
      )
    })
  })
  const sending = one.evaluate(async second => {
    const { room } = roomRealm.rooms[0]!
    const bytes = new Uint8Array(1_000_000)
    for (let at = 0; at < bytes.length; at += 50_000) crypto.getRandomValues(bytes.subarray(at, at + 50_000))
    const progress: number[] = []
    await roomRealm.parts.sendPayload(room, new Blob([bytes], { type: 'image/png' }), { to: second, onProgress: ({ loaded }) => progress.push(loaded) })
    return { progress, digest: [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].join() }
  }, second)
  await two.waitForFunction(() => received.loaded.length > 3)
  await sockets[0]!.close({ code: 1001 })
  const { progress, digest } = await sending
  const there = await two.evaluate(() => received)
  assert.deepEqual(there.ends, [{ size: 1_000_000, type: 'image/png', digest }])
  assert.deepEqual(there.loaded, progress)
  assert.ok(progress.length > 20 && progress.at(-1) === 1_000_000)
  assert.equal(sockets.length, 2)
  const outcomes = await one.evaluate(async second => {
    const { room } = roomRealm.rooms[0]!
    const { sendPayload } = roomRealm.parts
    const code = (promise: Promise<unknown>) =>
      promise.then(
        () => 'ok',
        (error: { code?: string }) => error.code ?? String(error),
      )
    const controller = new AbortController()
    return [
      await code(sendPayload(room, new TextEncoder().encode('to all'))),
      await code(sendPayload(room, new Uint8Array(100_000), { to: second, name: 'abort' })),
      await code(sendPayload(room, new Uint8Array(100_000), { to: second, signal: controller.signal, onProgress: () => controller.abort('enough') })),
    ]
  }, second)
  assert.deepEqual(outcomes, ['ok', 'aborted', 'enough'])
  await two.waitForFunction(() => received.ends.length === 4)
  const ends = await two.evaluate(() => received.ends.map(end => (typeof end === 'string' ? end : end.size)))
  assert.deepEqual(ends, [1_000_000, 6, 'aborted', 'aborted'])
})
