import assert from 'node:assert/strict'
import { test } from 'node:test'
import { streamOf } from './stream-of.ts'

test('bytes come in their order, each chunk in memory of its own, and the source is untouched', async () => {
  for (const length of [0, 1, 2 ** 20, 2 ** 20 + 1, 3_000_000]) {
    const bytes = Uint8Array.from({ length }, (_, at) => at % 251)
    const chunks: Uint8Array[] = []
    for await (const chunk of streamOf(bytes)) {
      assert.equal(chunk.byteLength, chunk.buffer.byteLength)
      assert.notEqual(chunk.buffer, bytes.buffer)
      chunks.push(chunk)
    }
    assert.ok(Buffer.concat(chunks).equals(bytes), `${length} bytes`)
  }
})
