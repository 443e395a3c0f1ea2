import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokerHeaders, brokerPages, type BrokerPage } from './headers.ts'

const origins = { broker: 'https://broker.example', api: 'https://api.example', cdn: 'https://cdn.example', playground: null }

test('the frame alone may connect to the nodes of the tunnel', () => {
  for (const page of [...(Object.keys(brokerPages) as BrokerPage[]), null]) {
    const policy = brokerHeaders(origins, page, ['https://north.example'])['content-security-policy'] ?? ''
    const connect = policy.split('; ').find(rule => rule.startsWith('connect-src'))
    const own = "connect-src 'self' https://api.example wss://api.example https://cdn.example"
    assert.equal(connect, page === 'frame' ? `${own} https://north.example wss://north.example` : own, String(page))
  }
})
