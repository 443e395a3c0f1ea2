import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { WebSocketRoute } from 'playwright-core'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { openRoomPage, roomsReady } from '../support/room-page.ts'
import { signUp, type TestPerson } from '../support/test-accounts.ts'

let deputy: TestDeputy
/** The only account with premium. */
let ada: TestPerson
before(async () => {
  deputy = await startDeputy()
  ada = await signUp(deputy.server, 'Ada')
})
after(() => deputy?.[Symbol.asyncDispose]())

test('ROOM-1, ROOM-2, ROOM-3: a room is made and joined by its invite, across two apps', async () => {
  const [chat, other] = await Promise.all([openRoomPage(deputy, 'chat'), openRoomPage(deputy, 'other')])
  assert.equal(await chat.evaluate(() => roomRealm.client.rooms.available()), true)
  const made = await chat.evaluate(async () => {
    const { room } = roomRealm.rooms[await roomRealm.create()]!
    const { id, name, invite, key, owner, self, claimed, mailbox, mailboxSwitch, temporaryClaims } = room
    return { id, name, invite, key, isOwner: owner === self.id, claimed, mailbox, mailboxSwitch, temporaryClaims }
  })
  const host = new URL(deputy.web.origin('chat')).host
  assert.match(made.name, /^[A-Za-z0-9_-]{22}$/)
  assert.match(made.key, /^[A-Za-z0-9_-]{43}$/)
  const { name, key, ...rest } = made
  assert.deepEqual(rest, {
    ...{ id: `${host}/${name}`, invite: `${key}.${host}/${name}`, isOwner: true, claimed: false, mailbox: null },
    ...{ mailboxSwitch: true, temporaryClaims: true },
  })
  const seen = await other.evaluate(async invite => {
    const heard = roomRealm.rooms[await roomRealm.join(invite)]!
    await heard.room.send('from another app')
    return { id: heard.room.id, members: (await heard.room.members()).length }
  }, made.invite)
  assert.deepEqual(seen, { id: made.id, members: 2 })
  const heard = await chat.evaluate(async () => {
    const own = roomRealm.rooms[0]!
    await own.until(event => event.type === 'message')
    return own.events.map(event => event.type)
  })
  assert.deepEqual(heard, ['joined', 'message'])
})

test('names, invites and keys that are none are refused, and so is the wrong key', async () => {
  const [page, second] = await Promise.all([openRoomPage(deputy, 'names'), openRoomPage(deputy, 'names')])
  const invite = await page.evaluate(async () => {
    await roomRealm.open('lobby')
    return roomRealm.rooms[0]!.room.invite
  })
  const outcomes = await second.evaluate(async invite => {
    const { outcome } = roomRealm
    const { open, join } = roomRealm.client.rooms
    const [key, id] = [invite.slice(0, 43), invite.slice(44)]
    return [
      await outcome(open('no such name!')),
      await outcome(open('elsewhere.example/lobby')),
      await outcome(open('lobby', { key: 'short' })),
      await outcome(open('lobby')),
      await outcome(join('nonsense')),
      await outcome(join(`${key}.${id}-gone`)),
      await outcome(join(invite)),
    ]
  }, invite)
  assert.deepEqual(outcomes, [
    'RoomsError invalid: rooms: the name is malformed',
    'RoomsError invalid: rooms: the name is malformed',
    'RoomsError invalid: rooms: malformed frame',
    'RoomsError bad-key: rooms: the key does not open the room',
    'RoomsError invalid: rooms: the invite is malformed',
    'RoomsError not-found: rooms: no room at this invite',
    'ok',
  ])
})

test('ROOM-7, ROOM-8, ROOM-17: messages arrive once, in one order for all, the sender’s own before the answer; a listener that throws costs nobody', async () => {
  const pages = await Promise.all(['order', 'order', 'order'].map(name => openRoomPage(deputy, name)))
  const [first] = pages
  const invite = await first!.evaluate(async () => {
    await roomRealm.open('order')
    return roomRealm.rooms[0]!.room.invite
  })
  await Promise.all(pages.slice(1).map(page => page.evaluate(invite => roomRealm.join(invite), invite)))
  const early = await Promise.all(
    pages.map((page, index) =>
      page.evaluate(async index => {
        const heard = roomRealm.rooms[0]!
        const off = await heard.room.on(() => {
          throw new Error('a listener of the app')
        })
        let isFirst = true
        for (let at = 0; at < 10; at += 1) {
          await heard.room.send(`${index}.${at}`)
          isFirst &&= heard.texts().includes(`${index}.${at}`)
        }
        off()
        return isFirst
      }, index),
    ),
  )
  assert.deepEqual(early, [true, true, true])
  const orders = await Promise.all(
    pages.map(page =>
      page.evaluate(async () => {
        const heard = roomRealm.rooms[0]!
        const messages = () => heard.events.flatMap(event => (event.type === 'message' && !event.replayed ? [event.message] : []))
        await heard.until(() => messages().length === 30)
        return messages().map(({ seq, text, from }) => [seq, text, from])
      }),
    ),
  )
  assert.deepEqual(orders[1], orders[0])
  assert.deepEqual(orders[2], orders[0])
  assert.deepEqual(
    orders[0]!.map(([seq]) => seq),
    Array.from({ length: 30 }, (_, at) => at + 1),
  )
})

