import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLink, released, type Link, type Transport } from '@deputy/channel'
import { call, callback, handle, integer, nothing, optional, signal, string, type Served } from '@deputy/contract/shape'
import { handClock, type HandClock } from '../../support/hand-clock.ts'

const members = {
  quick: call([], integer(), { deadline: 100 }),
  slow: call([optional(signal)], string()),
  person: call([], string(), { deadline: Infinity }),
  enter: call([], handle({ leave: call([], nothing) }), { deadline: 100 }),
  subscribe: call([callback([integer()])], callback([]), { deadline: 100 }),
}

/** Two ends joined by hand: nothing is delivered before `flush`. */
function pair(): { near: Transport; far: Transport; flush(): void; hold(side: 'near' | 'far'): () => void } {
  const boxes = { near: [] as unknown[], far: [] as unknown[] }
  const receive = { near: (_: unknown) => {}, far: (_: unknown) => {} }
  const held = new Set<string>()
  const end = (to: 'near' | 'far', from: 'near' | 'far'): Transport => ({
    post: message => void boxes[to].push(structuredClone(message)),
    listen: hear => {
      receive[from] = hear
    },
    close: () => {},
  })
  const flush = () => {
    for (let moved = true; moved;) {
      moved = false
      for (const side of ['near', 'far'] as const) {
        if (held.has(side)) continue
        for (const message of boxes[side].splice(0)) {
          moved = true
          receive[side](message)
        }
      }
    }
  }
  const hold = (side: 'near' | 'far') => {
    held.add(side)
    return () => void held.delete(side)
  }
  return { near: end('far', 'near'), far: end('near', 'far'), flush, hold }
}

async function joined(
  value: Partial<Served<typeof members>>,
): Promise<ReturnType<typeof pair> & { clock: HandClock; link: Link<typeof members>; server: Link }> {
  const clock = handClock()
  const ends = pair()
  const server = openLink({ transport: ends.far, offers: { members, value }, clock })
  const link = openLink({ transport: ends.near, wants: members, clock })
  ends.flush()
  await link.remote
  return { ...ends, clock, link, server }
}
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'fulfilled',
    (error: { code?: string }) => error.code,
  )
const turn = () => new Promise(resolve => setImmediate(resolve))
const empty = { pending: 0, serving: 0, given: 0, taken: 0, streams: 0 }

test('each call has the deadline of its contract, 30 seconds where none is named, none while a person is asked', async () => {
  const forever = () => new Promise<never>(() => {})
  const { clock, link, flush } = await joined({ quick: forever, slow: forever, person: forever })
  const remote = await link.remote
  const ends: string[] = []
  const note = (name: string, promise: Promise<unknown>) => void code(promise).then(why => ends.push(`${name} ${why}`))
  note('slow', remote.slow())
  note('person', remote.person())
  note('quick', remote.quick())
  flush()
  clock.pass(99)
  await turn()
  assert.deepEqual(ends, [])
  clock.pass(1)
  await turn()
  assert.deepEqual(ends, ['quick timeout'])
  clock.pass(29_900)
  await turn()
  assert.deepEqual(ends, ['quick timeout', 'slow timeout'])
  clock.pass(10 ** 9)
  await turn()
  assert.equal(ends.length, 2)
  link.close()
  await turn()
  assert.deepEqual(ends[2], 'person unavailable')
  assert.equal(clock.timers, 0)
})

test('a caller that waits no longer aborts the signal it gave, and both sides forget the call', async () => {
  let given: AbortSignal | undefined
  const serve = (asked: AbortSignal | undefined) => {
    given = asked
    return new Promise<never>(() => {})
  }
  const { clock, link, server, flush } = await joined({ slow: serve })
  const ended = code((await link.remote).slow(new AbortController().signal))
  flush()
  clock.pass(30_000)
  assert.equal(await ended, 'timeout')
  flush()
  assert.equal(given?.aborted, true)
  assert.deepEqual([link.stats(), server.stats()], [empty, empty])
})

/** Serves rooms and subscriptions, and counts those that are held. */
function holding() {
  const held = { rooms: 0, listeners: 0 }
  const served = {
    enter: () => {
      held.rooms++
      return { leave: () => {}, [released]: () => held.rooms-- } as never
    },
    subscribe: () => {
      held.listeners++
      return () => void held.listeners--
    },
  }
  return { held, served }
}

test('an answer that crosses with the timeout is let go: its handle is released, its subscription ended', async () => {
  const { held, served } = holding()
  const { clock, link, server, flush, hold } = await joined(served)
  const remote = await link.remote
  const free = hold('near')
  const ends = [code(remote.enter()), code(remote.subscribe(() => {}))]
  flush()
  assert.deepEqual(held, { rooms: 1, listeners: 1 })
  clock.pass(100)
  assert.deepEqual(await Promise.all(ends), ['timeout', 'timeout'])
  free()
  flush()
  await turn()
  flush()
  assert.deepEqual(held, { rooms: 0, listeners: 0 })
  assert.deepEqual([link.stats(), server.stats()], [empty, empty])
})

test('the end of a link lets go of all it carried, on both sides', async () => {
  const { held, served } = holding()
  const { link, server, flush } = await joined(served)
  const remote = await link.remote
  const pending = [remote.enter(), remote.subscribe(() => {})] as const
  flush()
  const [room, off] = await Promise.all(pending)
  link.close()
  flush()
  assert.deepEqual(await Promise.all([link.closed, server.closed]), [{ reason: 'closed' }, { reason: 'bye' }])
  assert.deepEqual(held, { rooms: 0, listeners: 0 })
  assert.deepEqual([link.stats(), server.stats()], [empty, empty])
  assert.equal(await code(room.leave()), 'unavailable')
  // Nothing more will come, which is what was asked for.
  assert.equal(await code(off()), 'fulfilled')
})

test('a call is answered once: its result after the drop is discarded where it was made', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { clock, link, server, flush } = await joined({ slow: () => promise })
  const ended = code((await link.remote).slow())
  flush()
  clock.pass(30_000)
  flush()
  assert.equal(await ended, 'timeout')
  resolve('late')
  await turn()
  flush()
  assert.deepEqual([link.stats(), server.stats()], [empty, empty])
  link.close()
  assert.deepEqual(await link.closed, { reason: 'closed' })
})
