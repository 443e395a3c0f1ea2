import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engine } from './engine.ts'

test('an engine that breaks off is not gone on with: the next connection has one of its own', async () => {
  const first = await engine()
  assert.equal(await engine(), first)
  assert.match(first.text(first.call.version()), /^OpenSSL 3\.5\./)
  assert.throws(() => first.call.connection_handshake(0x7fff_fff0), WebAssembly.RuntimeError)
  assert.throws(() => first.call.version(), WebAssembly.RuntimeError)
  first.give(() => first.call.connection_free(8))
  const second = await engine()
  assert.notEqual(second, first)
  assert.match(second.text(second.call.version()), /^OpenSSL 3\.5\./)
})

test('an engine without memory left breaks off: nothing is written to where there is none', async () => {
  const first = await engine()
  assert.throws(() => first.call.memory_take(2 ** 31 - 1), WebAssembly.RuntimeError)
  assert.ok(first.call.memory.buffer.byteLength < 2 ** 25)
  assert.throws(() => first.call.version(), WebAssembly.RuntimeError)
  assert.notEqual(await engine(), first)
})
