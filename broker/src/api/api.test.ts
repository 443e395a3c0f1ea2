import assert from 'node:assert/strict'
import test from 'node:test'
import { readProfile, updateProfile } from '@deputy/contract/api-accounts'
import { listObjects, reserveObject } from '@deputy/contract/api-objects'
import { apiAt } from './api.ts'

const profile = { id: 'a', name: 'Ada', image: null, email: null, admin: false, premium: false, premiumUntil: null, created: 1 }
const json = (value: unknown, status = 200): Response => Response.json(value, { status })

/** An api whose requests are answered in turn, and the requests it made. */
function answered(...answers: (Response | Error)[]) {
  const requests: { url: string; init: RequestInit }[] = []
  const api = apiAt('http://api.localhost', async (url, init) => {
    requests.push({ url: String(url), init: init ?? {} })
    const next = answers.shift()
    if (next instanceof Response) return next
    throw next ?? new TypeError('refused')
  })
  return { api, requests }
}

test('an answer is read by its shape, and members the route does not know are dropped', async () => {
  const { api } = answered(json({ ...profile, secret: 'x' }))
  assert.deepEqual(await api(readProfile, {}, { token: 't' }), { kind: 'answer', value: profile })
})

test('the token travels in a header only', async () => {
  const { api, requests } = answered(json(profile))
  await api(readProfile, {}, { token: 'the-token' })
  const [{ url, init } = { url: '', init: {} }] = requests
  assert.equal(url, 'http://api.localhost/v1/accounts/profile')
  assert.equal((init.headers as Record<string, string>)['authorization'], 'Bearer the-token')
  assert.doesNotMatch(String(init.body), /the-token/)
})

test('refused, unauthorized and unreachable are told apart', async () => {
  const of = async (...answers: (Response | Error)[]) => (await answered(...answers).api(updateProfile, { name: 'Eve' })).kind
  assert.equal(await of(json({ error: 'quota', message: 'no' }, 402)), 'refused')
  assert.equal(await of(json({ error: 'unauthorized', message: 'no' }, 401)), 'unauthorized')
  assert.equal(await of(json({ error: 'unavailable', message: 'no' }, 503)), 'unreachable')
  assert.equal(await of(new Response('<html>proxy</html>', { status: 502 })), 'unreachable')
  assert.equal(await of(json({ nonsense: true })), 'unreachable')
  assert.equal(await of(new TypeError('refused')), 'unreachable')
})

test('a read is sent again when nobody was reached, a write is not', async () => {
  const read = answered(new TypeError('refused'), json({ objects: [] }))
  assert.equal((await read.api(listObjects, {})).kind, 'answer')
  assert.equal(read.requests.length, 2)
  const write = answered(new TypeError('refused'), json({}))
  assert.equal((await write.api(reserveObject, { id: crypto.randomUUID(), size: 1 })).kind, 'unreachable')
  assert.equal(write.requests.length, 1)
})

test('a call ends at its deadline and at its signal', async () => {
  const hang: typeof fetch = (_url, init) => new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))))
  const api = apiAt('http://api.localhost', hang)
  assert.equal((await api(readProfile, {}, { deadline: 20 })).kind, 'unreachable')
  const stop = new AbortController()
  const call = api(readProfile, {}, { signal: stop.signal })
  stop.abort()
  assert.equal((await call).kind, 'unreachable')
})
