import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsInFlight } from './in-flight.ts'

const nothing = (): void => {}

test('a second request for a part stops the first and waits until it has ended', async () => {
  const flight = partsInFlight(4)
  const order: string[] = []
  const first = await flight.take('account', 'id', 0, () => order.push('stopped'))
  const second = flight.take('account', 'id', 0, nothing).then(release => {
    order.push('second')
    return release
  })
  await Promise.resolve()
  order.push('first ends')
  first?.()
  const release = await second
  assert.deepEqual(order, ['stopped', 'first ends', 'second'])
  release?.()
})

test('an account receives a bounded number of parts, another is not in its way', async () => {
  const flight = partsInFlight(2)
  const first = await flight.take('account', 'id', 0, nothing)
  await flight.take('account', 'id', 1, nothing)
  assert.equal(await flight.take('account', 'other', 0, nothing), null)
  assert.notEqual(await flight.take('somebody', 'third', 0, nothing), null)
  first?.()
  assert.notEqual(await flight.take('account', 'other', 0, nothing), null)
})

test('stopping an object stops all its parts', async () => {
  const flight = partsInFlight(8)
  const stopped: number[] = []
  for (const part of [0, 1, 2]) {
    const release = await flight.take('account', 'id', part, () => {
      stopped.push(part)
      release?.()
    })
  }
  await flight.stop('id')
  assert.deepEqual(stopped, [0, 1, 2])
})
