import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FrameConsentAnswer, FrameConsentRequest } from '@deputy/contract/consent'
import { permissions } from '@deputy/contract/permissions'
import { memoryStore } from '../store/memory.ts'
import { consentOf, type Consent } from './consent.ts'
import { rowName, type ConsentRow } from './rows.ts'

interface Bench {
  readonly consent: Consent
  /** The cards that were shown, each as its rows. */
  readonly cards: (readonly ConsentRow[])[]
  /** What the person answers to the next rows; false when nothing is left. */
  readonly person: FrameConsentAnswer[]
  signIn(account: string | null): void
}

function bench(store = memoryStore(), app = 'web:https://app.example'): Bench {
  const cards: (readonly ConsentRow[])[] = []
  const person: FrameConsentAnswer[] = []
  let account: string | null = null
  const switched = new Set<() => void>()
  const consent = consentOf({
    app,
    store,
    registry: permissions,
    ask: async rows => {
      cards.push(rows)
      return rows.map(() => person.shift() ?? false)
    },
    holder: async () => account,
    onSwitch: listener => {
      switched.add(listener)
      return () => switched.delete(listener)
    },
    news: { tell: () => {}, listen: () => () => {} },
  })
  return {
    consent,
    cards,
    person,
    signIn: next => {
      account = next
      for (const listener of switched) listener()
    },
  }
}

const hosts = ['shop.example']
const request = (consent: Consent, ...rows: FrameConsentRequest[]) => consent.served.request(rows)

test('CNS-1: one card with a row per request, answered in order', async () => {
  const { consent, cards, person } = bench()
  person.push('session', false, 'once')
  const answers = await request(consent, { category: 'network', hosts }, { category: 'storage', hosts }, { key: 'frame.evaluate', hosts, attach: 'a' })
  assert.deepEqual(answers, ['session', false, 'once'])
  assert.equal(cards.length, 1)
  assert.deepEqual(
    cards[0]?.map(({ subject }) => subject),
    [{ category: 'network' }, { category: 'storage' }, { key: 'frame.evaluate' }],
  )
})

test('CNS-1: rows that need no card are answered in their places', async () => {
  const { consent, cards, person } = bench()
  person.push('session')
  await request(consent, { category: 'network', hosts })
  person.push('once')
  const answers = await request(
    consent,
    { key: 'no.such', hosts },
    { category: 'network', hosts },
    { key: 'frame.cookies', hosts, attach: 'a' },
    { category: 'network', hosts },
  )
  assert.deepEqual(answers, [false, 'session', 'once', 'session'])
  assert.deepEqual(cards[1]?.map(rowName).length, 1, 'only the new row is asked')
})

test('CNS-2: a category row asks for every capability of the category, and a grant of it carries each', async () => {
  for (const category of ['interaction', 'storage', 'network', 'evaluation'] as const) {
    const { consent, cards, person } = bench()
    person.push('session')
    await request(consent, { category, hosts })
    const all = permissions.descriptors.filter(one => one.category === category && one.severity > 0)
    const mild = all.filter(({ severity }) => severity < 4)
    const asked = mild.length > 0 ? mild : all
    assert.deepEqual(cards[0]?.[0]?.permissions, asked)
    for (const { scope } of asked) assert.equal(await consent.granted({ key: scope, host: 'shop.example' }), true, scope)
    assert.equal(await consent.granted({ key: asked[0]?.scope ?? '', host: 'other.example' }), false, 'on the granted host alone')
  }
})

test('CNS-3: a key row is refused without a card unless the registry has the key at severity 4', async () => {
  for (const { scope, severity } of permissions.descriptors) {
    const { consent, cards, person } = bench()
    person.push('session')
    const answers = await request(consent, { key: scope, hosts })
    assert.deepEqual(answers, [severity === 4 ? 'session' : false], scope)
    assert.equal(cards.length, severity === 4 ? 1 : 0, scope)
  }
  const { consent, cards } = bench()
  assert.deepEqual(await request(consent, { key: '__proto__', hosts }, { key: 'toString', hosts }, { key: '', hosts }), [false, false, false])
  assert.equal(cards.length, 0)
})