test('ROOM-9, ROOM-10, ROOM-11, ROOM-19: the mailbox of a claimed room is read, edited and deleted', async () => {
  const page = await openRoomPage(deputy, 'mailbox', ada)
  const invite = await page.evaluate(async () => {
    await roomRealm.open('kept')
    const { room } = roomRealm.rooms[0]!
    await room.claim({ description: 'what is kept' })
    for (const text of ['one', 'two', 'three', 'four']) await room.send(text)
    await room.edit(2, 'zwei')
    await room.edit(2, 'deux')
    await room.delete(3)
    return room.invite
  })
  const later = await openRoomPage(deputy, 'later')
  const seen = await later.evaluate(async invite => {
    const heard = roomRealm.rooms[await roomRealm.join(invite)]!
    const first = await heard.room.backlog(0, 2)
    const rest = await heard.room.backlog(first.last)
    const messages = heard.events.flatMap(event => (event.type === 'message' ? [[event.message.seq, event.message.text, event.replayed]] : []))
    const { room } = heard
    await room.send('of a guest')
    const denied = [await roomRealm.outcome(room.edit(1, 'x')), await roomRealm.outcome(room.delete(1, 5))]
    return { first, rest, messages, claimed: room.claimed, usage: (await room.usage())?.messages, denied }
  }, invite)
  assert.deepEqual(seen, {
    first: { last: 2, more: true },
    rest: { last: 4, more: false },
    messages: [
      [1, 'one', true],
      [2, 'deux', true],
      [4, 'four', true],
    ],
    claimed: true,
    usage: 4,
    denied: Array(2).fill('RoomsError denied: rooms: not the room owner'),
  })
  await page.evaluate(async () => {
    const { room } = roomRealm.rooms[0]!
    await room.edit(5, 'moderated')
    await room.delete(1, 2)
  })
  const moderated = await later.evaluate(async () => {
    const heard = roomRealm.rooms[0]!
    return [await heard.until(event => event.type === 'deleted'), heard.events.flatMap(event => (event.type === 'edited' ? [event.message.text] : []))]
  })
  assert.deepEqual(moderated, [{ type: 'deleted', from: 1, to: 2 }, ['moderated']])
  const events = await page.evaluate(() => roomRealm.rooms[0]!.events.map(event => (event.type === 'edited' ? `edited ${event.message.text}` : event.type)))
  assert.deepEqual(events.slice(0, 8), ['claim', 'message', 'message', 'message', 'message', 'edited zwei', 'edited deux', 'deleted'])
})

