import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { crowd } from './room-crowd.test-support.ts'
import { request, RoomRequestError, serve, type Json } from './room-requests.ts'
import { RoomsError } from './rooms.ts'

const ended = (code: string) => (error: unknown) => error instanceof RoomRequestError && error.code === code
/** Errors that were reported, from now on. */
function reported(context: TestContext): unknown[] {
  const errors: unknown[] = []
  const before = globalThis.reportError
  globalThis.reportError = error => void errors.push(error)
  context.after(() => void (globalThis.reportError = before))
  return errors
}
/** Lets everything that is on its way arrive. */
const settled = () => new Promise(resolve => setImmediate(resolve))

test('a request is answered with data by the member it is for, also to the page itself', async () => {
  const place = crowd()
  const [ada, ben, eve] = [place.enter('ada'), place.enter('ben'), place.enter('eve')]
  await serve(ben, 'sum', (data, { from }) => ({ from, sum: (data as number[]).reduce((all, next) => all + next, 0) }))
  await serve(eve, 'sum', () => 'not asked')
  await serve(ben, 'nothing', () => undefined)
  assert.deepEqual(await request(ada, 'ben', 'sum', [1, 2, 3]), { from: 'ada', sum: 6 })
  assert.equal(await request(ada, 'ben', 'nothing'), null)
  assert.deepEqual(await request(ben, 'ben', 'sum', [4]), { from: 'ben', sum: 4 })
  assert.ok(!place.sent.some(text => text.includes('not asked')))
})

test('an unknown name and a handler that throws are told apart, and what it threw stays where it was thrown', async context => {
  const errors = reported(context)
  const place = crowd()
  const [ada, ben] = [place.enter('ada'), place.enter('ben')]
  const off = await serve(ben, 'throws', () => {
    throw new Error('inner matters')
  })
  await assert.rejects(
    serve(ben, 'throws', () => null),
    TypeError,
  )
  await assert.rejects(request(ada, 'ben', 'other'), ended('unknown'))
  await assert.rejects(request(ada, 'ben', 'throws'), ended('failed'))
  assert.deepEqual(errors.map(String), ['Error: inner matters'])
  assert.ok(!place.sent.some(text => text.includes('inner matters')))
  off()
  await serve(ben, 'another', () => null)
  await assert.rejects(request(ada, 'ben', 'throws'), ended('unknown'))
})

test('a request ends at its deadline, when the member leaves or is not there, when the room ends, and with its signal; the other side hears of it', async context => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const place = crowd()
  const [ada, ben] = [place.enter('ada'), place.enter('ben')]
  const signals: AbortSignal[] = []
  await serve(ben, 'never', (_, { signal }) => {
    signals.push(signal)
    return new Promise<Json>(() => {})
  })
  const late = request(ada, 'ben', 'never', null, { deadline: 5000 })
  await settled()
  context.mock.timers.tick(5000)
  await assert.rejects(late, ended('deadline'))
  const controller = new AbortController()
  const aborted = request(ada, 'ben', 'never', null, { signal: controller.signal })
  await settled()
  controller.abort('enough')
  await assert.rejects(aborted, reason => reason === 'enough')
  await settled()
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, true],
  )
  await assert.rejects(request(ada, 'nobody', 'never'), ended('gone'))
  const left = request(ada, 'ben', 'never')
  await settled()
  ben.leave()
  await assert.rejects(left, ended('gone'))
  place.enter('eve')
  const over = request(ada, 'eve', 'never')
  await settled()
  ada.leave()
  await assert.rejects(over, ended('closed'))
  await assert.rejects(request(ada, 'eve', 'never'), error => error instanceof RoomsError || ended('closed')(error))
})

test('nobody else can answer, and no second answer counts', async () => {
  const place = crowd()
  const [ada, ben, eve] = [place.enter('ada'), place.enter('ben'), place.enter('eve')]
  const go = Promise.withResolvers<Json>()
  await serve(ben, 'ask', () => go.promise)
  let id: Json = null
  place.before = (from, text) => {
    if (from === 'ada') id = (JSON.parse(text.slice(text.indexOf('{'))) as { id: string }).id
  }
  const asking = request(ada, 'ben', 'ask')
  await settled()
  await eve.say({ kind: 'answer', id, to: 'ada', data: 'forged' })
  await eve.say({ kind: 'cancel', id, to: 'ben' })
  await ben.say({ kind: 'answer', id: 'another', to: 'ada', data: 'of another' })
  for (const text of ['\u0000deputy:', '\u0000deputy:null', '\u0000deputy:{"kind":7}', '\u0000deputy:[]']) await eve.send(text)
  go.resolve('true')
  assert.equal(await asking, 'true')
})

test('a member that asks too much is left to its deadlines, and costs the others none of theirs', async () => {
  const place = crowd()
  const [ada, ben, eve] = [place.enter('ada'), place.enter('ben'), place.enter('eve')]
  let open = 0
  const go = Promise.withResolvers<Json>()
  await serve(ben, 'slow', () => {
    open += 1
    return go.promise
  })
  await serve(ben, 'fast', () => 'at once')
  for (let at = 0; at < 100; at += 1) await eve.say({ kind: 'ask', id: `${at}`, to: 'ben', name: 'slow', data: null })
  for (let at = 0; at < 5; at += 1) await eve.say({ kind: 'ask', id: '1', to: 'ben', name: 'slow', data: null })
  assert.equal(open, 64)
  assert.equal(await request(ada, 'ben', 'fast'), 'at once')
  eve.leave()
  go.resolve(null)
  await settled()
  assert.equal(place.sent.filter(text => text.includes('"answer"')).length, 1, 'nobody who left is answered')
})

test('more requests than the budget allows wait, and one that was refused for it is sent again', async context => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const place = crowd()
  const [ada, ben] = [place.enter('ada'), place.enter('ben')]
  await serve(ben, 'echo', data => data)
  let refusals = 0
  let answered = 0
  place.before = from => {
    if (from === 'ada' && refusals++ < 2) throw new RoomsError('rate-limited', 'slower')
  }
  const all = Array.from({ length: 40 }, (_, at) => request(ada, 'ben', 'echo', at, { deadline: 60_000 }))
  for (const one of all) void one.then(() => (answered += 1))
  const turns: number[] = []
  for (let turn = 0; turn < 60 && answered < 40; turn += 1) {
    for (let at = 0; at < 20; at += 1) await settled()
    turns.push(answered)
    context.mock.timers.tick(500)
  }
  assert.deepEqual(
    await Promise.all(all),
    Array.from({ length: 40 }, (_, at) => at),
  )
  assert.equal(turns[0], 0)
  assert.ok(
    turns.every((count, at) => count <= 16 + at * 8),
    'at most 16 at once and 16 a second',
  )
  assert.equal(refusals, 42)
})