test('CNS-3: a critical grant covers that key alone', async () => {
  const { consent, person } = bench()
  person.push('session')
  await request(consent, { key: 'frame.cookies', hosts })
  assert.equal(await consent.granted({ key: 'frame.cookies', host: 'shop.example' }), true)
  for (const key of ['frame.storage', 'frame.evaluate', 'frame.fetch']) assert.equal(await consent.granted({ key, host: 'shop.example' }), false, key)
})

test('CNS-3: a grant of the category does not carry its critical key', async () => {
  const { consent, person } = bench()
  person.push('session')
  await request(consent, { category: 'storage', hosts })
  assert.equal(await consent.granted({ key: 'frame.cookies', host: 'shop.example' }), false)
})

test('CNS-4: once holds for the attachment that asked, and ends with it', async () => {
  const { consent, cards, person } = bench()
  person.push('once')
  const row = { key: 'frame.evaluate', hosts, attach: 'first' }
  assert.deepEqual(await request(consent, row), ['once'])
  const need = { key: 'frame.evaluate', host: 'shop.example' }
  assert.equal(await consent.granted({ ...need, attach: 'first' }), true)
  assert.equal(await consent.granted({ ...need, attach: 'second' }), false)
  assert.equal(await consent.granted(need), false)
  assert.deepEqual(await request(consent, row), ['once'])
  assert.equal(cards.length, 1, 'the same attachment is not asked twice')
  assert.deepEqual(await request(consent, { ...row, attach: 'second' }), [false])
  assert.equal(cards.length, 2)
  let told = 0
  consent.onChange(() => (told += 1))
  consent.endAttachment('first')
  assert.equal(told, 1)
  assert.equal(await consent.granted({ ...need, attach: 'first' }), false)
})

test('CNS-5: session is remembered until it is removed, also over a reload; removal is told at once', async () => {
  const store = memoryStore()
  const first = bench(store)
  first.person.push('session', 'session')
  await request(first.consent, { category: 'network', hosts }, { key: 'frame.evaluate', hosts })
  const { consent, cards } = bench(store)
  assert.deepEqual(await request(consent, { category: 'network', hosts }, { key: 'frame.evaluate', hosts }), ['session', 'session'])
  assert.equal(cards.length, 0)
  let heard = false
  consent.onChange(() => (heard = true))
  const [network] = await consent.grants()
  assert.ok(network)
  await consent.remove(network.id)
  assert.equal(heard, true)
  assert.equal(await consent.granted({ key: 'frame.fetch', host: 'shop.example' }), false)
  assert.equal(await consent.granted({ key: 'frame.evaluate', host: 'shop.example' }), true)
  assert.deepEqual(await request(consent, { category: 'network', hosts }), [false])
})

test('CNS-5: false is a refusal and gives nothing', async () => {
  const { consent, person } = bench()
  person.push(false)
  assert.deepEqual(await request(consent, { category: 'network', hosts }), [false])
  assert.deepEqual(await consent.grants(), [])
  assert.equal(await consent.granted({ key: 'frame.fetch', host: 'shop.example' }), false)
})

test('CNS-6: ensure answers a boolean; the legacy scopes are the network row', async () => {
  const { consent, cards, person } = bench()
  person.push('session')
  assert.equal(await consent.served.ensure({ scope: 'frame.fetchRead', hosts }), true)
  assert.equal(await consent.served.ensure({ scope: 'frame.fetchWrite', hosts }), true)
  assert.deepEqual(cards[0]?.[0]?.subject, { category: 'network' })
  assert.equal(cards.length, 1)
  assert.equal(await consent.served.ensure({ category: 'storage', hosts }), false)
  person.push('once')
  assert.equal(await consent.served.ensure({ key: 'frame.cookies', hosts, attach: 'a' }), true)
})

test('equal requests at once are one card', async () => {
  const { consent, cards, person } = bench()
  person.push('session')
  const answers = await Promise.all([
    request(consent, { category: 'network', hosts }),
    request(consent, { category: 'network', hosts: ['SHOP.example', 'shop.example'] }),
  ])
  assert.deepEqual(answers, [['session'], ['session']])
  assert.equal(cards.length, 1)
})

