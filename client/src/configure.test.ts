import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokerOrigin, configure, useBrokerOrigin } from './configure.ts'

test('the local broker is the default, and a configured one is reduced to its origin', () => {
  assert.equal(brokerOrigin(), 'http://broker.localhost:4400')
  configure({ broker: 'https://broker.example.org/some/path' })
  assert.equal(brokerOrigin(), 'https://broker.example.org')
})

test('what is no origin of a broker is refused by name', () => {
  for (const broker of ['', 'broker.example.org', 'javascript:alert(1)', 'data:text/html,x'])
    assert.throws(() => configure({ broker }), /is not the origin of a broker/)
})

test('another broker after the first use is refused rather than ignored', () => {
  configure({ broker: 'https://broker.example.org' })
  useBrokerOrigin()
  configure({ broker: 'https://broker.example.org' })
  assert.throws(() => configure({ broker: 'https://other.example.org' }), /in use already/)
})
