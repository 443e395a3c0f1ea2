import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrder } from './in-order.ts'

const counter = (end: number): (() => Promise<number | undefined>) => {
  let next = 0
  return () => Promise.resolve(next < end ? next++ : undefined)
}

test('results come in order however the work ends', async () => {
  const finish: (() => void)[] = []
  const next = inOrder(3, counter(3), item => new Promise<number>(resolve => (finish[item] = () => resolve(item))))
  const results = [next(), next(), next(), next()]
  await new Promise(resolve => setImmediate(resolve))
  for (const item of [2, 0, 1]) finish[item]?.()
  assert.deepEqual(await Promise.all(results), [0, 1, 2, undefined])
})

test('no more than the lanes are read ahead of the consumer, and the first does not wait for them', async () => {
  let read = 0
  const next = inOrder(
    3,
    () => (read++ === 0 ? Promise.resolve(0) : new Promise<number>(() => undefined)),
    item => Promise.resolve(item),
  )
  assert.equal(await next(), 0)
  assert.equal(read, 2)

  const items = counter(100)
  let taken = 0
  const bounded = inOrder(
    4,
    () => {
      taken++
      return items()
    },
    item => Promise.resolve(item),
  )
  for (let item = 0; item < 10; item++) {
    assert.equal(await bounded(), item)
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(taken, item + 4)
  }
})

test('a failed read fails its own turn, after what was read before it, and nothing is read after it', async () => {
  let read = 0
  const failure = new Error('read')
  const next = inOrder(
    4,
    () => (read++ === 2 ? Promise.reject(failure) : Promise.resolve(read)),
    item => Promise.resolve(item),
  )
  assert.equal(await next(), 1)
  assert.equal(await next(), 2)
  await assert.rejects(next(), failure)
  await assert.rejects(next(), failure)
  assert.equal(read, 3)
})

test('failed work fails its own turn', async () => {
  const failure = new Error('work')
  const next = inOrder(2, counter(3), item => (item === 1 ? Promise.reject(failure) : Promise.resolve(item)))
  assert.equal(await next(), 0)
  await assert.rejects(next(), failure)
  assert.equal(await next(), 2)
})