test('ROOM-12, ROOM-13, ROOM-14, ROOM-15, ROOM-16, ROOM-E1, ROOM-E2: the owner grants, revokes, limits, removes and blocks; others are refused', async () => {
  const owner = await openRoomPage(deputy, 'moderated')
  const invite = await owner.evaluate(async () => {
    await roomRealm.create()
    return roomRealm.rooms[0]!.room.invite
  })
  const guest = await openRoomPage(deputy, 'guest')
  const id = await guest.evaluate(async invite => {
    await roomRealm.join(invite)
    return roomRealm.rooms[0]!.room.self.id
  }, invite)
  const refusals = await guest.evaluate(async () => {
    const { room } = roomRealm.rooms[0]!
    const { outcome } = roomRealm
    const { owner, self } = room
    return [await outcome(room.grant(self.id, 'block')), await outcome(room.setDefault('send', false)), await outcome(room.remove(owner))]
  })
  assert.deepEqual(refusals, [
    'RoomsError denied: rooms: not the room owner',
    'RoomsError denied: rooms: not the room owner',
    'RoomsError denied: rooms: permission denied',
  ])
  await owner.evaluate(async id => {
    const { room } = roomRealm.rooms[0]!
    await room.revoke(id, 'send')
    await room.limit(200, id)
  }, id)
  const revoked = await guest.evaluate(async () => {
    const heard = roomRealm.rooms[0]!
    const { room } = heard
    await heard.until(event => event.type === 'permissions' && event.maxMessageBytes === 200)
    return [await roomRealm.outcome(room.send('x')), await roomRealm.outcome(room.send('x'.repeat(200))), room.self.permissions.send, room.self.maxMessageBytes]
  })
  assert.deepEqual(revoked, ['RoomsError denied: rooms: permission denied', 'RoomsError too-large: rooms: the message is too large', false, 200])
  await owner.evaluate(id => roomRealm.rooms[0]!.room.limit(null, id), id)
  await guest.waitForFunction(() => roomRealm.rooms[0]!.room.self.maxMessageBytes === 65_536)
  await owner.evaluate(async id => {
    const { room } = roomRealm.rooms[0]!
    await room.setDefault('receive', false)
    await room.remove(id)
  }, id)
  await guest.waitForFunction(() => roomRealm.rooms[0]!.end === 'removed')
  const again = await guest.evaluate(async invite => {
    const heard = roomRealm.rooms[await roomRealm.join(invite)]!
    return { id: heard.room.self.id, receive: (await heard.room.defaults()).receive, closed: await roomRealm.outcome(roomRealm.rooms[0]!.room.send('x')) }
  }, invite)
  assert.notEqual(again.id, id)
  assert.deepEqual([again.receive, again.closed], [false, 'RoomsError closed: rooms: the room is closed'])
  await owner.evaluate(id => roomRealm.rooms[0]!.room.block(id), again.id)
  await guest.waitForFunction(() => roomRealm.rooms[1]!.end === 'blocked')
  assert.equal(
    await guest.evaluate(invite => roomRealm.outcome(roomRealm.client.rooms.join(invite)), invite),
    'RoomsError blocked: rooms: blocked from the room',
  )
  const heard = await owner.evaluate(() => roomRealm.rooms[0]!.events.flatMap(event => (event.type === 'left' ? [event.reason] : [])))
  assert.deepEqual(heard, ['removed', 'blocked'])
  await owner.evaluate(id => roomRealm.rooms[0]!.room.unblock(id), again.id)
  assert.equal(await guest.evaluate(invite => roomRealm.outcome(roomRealm.client.rooms.join(invite)), invite), 'ok')
})

test('a reload within the hold keeps the seat, and what was missed follows in order', async () => {
  const [stays, reloads] = await Promise.all([openRoomPage(deputy, 'hold'), openRoomPage(deputy, 'hold')])
  const invite = await stays.evaluate(async () => {
    await roomRealm.open('hold')
    return roomRealm.rooms[0]!.room.invite
  })
  const before = await reloads.evaluate(async invite => {
    const { room } = roomRealm.rooms[await roomRealm.join(invite)]!
    await room.send('before')
    return room.self.id
  }, invite)
  const address = reloads.url()
  await reloads.goto('about:blank')
  await stays.evaluate(async () => {
    for (const text of ['missed one', 'missed two']) await roomRealm.rooms[0]!.room.send(text)
  })
  await reloads.goto(address)
  await roomsReady(reloads)
  const back = await reloads.evaluate(async invite => {
    const heard = roomRealm.rooms[await roomRealm.join(invite)]!
    await heard.until(() => heard.texts().length === 2)
    await heard.room.send('after')
    return { id: heard.room.self.id, texts: heard.texts() }
  }, invite)
  assert.deepEqual(back, { id: before, texts: ['missed one', 'missed two', 'after'] })
  const told = await stays.evaluate(async () => {
    await roomRealm.rooms[0]!.until(event => event.type === 'message' && event.message.text === 'after')
    return roomRealm.rooms[0]!.events.map(event => event.type)
  })
  assert.deepEqual(told, ['joined', 'message', 'message', 'message', 'message'], 'nobody is told of a reload')
})

