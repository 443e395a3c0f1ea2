import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { mintObjectId, mintObjectKey, openObject, parseObjectId, parseObjectKey, sealObject } from './index.ts'

const invalidKey = { name: 'SealError', code: 'invalid-key' }
const invalidId = { name: 'SealError', code: 'invalid-id' }

test('OBJ-3: a minted key is 43 characters of base64url that parse to 32 bytes, another each time', () => {
  const keys = Array.from({ length: 200 }, mintObjectKey)
  assert.equal(new Set(keys).size, keys.length)
  for (const key of keys) {
    assert.match(key, /^[A-Za-z0-9_-]{43}$/)
    assert.deepEqual(Buffer.from(parseObjectKey(key)), Buffer.from(key, 'base64url'))
  }
})

test('OBJ-3: any 32 bytes have one key text, and it parses to them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), bytes => {
      assert.deepEqual(Buffer.from(parseObjectKey(Buffer.from(bytes).toString('base64url'))), Buffer.from(bytes))
    }),
  )
})

test('OBJ-3: the three other spellings of the last character, whose pad bits are not zero, are refused', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('')
  const key = Buffer.alloc(32, 0xa5).toString('base64url')
  const accepted = alphabet.filter(last => {
    try {
      parseObjectKey(key.slice(0, 42) + last)
      return true
    } catch {
      return false
    }
  })
  assert.deepEqual(
    accepted,
    alphabet.filter((_, value) => value % 4 === 0),
  )
})

test('OBJ-3: a key in any but its canonical text is refused', () => {
  const key = Buffer.alloc(32, 0xff).toString('base64url')
  const others = [
    '',
    key.slice(1),
    `${key}A`,
    `${key}=`,
    ` ${key}`,
    `${key}\n`,
    key.replace('_', '/'),
    `${key.slice(0, 42)}é`,
    Buffer.alloc(32).toString('base64'),
  ]
  for (const text of others) assert.throws(() => parseObjectKey(text), invalidKey, JSON.stringify(text))
  for (const value of [undefined, null, 7, randomBytes(32), [key], { toString: () => key }]) {
    assert.throws(() => parseObjectKey(value as unknown as string), invalidKey)
  }
})

test('an id is a version 4 uuid in lower case and nothing else', () => {
  const id = mintObjectId()
  assert.equal(Buffer.from(parseObjectId(id)).toString('hex'), id.replaceAll('-', ''))
  const others = [
    id.toUpperCase(),
    id.replaceAll('-', ''),
    ` ${id}`,
    `${id}\n`,
    id.slice(1),
    '00000000-0000-0000-0000-000000000000',
    '01890a5d-ac96-774b-bcce-b302099a8057',
    '3f2504e0-4f89-4d3a-c000-0305e82c3301',
  ]
  for (const text of others) assert.throws(() => parseObjectId(text), invalidId, text)
  assert.throws(() => parseObjectId([id] as unknown as string), invalidId)
})

test('sealing and opening refuse a key or an id that is not canonical, and the failure repeats neither', async () => {
  const key = mintObjectKey()
  const id = mintObjectId()
  const fetchRange = (): Promise<never> => assert.fail('nothing may be fetched')
  for (const bad of [
    { key: `${key}A`, id },
    { key, id: id.toUpperCase() },
  ]) {
    const code = bad.id === id ? 'invalid-key' : 'invalid-id'
    for (const attempt of [sealObject({ ...bad, size: 1 }), openObject({ ...bad, sealedLength: 29, fetchRange })]) {
      await assert.rejects(attempt, (error: Error & { code: string }) => {
        assert.equal(error.code, code)
        assert.equal(error.cause, undefined)
        assert.ok(!error.message.includes(bad.key) && !error.message.includes(bad.id))
        return true
      })
    }
  }
})
