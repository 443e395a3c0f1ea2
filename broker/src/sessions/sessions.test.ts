import assert from 'node:assert/strict'
import test from 'node:test'
import { pathOf } from '@deputy/contract/api'
import { readProfile } from '@deputy/contract/api-accounts'
import { endSession, renewSession } from '@deputy/contract/api-sessions'
import { apiAt } from '../api/api.ts'
import { memoryStore } from '../store/memory.ts'
import type { Store } from '../store/store.ts'
import { keepSession, type Session } from './sessions.ts'
import type { TabNews } from './tab-news.ts'

const profile = (id: string): Session['account'] => ({ id, name: id, image: null, email: null, admin: false, premium: false, premiumUntil: null, created: 1 })
const sessionOf = (account: string, token: string, renewAt = 1e15): Session => ({
  token: token.padEnd(43, '-'),
  id: 's',
  kind: 'app',
  app: 'web:http://app.localhost',
  renewAt,
  expiresAt: 2e15,
  account: profile(account),
})

/** News between the keepers of one test. */
function newsroom(): () => TabNews {
  const members: ((subject: string) => void)[] = []
  return () => {
    const own: ((subject: string) => void)[] = []
    members.push(subject => own.forEach(listener => listener(subject)))
    const me = members.at(-1)
    return {
      tell: subject => members.filter(member => member !== me).forEach(member => member(subject)),
      listen: listener => {
        own.push(listener)
        return () => void own.splice(own.indexOf(listener), 1)
      },
    }
  }
}

type Answers = Partial<Record<string, () => Response | Promise<Response>>>
const refusal = (): Response => Response.json({ error: 'unauthorized', message: 'no' }, { status: 401 })

interface Given {
  readonly store?: Store
  readonly news?: TabNews
  readonly answers?: Answers
  readonly now?: () => number
}

function keep({ store = memoryStore(), news = newsroom()(), answers = {}, now = () => 0 }: Given = {}) {
  const calls: { path: string; token: string | undefined }[] = []
  const api = apiAt('http://api.localhost', async (url, init) => {
    const path = String(url).slice('http://api.localhost'.length)
    calls.push({ path, token: new Headers(init?.headers).get('authorization')?.slice('Bearer '.length) })
    const answer = answers[path]
    if (answer === undefined) throw new TypeError('refused')
    return answer()
  })
  const sessions = keepSession({ api: async () => api, store, key: 'session:x', news, now })
  const changes: boolean[] = []
  sessions.onChange(({ switched }) => changes.push(switched))
  return { sessions, changes, calls }
}
const read = (account: string) => ({ [pathOf(readProfile)]: () => Response.json(profile(account)) })

test('ACC-5: sign-in, another account and sign-out are switches; a renewal of the same account is none', async () => {
  const { sessions, changes } = keep({ answers: { [pathOf(endSession)]: () => Response.json({}) } })
  await sessions.adopt(sessionOf('ada', 'one'))
  await sessions.adopt(sessionOf('ada', 'two'))
  await sessions.adopt(sessionOf('eve', 'three'))
  await sessions.end()
  assert.deepEqual(changes, [true, false, true, true])
  assert.equal(await sessions.current(), null)
})

test('ACC-5: a tab hears what another tab of the partition did', async () => {
  const store = memoryStore()
  const news = newsroom()
  const one = keep({ store, news: news() })
  const other = keep({ store, news: news(), answers: { [pathOf(endSession)]: () => Response.json({}) } })
  await one.sessions.adopt(sessionOf('ada', 'one'))
  await one.sessions.adopt(sessionOf('ada', 'two'))
  await other.sessions.end()
  await one.sessions.adopt(sessionOf('eve', 'three'))
  assert.deepEqual(other.changes.slice(0, 3), [true, false, true])
  assert.deepEqual(one.changes, [true, false, true, true])
})

test('a session the service does not know is over; one nobody could ask about stays', async () => {
  const gone = keep({ answers: { [pathOf(readProfile)]: refusal } })
  await gone.sessions.adopt(sessionOf('ada', 'one'))
  assert.equal((await gone.sessions.call(readProfile, {})).kind, 'unauthorized')
  assert.equal(await gone.sessions.current(), null)
  assert.deepEqual(gone.changes, [true, true])

  const cut = keep()
  await cut.sessions.adopt(sessionOf('ada', 'one'))
  assert.equal((await cut.sessions.call(readProfile, {}, { repeatable: false })).kind, 'unreachable')
  assert.equal((await cut.sessions.current())?.account.id, 'ada')
  assert.deepEqual(cut.changes, [true])
})

test('a session past its time is renewed beside the call that found it so, once, and the call does not wait', async () => {
  let renewals = 0
  const renewed = Promise.withResolvers<void>()
  const answers: Answers = {
    ...read('ada'),
    [pathOf(renewSession)]: () => {
      renewals += 1
      return Response.json(sessionOf('ada', 'two'))
    },
  }
  const { sessions, changes, calls } = keep({ answers, now: () => 100 })
  await sessions.adopt(sessionOf('ada', 'one', 50))
  sessions.onChange(() => renewed.resolve())
  const [first, second] = await Promise.all([sessions.call(readProfile, {}), sessions.call(readProfile, {})])
  assert.deepEqual([first.kind, second.kind], ['answer', 'answer'])
  await renewed.promise
  assert.equal(renewals, 1)
  assert.deepEqual(changes, [true, false])
  assert.equal((await sessions.current())?.token, 'two'.padEnd(43, '-'))
  assert.equal(calls.filter(({ path }) => path === pathOf(renewSession))[0]?.token, 'one'.padEnd(43, '-'))
})

test('a call refused with a token that another tab renewed meanwhile is made with the new one', async () => {
  const store: Store = memoryStore()
  let token: string | undefined
  const answers: Answers = {
    [pathOf(readProfile)]: async () => {
      if (token !== undefined) return Response.json(profile('ada'))
      token = 'two'
      await store.set('session:x', sessionOf('ada', token))
      return refusal()
    },
  }
  const { sessions, calls } = keep({ store, answers })
  await sessions.adopt(sessionOf('ada', 'one'))
  assert.equal((await sessions.call(readProfile, {})).kind, 'answer')
  assert.deepEqual(
    calls.map(call => call.token),
    ['one', 'two'].map(name => name.padEnd(43, '-')),
  )
})

test('what a store holds that is no session counts as none', async () => {
  const store = memoryStore()
  await store.set('session:x', { token: 7 })
  assert.equal(await keep({ store }).sessions.current(), null)
})

test('a sign-out lets last work finish before the service ends the session', async () => {
  const order: string[] = []
  const { sessions } = keep({
    answers: {
      [pathOf(endSession)]: () => {
        order.push('ended')
        return Response.json({})
      },
    },
  })
  await sessions.adopt(sessionOf('ada', 'one'))
  const work = Promise.withResolvers<void>()
  sessions.lastWork(work.promise)
  sessions.onChange(() => {
    order.push('told')
    work.resolve()
  })
  await sessions.end()
  assert.deepEqual(order, ['told', 'ended'])
})
