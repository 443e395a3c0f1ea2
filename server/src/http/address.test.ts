import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classOf } from './address.ts'

test('an IPv4 address counts by itself, also when mapped into IPv6', () => {
  assert.equal(classOf('203.0.113.7'), '203.0.113.7')
  assert.equal(classOf('::ffff:203.0.113.7'), '203.0.113.7')
})

test('IPv6 addresses of one /64 count together, however they are written', () => {
  for (const address of ['2001:db8:0:1::1', '2001:DB8::1:0:0:0:2', '2001:db8:0:1:ffff:ffff:ffff:ffff', '2001:0db8:0000:0001::', '2001:db8:0:1::1%eth0'])
    assert.equal(classOf(address), '2001:db8:0:1::/64')
  assert.equal(classOf('::1'), '0:0:0:0::/64')
  assert.notEqual(classOf('2001:db8:0:2::1'), classOf('2001:db8:0:1::1'))
})

test('what is no address is bounded', () => {
  assert.ok(classOf('x'.repeat(10_000)).length <= 64)
})
