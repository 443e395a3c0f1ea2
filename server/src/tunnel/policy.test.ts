import assert from 'node:assert/strict'
import { test } from 'node:test'
import { policyOf } from './policy.ts'

const rules = { deny: [], ports: [25], own: [] }

test('a place is allowed by its port alone: no other port of the address, and no other address', async () => {
  const policy = policyOf({ ...rules, allow: ['127.0.0.1:6379', '[::1]:53', '10.1.0.0/16'] })
  assert.equal(policy.mayReach('127.0.0.1', 6379), true)
  assert.equal(policy.mayReach('::ffff:127.0.0.1', 6379), true)
  assert.equal(policy.mayReach('::1', 53), true)
  assert.equal(policy.mayReach('10.1.2.3', 9), true)
  for (const [address, port] of [
    ['127.0.0.1', 6380],
    ['127.0.0.1', undefined],
    ['127.0.0.2', 6379],
    ['::1', 6379],
    ['127.0.0.1', 53],
  ] as const)
    assert.equal(policy.mayReach(address, port), false, `${address} ${port}`)
  assert.deepEqual(await policy.targets('localhost', 0, 6379), [{ address: '127.0.0.1', family: 4 }])
  for (const port of [6380, undefined]) assert.deepEqual(await policy.targets('localhost', 0, port), { code: 'EACCES' })
  // Its address may be told, so that one can connect to the port that is allowed.
  assert.deepEqual(await policy.targets('localhost', 0, 'any'), [{ address: '127.0.0.1', family: 4 }])
  assert.deepEqual(await policy.targets('127.0.0.2', 0, 'any'), { code: 'EACCES' })
  assert.deepEqual([policy.hasPlaces(6379), policy.hasPlaces(80)], [true, false])
})

test('who listens here may be reached here, for as long as anybody does', () => {
  const policy = policyOf({ ...rules, allow: [] })
  const [one, two] = [policy.admit('127.0.0.1', 5000), policy.admit('127.0.0.1', 5000)]
  assert.equal(policy.mayReach('127.0.0.1', 5000), true)
  one()
  assert.equal(policy.mayReach('127.0.0.1', 5000), true)
  two()
  assert.equal(policy.mayReach('127.0.0.1', 5000), false)
  const denied = policyOf({ ...rules, allow: ['127.0.0.1:1'], deny: ['127.0.0.0/8'] })
  denied.admit('127.0.0.1', 5000)
  assert.deepEqual([denied.mayReach('127.0.0.1', 5000), denied.mayReach('127.0.0.1', 1)], [false, false])
})

test('what is neither a network nor a place is named', () => {
  for (const text of ['127.0.0.1:0', '127.0.0.1:65536', '[127.0.0.1]:80', 'example.org:80', '10.0.0.0/8:80'])
    assert.throws(() => policyOf({ ...rules, allow: [text] }), { name: 'TypeError', message: `${text} is no network such as 10.0.0.0/8` }, text)
})
