import assert from 'node:assert/strict'
import test from 'node:test'
import { identify, IdentityError } from './app-identity.ts'

test('an app is the origin the browser names, with the port where it is not the default one', () => {
  assert.deepEqual(identify('http://playground.localhost:4400'), {
    id: 'web:http://playground.localhost:4400',
    origin: 'http://playground.localhost:4400',
    host: 'playground.localhost:4400',
  })
  assert.equal(identify('https://app.example').host, 'app.example')
})

test('pages without an origin of their own are refused with a reason', () => {
  for (const origin of ['null', '', 'about:blank', 'file:///etc/passwd', 'data:text/html,x']) assert.throws(() => identify(origin), IdentityError, origin)
  assert.throws(() => identify('https://app.example/path'), IdentityError)
  assert.throws(() => identify('https://APP.example'), IdentityError)
  assert.throws(() => identify('chrome-extension://abcdefgh'), IdentityError)
})
