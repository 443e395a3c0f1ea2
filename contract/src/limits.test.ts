import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  KEY_LENGTH,
  ROOM_TEMPORARY_MS,
  WINDOW_HANDSHAKE_TIMEOUT_MS,
  WINDOW_HELLO_TIMEOUT_MS,
  WINDOW_JAR_MODE_TIMEOUT_MS,
  WINDOW_JAR_PORT_TIMEOUT_MS,
  WINDOW_PARTITION_TOKEN_TIMEOUT_MS,
} from './limits.ts'

test('CLAIM-6: ROOM_TEMPORARY_MS is a minute to 365 days, a week by default', () => {
  const day = 24 * 60 * 60 * 1000
  assert.deepEqual(ROOM_TEMPORARY_MS, { min: 60 * 1000, max: 365 * day, default: 7 * day })
})

test('the waits of a window attachment contain each other', () => {
  assert.ok(WINDOW_JAR_MODE_TIMEOUT_MS > WINDOW_JAR_PORT_TIMEOUT_MS + WINDOW_PARTITION_TOKEN_TIMEOUT_MS)
  assert.equal(WINDOW_HANDSHAKE_TIMEOUT_MS, WINDOW_HELLO_TIMEOUT_MS + WINDOW_JAR_MODE_TIMEOUT_MS + 15_000)
})

test('a key of so many bytes has so many characters of unpadded base64url', () => {
  assert.equal(Buffer.alloc(KEY_LENGTH.bytes).toString('base64url').length, KEY_LENGTH.characters)
})
