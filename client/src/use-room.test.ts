import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RoomMember, RoomMessage } from './rooms.ts'
import { membersAfter } from './room-presence.ts'
import { messagesAfter } from './use-room.ts'

const message = (seq: number, text = `${seq}`): RoomMessage => ({ at: seq, from: 'ada', seq, text })
const texts = (messages: readonly RoomMessage[]) => messages.map(({ text }) => text)
const permissions = { send: true, receive: true, remove: false, block: false }

test('messages stand in the room’s order, each once, edits and deletions applied', () => {
  const live = [message(3), message(4)].reduce<readonly RoomMessage[]>(
    (all, next) => messagesAfter(all, { type: 'message', message: next, replayed: false }),
    [],
  )
  const read = [1, 2, 3].reduce((all, seq) => messagesAfter(all, { type: 'message', message: message(seq), replayed: true }), live)
  assert.deepEqual(texts(read), ['1', '2', '3', '4'])
  const edited = messagesAfter(read, { type: 'edited', message: message(2, 'two') })
  assert.deepEqual(texts(messagesAfter(edited, { type: 'deleted', from: 3, to: 4 })), ['1', 'two'])
})

test('members join once, change and leave', () => {
  const ada = { id: 'ada', maxMessageBytes: 100, permissions }
  const twice = [ada, ada].reduce<readonly RoomMember[]>((all, member) => membersAfter(all, { type: 'joined', member }), [])
  assert.deepEqual(twice, [ada])
  const muted = { ...permissions, send: false }
  assert.deepEqual(membersAfter(twice, { type: 'permissions', id: 'ada', maxMessageBytes: 7, permissions: muted }), [
    { id: 'ada', maxMessageBytes: 7, permissions: muted },
  ])
  assert.deepEqual(membersAfter(twice, { type: 'left', id: 'ada', reason: 'left' }), [])
})
