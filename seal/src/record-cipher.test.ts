import assert from 'node:assert/strict'
import { createCipheriv, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { RECORD_BYTES } from './layout.ts'
import { objectContext } from './object-context.ts'
import { mintObjectId, mintObjectKey } from './index.ts'
import { openRecord } from './record-cipher.ts'
import * as second from './second-implementation.test-support.ts'

const integrity = { name: 'SealError', code: 'integrity' }
const [key, id] = [mintObjectKey(), mintObjectId()]

// A record as an uploader who holds the key could make it: bound to `index`, stored under any nonce.
function forge(size: number, index: number, nonce: Buffer, plaintext: Buffer): Uint8Array<ArrayBuffer> {
  const cipher = createCipheriv('aes-256-gcm', second.objectKey(key, id), nonce)
  cipher.setAAD(second.additionalData(id, size, index))
  return new Uint8Array(Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]))
}

const nonceOf = (prefix: Buffer, index: number): Buffer => Buffer.concat([prefix, Buffer.of(0, 0, 0, index)])

test('a record that opens but is stored under the index of another is refused', async () => {
  const size = RECORD_BYTES + 10
  const context = await objectContext(key, id, size, 'decrypt')
  const prefix = randomBytes(8)
  const right = forge(size, 1, nonceOf(prefix, 1), Buffer.alloc(10, 7))
  assert.deepEqual(await openRecord(context, prefix, 1, right), new Uint8Array(10).fill(7))
  await assert.rejects(openRecord(context, prefix, 1, forge(size, 1, nonceOf(prefix, 0), Buffer.alloc(10))), integrity)
  await assert.rejects(openRecord(context, randomBytes(8), 1, right), integrity)
})

test('a record that opens but is longer or shorter than its place, or past the end, is refused', async () => {
  const size = RECORD_BYTES + 10
  const context = await objectContext(key, id, size, 'decrypt')
  const prefix = randomBytes(8)
  for (const [index, length] of [
    [1, 9],
    [1, 11],
    [1, 0],
    [0, 10],
    [2, 10],
    [2, 0],
  ] as const) {
    await assert.rejects(openRecord(context, prefix, index, forge(size, index, nonceOf(prefix, index), Buffer.alloc(length))), integrity, `${index}, ${length}`)
  }
  await assert.rejects(openRecord(context, undefined, 1, new Uint8Array(0)), integrity)
})

test('the key of an object cannot be exported', async () => {
  for (const use of ['encrypt', 'decrypt'] as const) {
    const context = await objectContext(key, id, 1, use)
    assert.equal(context.key.extractable, false)
    assert.deepEqual(context.key.usages, [use])
    await assert.rejects(crypto.subtle.exportKey('raw', context.key))
  }
})
