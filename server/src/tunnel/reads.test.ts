import assert from 'node:assert/strict'
import { test } from 'node:test'
import { letGo } from './reads.ts'

test('memory is let go where the bytes are all of it, and never where somebody else may look at the rest', () => {
  const whole = new Uint8Array(65_536)
  letGo(whole)
  assert.equal(whole.buffer.detached, true)
  const memory = new Uint8Array(65_536)
  letGo(memory.subarray(0, 65_535))
  letGo(memory.subarray(1))
  letGo(Buffer.from('a small one is a view into memory of many'))
  letGo(new Uint8Array())
  assert.equal(memory.buffer.detached, false)
})
