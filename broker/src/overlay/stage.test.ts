import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stageOf } from './stage.ts'

type View = (answer: string) => void

test('one card at a time, in the order asked', async () => {
  const stage = stageOf<View>()
  const put = (key: string) => stage.put<string>({ key, view: finish => finish, refused: 'refused' })
  const [first, second] = [put('a'), put('b')]
  stage.current()?.view('one')
  assert.equal(await first, 'one')
  stage.current()?.view('two')
  assert.equal(await second, 'two')
  assert.equal(stage.current(), undefined)
})

test('equal questions are one card that answers all who asked', async () => {
  const stage = stageOf<View>()
  let shown = 0
  stage.onChange(() => (shown += 1))
  const put = () => stage.put<string>({ key: 'a', view: finish => finish, refused: 'refused' })
  const answers = [put(), put(), put()]
  stage.current()?.view('yes')
  assert.deepEqual(await Promise.all(answers), ['yes', 'yes', 'yes'])
  assert.equal(shown, 2, 'up and down once')
})

test('a signal takes the card down wherever it stands in the queue', async () => {
  const stage = stageOf<View>()
  const ending = new AbortController()
  const first = stage.put<string>({ key: 'a', view: finish => finish, refused: 'refused' })
  const second = stage.put<string>({ key: 'b', view: finish => finish, refused: 'refused', signal: ending.signal })
  ending.abort()
  assert.equal(await second, 'refused')
  stage.current()?.view('yes')
  assert.equal(await first, 'yes')
  assert.equal(await stage.put<string>({ key: 'c', view: finish => finish, refused: 'refused', signal: AbortSignal.abort() }), 'refused')
  assert.equal(stage.current(), undefined)
})

test('a card that goes first puts the shown one off, and gives it back', () => {
  const stage = stageOf<string>()
  const ending = new AbortController()
  void stage.put<string>({ key: 'a', view: () => 'a', refused: '' })
  void stage.put<string>({ key: 'b', view: () => 'b', refused: '', first: true, signal: ending.signal })
  assert.equal(stage.current()?.view, 'b')
  ending.abort()
  assert.equal(stage.current()?.view, 'a')
})
