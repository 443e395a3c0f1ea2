import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listening } from './room-listeners.ts'
import { messages } from './room-messages.ts'
import type { RoomEnd, RoomEvent } from './rooms.ts'

const message = (text: string): RoomEvent => ({ type: 'message', message: { at: 0, from: 'ada', seq: 1, text }, replayed: false })

function roomOf() {
  const listeners = listening<RoomEvent>()
  const { promise: closed, resolve: close } = Promise.withResolvers<RoomEnd>()
  let standing = 0
  const on = async (listener: (event: RoomEvent) => void) => {
    const off = listeners.add(listener)
    standing += 1
    return () => {
      standing -= 1
      off()
    }
  }
  return { tell: listeners.tell, close, room: { on, closed }, count: () => standing }
}

test('messages are iterated in order, also those between two steps, and end with the room', async () => {
  const { tell, close, room, count } = roomOf()
  tell(message('before'))
  const heard: string[] = []
  for await (const { text } of messages(room)) {
    heard.push(text)
    if (text === 'before') {
      for (const next of ['one', 'two']) tell(message(next))
      tell({ type: 'deleted', from: 1, to: 1 })
    }
    if (text === 'two') close({ reason: 'left' })
  }
  assert.deepEqual(heard, ['before', 'one', 'two'])
  assert.equal(count(), 0)
})

test('a signal ends the iteration with its reason, and leaving the loop ends the listener', async () => {
  const { tell, room, count } = roomOf()
  const controller = new AbortController()
  const iterating = messages(room, { signal: controller.signal })
  const waiting = iterating.next()
  controller.abort('enough')
  await assert.rejects(waiting, reason => reason === 'enough')
  const second = messages(room)
  const step = second.next()
  tell(message('one'))
  assert.equal((await step).done, false)
  assert.equal(count(), 1)
  await second.return()
  assert.equal(count(), 0)
})
