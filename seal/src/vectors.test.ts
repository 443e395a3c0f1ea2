import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import vectors from '../vectors/object-records.json' with { type: 'json' }
import { parseObjectKey, plainLength, sealedLength } from './index.ts'
import { sealObjectWith } from './object-sealer.ts'
import { drain, open, patterned, recordsOf, store } from './objects.test-support.ts'
import * as second from './second-implementation.test-support.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

for (const vector of vectors.objects) {
  const { key, id, size } = vector
  const plaintext = patterned(size)

  test(`vector '${vector.name}': sealing gives its bytes, and they open`, async () => {
    assert.equal(sha256(plaintext), vector.plaintextSha256)
    const sealer = await sealObjectWith({ key, id, size }, Buffer.from(vector.noncePrefix, 'hex'))
    const parts: Uint8Array[] = []
    for await (const { bytes } of sealer.parts(new Blob([plaintext]))) parts.push(bytes)
    const sealed = new Uint8Array(Buffer.concat(parts))
    assert.equal(sealed.length, vector.sealedLength)
    for (const [index, record] of recordsOf(sealed).entries()) {
      assert.equal(Buffer.from(record.subarray(0, 12)).toString('hex'), vector.records[index]?.nonce)
      assert.equal(Buffer.from(record.subarray(-16)).toString('hex'), vector.records[index]?.tag)
      assert.equal(sha256(record), vector.records[index]?.sha256)
    }
    assert.equal(sha256(sealed), vector.sealedSha256)
    if (vector.sealed !== undefined) assert.equal(Buffer.from(sealed).toString('hex'), vector.sealed)

    const handle = await open({ key, id, sealed })
    assert.ok((await drain(handle.read(0, size))).bytes.equals(plaintext))
  })

  test(`vector '${vector.name}': the second implementation agrees at every step`, () => {
    assert.equal(second.objectKey(key, id).toString('hex'), vector.objectKey)
    for (const [index, record] of vector.records.entries()) assert.equal(second.additionalData(id, size, index).toString('hex'), record.additionalData)
    const sealed = second.seal(key, id, Buffer.from(vector.noncePrefix, 'hex'), Buffer.from(plaintext))
    assert.equal(sha256(sealed), vector.sealedSha256)
    assert.equal(sha256(second.open(key, id, sealed)), vector.plaintextSha256)
  })
}

test('what one implementation seals under fresh keys the other opens', async () => {
  for (const size of [0, 1, 1_048_575, 1_048_576, 1_048_577, 3_000_000]) {
    const plaintext = patterned(size)
    const ours = await store(plaintext)
    assert.ok(second.open(ours.key, ours.id, Buffer.from(ours.sealed)).equals(plaintext))

    const [key, id] = [randomBytes(32).toString('base64url'), randomUUID()]
    const sealed = new Uint8Array(second.seal(key, id, randomBytes(8), Buffer.from(plaintext)))
    const handle = await open({ key, id, sealed })
    assert.ok((await drain(handle.read(0, size))).bytes.equals(plaintext))
  }
})

test('OBJ-3: the vectors’ keys are taken and refused', () => {
  for (const key of vectors.keys.valid) assert.equal(Buffer.from(parseObjectKey(key)).toString('base64url'), key)
  for (const key of vectors.keys.invalid) assert.throws(() => parseObjectKey(key), { code: 'invalid-key' }, key)
})

test('OBJ-8: the vectors’ lengths are taken and refused', () => {
  for (const { size, sealedLength: length } of vectors.lengths.valid) {
    assert.equal(sealedLength(size), length)
    assert.equal(plainLength(length), size)
  }
  for (const length of vectors.lengths.invalid) assert.throws(() => plainLength(length), { code: 'integrity' }, String(length))
})
