import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import vectors from '../vectors/file-envelopes.json' with { type: 'json' }
import { makeHeader } from './file-header.ts'
import { sealFileWith } from './file-sealer.ts'
import { appKeysOf, fileName, openEntry, openFile, sealedFileLength, sealEntry, sealFile, type AppKeys } from './index.ts'
import * as second from './keys-second-implementation.test-support.ts'
import { patterned, serve } from './objects.test-support.ts'
import { derivable } from './derive.ts'

const hex = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'hex'))
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const { account, app } = vectors
const roots = vectors.roots.map((root, at) => ({ epoch: at + 1, bytes: hex(root) }))
const keysAt = async (epoch: number): Promise<AppKeys> => {
  const held = await Promise.all(roots.slice(0, epoch).map(async root => ({ epoch: root.epoch, key: await derivable(root.bytes) })))
  return appKeysOf({ account, epoch, roots: held }, app)
}
const place = (epoch: number): second.Place => ({ account, app, epoch, key: Buffer.from(vectors.keys[String(epoch) as '1' | '2'], 'hex') })

for (const { what, epoch, ...vector } of vectors.files) {
  const told = { path: vector.path, contentType: vector.contentType, size: vector.size, sealedAt: vector.sealedAt }
  test(`the vector '${what}' is sealed as it says, and opens under the newest keys`, async () => {
    const plaintext = patterned(told.size)
    const keys = await keysAt(epoch)
    assert.equal(await fileName(keys, told.path), vector.name)
    const header = makeHeader(epoch, told.sealedAt, hex(vector.salt))
    assert.equal(Buffer.from(header.bytes).toString('hex'), vector.header)
    const sealer = await sealFileWith({ keys, ...told }, header, hex(vector.prefix))
    const sealed = await sealer.all(plaintext)
    assert.deepEqual([sealed.length, sealedFileLength(told.size), sha256(sealed)], [vector.sealedLength, vector.sealedLength, vector.sha256])
    const newest = await keysAt(2)
    assert.deepEqual(await openEntry(newest, { name: vector.name, epoch, meta: vector.meta }), told)
    const file = await openFile({ keys: newest, ...told, epoch, sealedLength: sealed.length, fetchRange: serve(sealed).fetchRange })
    assert.equal(file.sealedAt, told.sealedAt)
    assert.deepEqual(await file.all(), plaintext)
  })

  test(`the second implementation agrees on the vector '${what}'`, () => {
    const plaintext = Buffer.from(patterned(told.size))
    assert.equal(second.entry(place(epoch), vector.name, told, Buffer.from(vector.entryNonce, 'hex')), vector.meta)
    assert.deepEqual(second.openEntry(place(epoch), vector.name, vector.meta), told)
    const sealed = second.file(place(epoch), told, plaintext, Buffer.from(vector.salt, 'hex'), Buffer.from(vector.prefix, 'hex'))
    assert.equal(sha256(sealed), vector.sha256)
    assert.ok(second.openFile(place(epoch), told, sealed).plaintext.equals(plaintext))
  })
}

test('what the package seals afresh the second implementation opens', async () => {
  const keys = await keysAt(2)
  const told = { path: 'fresh/ü', contentType: 'text/plain', size: 70_000, sealedAt: 1 }
  const plaintext = patterned(told.size)
  const sealed = await (await sealFile({ keys, ...told })).all(plaintext)
  const opened = second.openFile(place(2), told, Buffer.from(sealed))
  assert.ok(opened.plaintext.equals(plaintext))
  assert.equal(opened.sealedAt, 1)
  assert.deepEqual(second.openEntry(place(2), await fileName(keys, told.path), await sealEntry(keys, told)), told)
})