test('a dropped connection is made again without the app noticing', async () => {
  const [one, two] = await Promise.all([openRoomPage(deputy, 'drop'), openRoomPage(deputy, 'drop')])
  const sockets: WebSocketRoute[] = []
  await one.routeWebSocket(/\/v1\/rooms$/, route => {
    route.connectToServer()
    sockets.push(route)
  })
  const invite = await one.evaluate(async () => {
    await roomRealm.open('drop')
    return roomRealm.rooms[0]!.room.invite
  })
  await two.evaluate(invite => roomRealm.join(invite), invite)
  const sent = one.evaluate(() => Promise.all(['a', 'b', 'c'].map(text => roomRealm.outcome(roomRealm.rooms[0]!.room.send(text)))))
  await sockets[0]?.close({ code: 1001 })
  assert.deepEqual(await sent, ['ok', 'ok', 'ok'])
  assert.equal(await one.evaluate(() => roomRealm.outcome(roomRealm.rooms[0]!.room.send('d'))), 'ok')
  assert.equal(sockets.length, 2)
  for (const page of [one, two]) {
    const heard = await page.evaluate(async () => {
      const heard = roomRealm.rooms[0]!
      await heard.until(event => event.type === 'message' && event.message.text === 'd')
      return heard.events.map(event => (event.type === 'message' ? event.message.text : event.type))
    })
    assert.deepEqual(
      heard.filter(told => told !== 'joined'),
      ['a', 'b', 'c', 'd'],
    )
  }
})

test('ROOM-4: defaults and the number of members are those of the join that brought the room into being', async () => {
  const [page, second] = await Promise.all([openRoomPage(deputy, 'options'), openRoomPage(deputy, 'options')])
  const key = 'A'.repeat(43)
  const made = await page.evaluate(async key => {
    const { room } = roomRealm.rooms[await roomRealm.open('global/options', { key, members: 1, defaults: { send: false, maxMessageBytes: 500 } })]!
    return { id: room.id, key: room.key, defaults: await room.defaults() }
  }, key)
  assert.deepEqual(made, { id: 'global/options', key, defaults: { maxMessageBytes: 500, receive: true, send: false } })
  const full = await second.evaluate(key => roomRealm.outcome(roomRealm.open('global/options', { key, members: 9 })), key)
  assert.equal(full, 'RoomsError full: rooms: the room is full')
})

test('ROOM-4, ROOM-18: aborting leaves the room, and closed settles once', async () => {
  const page = await openRoomPage(deputy, 'abort')
  const seen = await page.evaluate(async () => {
    const controller = new AbortController()
    const { room } = roomRealm.rooms[await roomRealm.open('abort', { signal: controller.signal })]!
    const before = await roomRealm.client.rooms.open('abort', { signal: AbortSignal.abort('too early') }).catch(String)
    controller.abort()
    return { before, end: await room.closed, send: await roomRealm.outcome(room.send('x')) }
  })
  assert.deepEqual(seen, { before: 'too early', end: { reason: 'left' }, send: 'RoomsError closed: rooms: the room is closed' })
})

test('a reload beyond the hold is a new member, and the others hear that the old one left', async () => {
  await using brief = await startDeputy({ config: { rooms: { hold: '1s' } } })
  const [stays, goes] = await Promise.all([openRoomPage(brief, 'beyond'), openRoomPage(brief, 'beyond')])
  const invite = await stays.evaluate(async () => {
    await roomRealm.open('beyond')
    return roomRealm.rooms[0]!.room.invite
  })
  const join = async () => goes.evaluate(async invite => roomRealm.rooms[await roomRealm.join(invite)]!.room.self.id, invite)
  const before = await join()
  const address = goes.url()
  await goes.goto('about:blank')
  const left = await stays.evaluate(() => roomRealm.rooms[0]!.until(event => event.type === 'left'))
  assert.deepEqual(left, { type: 'left', id: before, reason: 'left' })
  await goes.goto(address)
  await roomsReady(goes)
  assert.notEqual(await join(), before)
})

test('a duplicated tab gets a seat of its own', async () => {
  const page = await openRoomPage(deputy, 'twin')
  const { invite, id } = await page.evaluate(async () => {
    await roomRealm.open('twin')
    const { invite, self } = roomRealm.rooms[0]!.room
    return { invite, id: self.id }
  })
  // A tab opened by the page begins with a copy of its sessionStorage, that of its frames included.
  const opened = deputy.context.waitForEvent('page')
  await page.evaluate(() => void window.open(location.href))
  const twin = await opened
  await roomsReady(twin)
  const seen = await twin.evaluate(async invite => {
    const { room } = roomRealm.rooms[await roomRealm.join(invite)]!
    return { id: room.self.id, members: (await room.members()).length }
  }, invite)
  assert.notEqual(seen.id, id)
  assert.equal(seen.members, 2)
  assert.equal(await page.evaluate(() => roomRealm.rooms[0]!.end), undefined)
})
