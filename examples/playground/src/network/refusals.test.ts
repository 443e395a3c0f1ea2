import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayEnd, troubleOf } from './refusals.ts'

test('a code of Node’s is told by the tunnel’s own word beneath it', () => {
  const denied = Object.assign(new Error('connect EACCES', { cause: { error: 'denied', message: '' } }), { code: 'EACCES' })
  assert.match(troubleOf(denied, true).what, /You said no/)
  assert.match(troubleOf(denied, false).wayOut, /Sign in/)
  const blocked = Object.assign(new Error('connect EACCES', { cause: { error: 'EACCES', message: '' } }), { code: 'EACCES' })
  assert.match(troubleOf(blocked, true).what, /does not go there/)
  assert.match(troubleOf(blocked, true, 'listen').what, /lets nobody listen/)
})

test('the quota says when it ends, at midnight UTC', () => {
  const now = Date.UTC(2026, 5, 1, 13)
  assert.equal(dayEnd(now), Date.UTC(2026, 5, 2))
  const { code, wayOut } = troubleOf({ code: 'EDQUOT' }, true, 'reach', now)
  assert.equal(code, 'quota')
  assert.match(wayOut, /midnight UTC/)
})

test('every code of the tunnel has words and, unless it was one’s own doing, a way out', () => {
  const codes =
    'quota denied invalid unavailable timeout EACCES EADDRINUSE EADDRNOTAVAIL ECONNREFUSED ECONNRESET EHOSTUNREACH EMSGSIZE ENETUNREACH ENOTFOUND ETIMEDOUT ETUNNEL'
  for (const code of codes.split(' ')) {
    const { what, wayOut } = troubleOf({ code }, true)
    assert.ok(what !== 'Something went wrong.' && wayOut !== '', code)
  }
  assert.equal(troubleOf(new DOMException('', 'AbortError'), true).what, 'You broke it off.')
  assert.equal(troubleOf(new Error('odd'), true).what, 'odd')
})
