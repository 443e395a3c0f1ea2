import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SealError } from '@deputy/seal'
import { isRefusal, refusal, refusalBy, told } from './refused.ts'

test('what the service refuses is told in the words of the file storage', () => {
  const refused = (error: string, message = '') => refusalBy({ kind: 'refused', error, message }, 'accountChanged').code
  assert.deepEqual(
    ['quota', 'too-many', 'too-large', 'not-found', 'conflict', 'denied', 'constructor', 'rate-limited'].map(error => refused(error)),
    ['quota', 'too-many', 'too-large', 'not-found', 'conflict', 'locked', 'unavailable', 'unavailable'],
  )
  assert.equal(refused('conflict', 'the key epoch is not the current one'), 'stale-epoch')
  assert.equal(refusalBy({ kind: 'unauthorized' }, 'needsAccount').code, 'denied')
  assert.equal(refusalBy({ kind: 'unreachable' }, 'needsAccount').code, 'unavailable')
})

test('a call answers its refusal; whatever else fails tells nothing of itself', async () => {
  const failing = (error: Error) => told(() => Promise.reject(error))
  assert.deepEqual(await told(() => Promise.resolve(7)), 7)
  assert.deepEqual(await failing(refusal('locked')), { error: 'locked', message: 'fs: the storage is locked, call unlock to open it' })
  assert.equal(((await failing(new SealError('integrity'))) as { error: string }).error, 'integrity')
  assert.equal(((await failing(new SealError('stale-epoch'))) as { error: string }).error, 'stale-epoch')
  assert.deepEqual(await failing(new Error('a secret')), { error: 'unavailable', message: 'fs: the file storage is unavailable' })
  assert.ok(isRefusal(refusal('changed'), 'changed') && !isRefusal(refusal('changed'), 'locked'))
})
