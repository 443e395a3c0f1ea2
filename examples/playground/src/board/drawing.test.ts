import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawingAfter, emptyDrawing, tellings, type Drawing } from './drawing.ts'

const guest = { colour: 2, isOwner: false }
const owner = { colour: 3, isOwner: true }
const after = (words: Record<string, unknown>, drawing: Drawing = emptyDrawing, from = 'ada', who = guest) => drawingAfter(drawing, from, words, who)

test('points of one stroke come together, and the cursor is where the member said last', () => {
  const drawing = after({ at: [30, 40], pens: { a: [30, 40] } }, after({ at: [10, 20], pens: { a: [10, 20] } }))
  assert.deepEqual([...drawing.strokes], [['ada/a', { by: 'ada', colour: 2, points: [10, 20, 30, 40] }]])
  assert.deepEqual(drawing.cursors.get('ada'), { x: 30, y: 40, isAway: false })
  assert.deepEqual(after({ at: null }, drawing).cursors.get('ada'), { x: 30, y: 40, isAway: true })
})

test('what is malformed changes nothing, and what is beyond the board is at its edge', () => {
  for (const words of [{ at: [1] }, { at: ['1', 2] }, { pens: { a: [1, 2, 3] } }, { pens: { a: 'x' } }, { pens: [1] }, { strokes: [{ key: 1 }] }])
    assert.deepEqual(after(words), emptyDrawing)
  assert.deepEqual(after({ at: [-5, 9999] }).cursors.get('ada'), { x: 0, y: 600, isAway: false })
})

test('a member wipes their own strokes, the owner all', () => {
  const both = after({ pens: { b: [1, 1] } }, after({ pens: { a: [1, 1] } }), 'bob')
  assert.deepEqual([...after({ clear: 'mine' }, both).strokes.keys()], ['bob/b'])
  assert.equal(after({ clear: 'all' }, both).strokes.size, 2)
  assert.equal(after({ clear: 'all' }, both, 'bob', owner).strokes.size, 0)
})

test('a board is told in messages that fit, and told twice it is the same', () => {
  let drawing = emptyDrawing
  for (let at = 0; at < 50; at++) drawing = after({ pens: { [at]: Array.from({ length: 20 }, () => at) } }, drawing)
  const messages = tellings(drawing.strokes, 1000)
  assert.ok(messages.length > 1 && messages.every(message => JSON.stringify(message).length <= 1000))
  const told = [...messages, ...messages].reduce((known, words) => after(words, known, 'bob'), emptyDrawing)
  assert.deepEqual(told.strokes, drawing.strokes)
})
