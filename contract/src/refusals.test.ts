import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tunnelErrorCodes, tunnelRefusals } from './cloud.ts'
import { frameErrors, frameErrorTypes, regExpRefusal, unsupportedRefusal } from './frame-errors.ts'
import { fsErrorCodes, fsRefusals } from './fs.ts'
import { packagesErrorCodes, packagesRefusals } from './packages.ts'
import { isRefusal, refuse, type Refusal } from './refusals.ts'
import { roomsErrorCodes } from './room-types.ts'
import { roomsRefusals } from './rooms-refusals.ts'
import { storage, storageErrorCodes } from './storage.ts'
import { storageRefusals } from './storage-refusals.ts'
import { parse } from './validate.ts'

const sets: readonly (readonly [Readonly<Record<string, Refusal>>, readonly string[], string])[] = [
  [storageRefusals, storageErrorCodes, 'storage: '],
  [roomsRefusals, roomsErrorCodes, 'rooms: '],
  [packagesRefusals, packagesErrorCodes, 'packages: '],
  [fsRefusals, fsErrorCodes, 'fs: '],
]

test('every code has a refusal, every refusal a code of its set and a message of its own', () => {
  for (const [refusals, codes, prefix] of sets) {
    assert.deepEqual(new Set(Object.values(refusals).map(({ code }) => code)), new Set(codes))
    const messages = Object.values(refusals).map(({ message }) => message)
    assert.equal(new Set(messages).size, messages.length)
    assert.ok(messages.every(message => message.startsWith(prefix)))
  }
  for (const { code } of Object.values(tunnelRefusals)) assert.ok(tunnelErrorCodes.includes(code))
  for (const { code } of Object.values(frameErrors)) assert.ok(frameErrorTypes.includes(code))
})

test('a refusal crosses as error and message', () => {
  const crossed = refuse(storageRefusals.badKey)
  assert.deepEqual(crossed, { error: 'invalid', message: 'storage: the key is not 32 bytes base64url' })
  assert.deepEqual(parse(storage.list.result, crossed), crossed)
  assert.throws(() => parse(storage.list.result, { error: 'made-up', message: '' }))
})

test('a refusal is told from an answer', () => {
  assert.equal(isRefusal(refuse(roomsRefusals.notOwner)), true)
  for (const answer of [null, undefined, 'invalid', { ok: true }, { error: 1, message: 'x' }, { error: 'x' }, []]) assert.equal(isRefusal(answer), false)
})

test('names stand in the texts that have a place for one, as they are', () => {
  assert.equal(regExpRefusal('domain').message, 'frame.clearCookies: domain is a RegExp, and clearCookies takes strings for name, domain and path for now')
  assert.equal(unsupportedRefusal('$&').message, 'frame: this page is too old for $&')
})
