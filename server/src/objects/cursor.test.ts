import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signerFor } from '../signer.ts'
import { readCursor, writeCursor } from './cursor.ts'

const signer = signerFor('a secret of at least thirty-two characters', 'cursors')
const place = { created: 1_795_000_000_000, id: '6f1b1c50-0000-4000-8000-000000000000' }

test('OBJ-11: a cursor is read back for the scope it was made for', () => {
  assert.deepEqual(readCursor(signer, ['account', 'app'], writeCursor(signer, ['account', 'app'], place)), place)
})

test('OBJ-E2: a cursor of another scope, another server, or changed in any character is none', () => {
  const cursor = writeCursor(signer, ['account', 'app'], place)
  assert.equal(readCursor(signer, ['account', 'other'], cursor), null)
  assert.equal(readCursor(signer, ['other', 'app'], cursor), null)
  assert.equal(readCursor(signer, ['account', null], cursor), null)
  assert.equal(readCursor(signerFor('another secret of thirty-two characters', 'cursors'), ['account', 'app'], cursor), null)
  for (let at = 0; at < cursor.length; at += 1) {
    const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
    assert.equal(readCursor(signer, ['account', 'app'], changed), null, `character ${at}`)
  }
  for (const made of ['', '.', '..', 'a.b.c', `${cursor}.`, cursor.slice(1)]) assert.equal(readCursor(signer, ['account', 'app'], made), null, made)
})
