import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spareMemory } from './spare-memory.ts'

test('what is given back serves again, no buffer serves two at once, and no more are kept than said', () => {
  const memory = spareMemory(100, 1)
  const [one, other] = [memory.borrow(100), memory.borrow(10)]
  assert.ok(one !== undefined && other !== undefined)
  assert.deepEqual([one.length, other.length], [100, 10])
  assert.notEqual(one.buffer, other.buffer)
  memory.giveBack(one)
  memory.giveBack(other)
  assert.equal(memory.borrow(50)?.buffer, one.buffer)
  assert.notEqual(memory.borrow(50)?.buffer, other.buffer)
  assert.equal(memory.borrow(101), undefined)
})
