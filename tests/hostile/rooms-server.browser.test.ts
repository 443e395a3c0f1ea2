import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { openRoomPage } from '../support/room-page.ts'

// The room service's frames pass through the test on their way to one page, which lies there in the service's place.

let deputy: TestDeputy
before(async () => {
  deputy = await startDeputy()
})
after(() => deputy?.[Symbol.asyncDispose]())

interface Frame {
  readonly type: string
  readonly room?: string
  n?: number
  event?: {
    type: string
    message?: { from: string; by: string; seq: number; text: string; revision: number; at: number }
    member?: { id: string }
    credential?: string
  }
}

/** Makes of one frame of the service what the page is told: nothing, itself, or others. */
type Lie = (frame: Frame) => Frame[]

/** Two pages in one room; what the second is told passes through `lie`. Answers what it heard once `last` arrived, and what it warned of. */
async function lied(name: string, say: (honest: Page) => Promise<void>, makeLie: () => Lie) {
  const honest = await openRoomPage(deputy, name)
  const invite = await honest.evaluate(async () => {
    await roomRealm.open('room')
    return roomRealm.rooms[0]!.room.invite
  })
  const target = await openRoomPage(deputy, `${name}-target`)
  const warnings: string[] = []
  target.on('console', message => void (message.type() === 'warning' && warnings.push(message.text().replace(/room \S+:/, 'room:'))))
  const lie = makeLie()
  let sockets = 0
  await target.routeWebSocket(/\/v1\/rooms$/, route => {
    sockets += 1
    const service = route.connectToServer()
    service.onMessage(data => {
      const frame = JSON.parse(String(data)) as Frame
      for (const told of frame.type === 'event' ? lie(frame) : [frame]) route.send(JSON.stringify(told))
    })
  })
  await target.evaluate(invite => roomRealm.join(invite), invite)
  await say(honest)
  return { honest, target, warnings, sockets: () => sockets }
}

const texts = (page: Page) => page.evaluate(() => roomRealm.rooms[0]!.texts())
const heard = (page: Page, text: string) =>
  page.evaluate(text => roomRealm.rooms[0]!.until(event => event.type === 'message' && event.message.text === text), text)
const sayAll =
  (...all: string[]) =>
  (page: Page) =>
    page.evaluate(async all => {
      for (const text of all) await roomRealm.rooms[0]!.room.send(text)
    }, all)
const isMessage = (frame: Frame): boolean => frame.event?.type === 'message'

test('a dropped event is a hole in the order: the connection is made again and the event follows', async () => {
  const { target, sockets } = await lied('dropped', sayAll('one', 'two', 'three'), () => {
    let isDone = false
    return frame => (!isDone && frame.event?.message?.seq === 2 ? ((isDone = true), []) : [frame])
  })
  await heard(target, 'three')
  assert.deepEqual(await texts(target), ['one', 'two', 'three'])
  assert.equal(sockets(), 2)
})

test('a dropped message whose hole is papered over is told of', async () => {
  const { target, warnings } = await lied('papered', sayAll('one', 'two', 'three'), () => frame => [
    frame.event?.message?.seq === 2 ? { ...frame, event: { type: 'skip' } } : frame,
  ])
  await heard(target, 'three')
  assert.deepEqual(await texts(target), ['one', 'three'])
  assert.deepEqual(warnings, ["deputy: room: before message 3, 1 of its sender's did not arrive"])
})

test('a replayed message is left out', async () => {
  const { target, warnings } = await lied('replayed', sayAll('one', 'two', 'three'), () => {
    let first: Frame | undefined
    return frame => {
      if (!isMessage(frame)) return [frame]
      first ??= structuredClone(frame)
      if (frame.event?.message?.seq !== 2) return [frame]
      return [{ ...frame, event: { type: 'message', message: { ...first.event!.message!, seq: 2 } } }]
    }
  })
  await heard(target, 'three')
  assert.deepEqual(await texts(target), ['one', 'three'])
  assert.equal(warnings[0], 'deputy: room: message 2 is not what its sender sent, and is left out')
})

