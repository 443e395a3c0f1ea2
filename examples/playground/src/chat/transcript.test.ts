import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RoomEvent } from '@deputy/client/rooms'
import { emptyTranscript, transcriptAfter, type Transcript } from './transcript.ts'

const message = (seq: number, words: unknown = { say: `text ${seq}` }, replayed = false): RoomEvent => ({
  type: 'message',
  message: { seq, at: seq * 1000, from: 'ada', text: typeof words === 'string' ? words : JSON.stringify(words) },
  replayed,
})
const left: RoomEvent = { type: 'left', id: 'ada', reason: 'left' }
const after = (events: readonly RoomEvent[], from: Transcript = emptyTranscript): Transcript =>
  events.reduce((transcript, event) => transcriptAfter(transcript, event, 0), from)
const shown = ({ items }: Transcript): string[] => items.map(item => (item.kind === 'said' ? item.text : item.what))

test('messages stand in the room’s order, also those read from the mailbox later, each once', () => {
  const live = after([message(5), left, message(6)])
  assert.deepEqual(shown(live), ['text 5', 'left', 'text 6'])
  const paged = after([message(3, undefined, true), message(4, undefined, true), message(5, undefined, true)], live)
  assert.deepEqual(shown(paged), ['text 3', 'text 4', 'text 5', 'left', 'text 6'])
  assert.equal(paged.last, 6)
})

test('words without text count as heard and are not shown, and text of another app is shown as it is', () => {
  const transcript = after([message(1, { name: 'Ada', colour: 2 }), message(2, 'plain'), message(3, { at: [1, 2] })])
  assert.deepEqual(shown(transcript), ['plain'])
  assert.equal(transcript.last, 3)
})

test('an edit replaces the text and says so, a deletion takes a range out', () => {
  const transcript = after([message(1), message(2), left, message(3), { type: 'edited', message: { seq: 3, at: 3000, from: 'ada', text: '{"say":"three"}' } }])
  const [last] = transcript.items.slice(-1)
  assert.deepEqual([last?.kind === 'said' && last.text, last?.kind === 'said' && last.edited], ['three', true])
  assert.deepEqual(shown(after([{ type: 'deleted', from: 1, to: 2 }], transcript)), ['left', 'three'])
})
