import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gathered } from './gathered.ts'

test('what is asked for in one breath, and while a run is under way, shares a run and is answered in its order', async () => {
  const runs: number[][] = []
  const ends: (() => void)[] = []
  const double = gathered(async (items: readonly number[]) => {
    runs.push([...items])
    await new Promise<void>(resolve => void ends.push(resolve))
    return items.map(item => item * 2)
  })
  const first = [double(1), double(2)]
  await new Promise(setImmediate)
  const second = [double(3), double(4)]
  assert.deepEqual(runs, [[1, 2]])
  ends.shift()?.()
  assert.deepEqual(await Promise.all(first), [2, 4])
  await new Promise(setImmediate)
  ends.shift()?.()
  assert.deepEqual(await Promise.all(second), [6, 8])
  assert.deepEqual(runs, [
    [1, 2],
    [3, 4],
  ])
})

test('a run that fails fails those in it alone', async () => {
  let failing = true
  const run = gathered(async (items: readonly string[]) => {
    if (failing) throw new Error('no')
    return items
  })
  const outcomes = await Promise.allSettled([run('a'), run('b')])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  failing = false
  assert.equal(await run('c'), 'c')
})