test('two messages of one sender in another order: the one that comes late is left out', async () => {
  const { target } = await lied('reordered', sayAll('one', 'two', 'three'), () => {
    let held: Frame | undefined
    return frame => {
      const seq = frame.event?.message?.seq
      if (seq === 1) {
        held = structuredClone(frame)
        return []
      }
      if (seq !== 2 || held === undefined) return [frame]
      const [one, two] = [held.event!.message!, frame.event!.message!]
      return [
        { ...held, event: { type: 'message', message: { ...two, seq: one.seq } } },
        { ...frame, event: { type: 'message', message: { ...one, seq: two.seq } } },
      ]
    }
  })
  await heard(target, 'three')
  assert.deepEqual(await texts(target), ['two', 'three'])
})

test('a message told as another member’s, or changed, is left out', async () => {
  const { target, warnings } = await lied('attributed', sayAll('one', 'two', 'three'), () => {
    let own = ''
    return frame => {
      const message = frame.event?.message
      if (message === undefined) return [frame]
      if (message.seq === 1) own = message.from
      if (message.seq === 1) return [{ ...frame, event: { type: 'message', message: { ...message, from: own.toLowerCase(), by: own.toLowerCase() } } }]
      if (message.seq === 2)
        return [{ ...frame, event: { type: 'message', message: { ...message, text: message.text.replace(/^./, first => (first === 'A' ? 'B' : 'A')) } } }]
      return [frame]
    }
  })
  await heard(target, 'three')
  assert.deepEqual(await texts(target), ['three'])
  assert.equal(warnings.filter(words => words.includes('is not what its sender sent')).length, 2)
})

test('an invented member is not told of, and cannot speak', async () => {
  const { honest, target, warnings } = await lied('invented', sayAll('one'), () => frame => [
    frame.event?.type === 'joined' ? { ...frame, event: { ...frame.event, credential: 'A'.repeat(91) } } : frame,
  ])
  await heard(target, 'one')
  const third = await openRoomPage(deputy, 'invented')
  const invite = await honest.evaluate(() => roomRealm.rooms[0]!.room.invite)
  await third.evaluate(invite => roomRealm.join(invite), invite)
  await honest.evaluate(() => roomRealm.rooms[0]!.room.send('two'))
  await heard(target, 'two')
  assert.deepEqual(await target.evaluate(() => roomRealm.rooms[0]!.events.map(event => event.type)), ['message', 'message'])
  assert.deepEqual(warnings, ['deputy: room: a member is told of without a true credential, and is left out'])
})

test('a service that breaks the order again and again ends the room, and says so', async () => {
  const { target } = await lied('broken', sayAll('one'), () => frame => [{ ...frame, n: (frame.n ?? 0) + 7 }])
  await target.waitForFunction(() => roomRealm.rooms[0]!.end !== undefined, undefined, { timeout: 30_000 })
  assert.equal(await target.evaluate(() => roomRealm.rooms[0]!.end), 'unavailable')
})

test('messages of another room are not this room’s', async () => {
  const { honest, target, warnings } = await lied('swapped', sayAll('one'), () => {
    let isDone = false
    return frame => {
      if (isDone || frame.event?.message?.seq !== 2) return [frame]
      isDone = true
      return [{ ...frame, room: frame.room!.replace('/other', '/room') }]
    }
  })
  await heard(target, 'one')
  const room = await honest.evaluate(async () => {
    const { key, id } = roomRealm.rooms[0]!.room
    await roomRealm.open('other', { key })
    return `${key}.${id.replace('/room', '/other')}`
  })
  const other = await target.evaluate(invite => roomRealm.join(invite), room)
  // The second message of the other room is told as the second of the first.
  await honest.evaluate(async () => {
    await roomRealm.rooms[1]!.room.send('other one')
    await roomRealm.rooms[1]!.room.send('other two')
  })
  await target.evaluate(other => roomRealm.rooms[other]!.until(event => event.type === 'message'), other)
  await sayAll('swapped out', 'still here')(honest)
  await heard(target, 'still here')
  assert.deepEqual(await texts(target), ['one', 'still here'])
  assert.ok(warnings.includes('deputy: room: message 2 is not what its sender sent, and is left out'))
  assert.ok(warnings.includes("deputy: room: before message 3, 1 of its sender's did not arrive"))
})