test('grants belong to the account and the app', async () => {
  const store = memoryStore()
  const { consent, person, signIn } = bench(store)
  signIn('ada')
  person.push('session', 'once')
  await request(consent, { category: 'network', hosts }, { key: 'frame.evaluate', hosts, attach: 'a' })
  const fetching = { key: 'frame.fetch', host: 'shop.example' }
  const evaluating = { key: 'frame.evaluate', host: 'shop.example', attach: 'a' }
  assert.deepEqual([await consent.granted(fetching), await consent.granted(evaluating)], [true, true])
  signIn('grace')
  assert.deepEqual([await consent.granted(fetching), await consent.granted(evaluating)], [false, false])
  signIn(null)
  assert.equal(await consent.granted(fetching), false)
  signIn('ada')
  assert.deepEqual([await consent.granted(fetching), await consent.granted(evaluating)], [true, false])
  const foreign = bench(store, 'web:https://other.example')
  foreign.signIn('ada')
  assert.equal(await foreign.consent.granted(fetching), false)
})

test('an answer of somebody who signed out meanwhile gives nothing', async () => {
  let account: string | null = 'ada'
  const store = memoryStore()
  const consent = consentOf({
    app: 'web:https://app.example',
    store,
    registry: permissions,
    ask: async rows => {
      account = null
      return rows.map(() => 'session' as const)
    },
    holder: async () => account,
    onSwitch: () => () => {},
    news: { tell: () => {}, listen: () => () => {} },
  })
  assert.deepEqual(await request(consent, { category: 'network', hosts }), [false])
  assert.deepEqual(await store.entries('grants:'), [])
})

test('what is no host is refused unasked', async () => {
  const { consent, cards } = bench()
  for (const host of ['', 'a b', 'https://a.example', 'a.example/path', 'user@a.example', 'a.example:99999x', '%00'])
    assert.deepEqual(await request(consent, { category: 'network', hosts: [host] }), [false], host)
  assert.deepEqual(await request(consent, { category: 'network', hosts: [] }), [false])
  assert.equal(cards.length, 0)
})

test('hosts are shown and compared as the browser resolves them', async () => {
  const { consent, cards, person } = bench()
  person.push('session')
  await request(consent, { category: 'network', hosts: ['BÜCHER.example', '*.Shop.example'] })
  assert.deepEqual(cards[0]?.[0]?.hosts, ['*.shop.example', 'xn--bcher-kva.example'])
  assert.equal(await consent.granted({ key: 'frame.fetch', host: 'eu.shop.example' }), true)
  assert.equal(await consent.granted({ key: 'frame.fetch', host: 'notshop.example' }), false)
})

test('an app that keeps asking what was refused is refused without a card', async () => {
  const { consent, cards } = bench()
  for (let count = 0; count < 10; count++) assert.deepEqual(await request(consent, { category: 'network', hosts }), [false])
  assert.equal(cards.length, 3)
})

test('sockets are one question whatever the host, and their grant carries them on every host and nothing else', async () => {
  const { consent, cards } = bench()
  for (const host of ['a.example', 'b.example', 'c.example', 'd.example', '[::1]']) assert.equal(await consent.askSockets(host), false)
  assert.equal(cards.length, 3, 'an app cannot go on asking by naming other hosts')
  const fresh = bench()
  fresh.person.push('session')
  assert.deepEqual(await Promise.all([fresh.consent.askSockets('a.example'), fresh.consent.askSockets('b.example')]), [true, true])
  assert.equal(fresh.cards.length, 1)
  assert.deepEqual([fresh.cards[0]?.[0]?.severity, fresh.cards[0]?.[0]?.permissions.map(({ scope }) => scope)], [2, ['net.tcp', 'net.udp', 'net.listen']])
  for (const key of ['net.tcp', 'net.udp', 'net.listen']) assert.equal(await fresh.consent.granted({ key, host: 'other.example' }), true)
  for (const key of ['net.lan', 'frame.fetch', 'network.fetchCredentialed', 'frame.evaluate'])
    assert.equal(await fresh.consent.granted({ key, host: 'a.example' }), false, key)
  const [grant] = await fresh.consent.grants()
  await fresh.consent.remove(grant?.id ?? '')
  assert.equal(await fresh.consent.granted({ key: 'net.tcp', host: 'a.example' }), false)
})
