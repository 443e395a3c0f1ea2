import type { Link, Stats } from '@deputy/channel'
import type { Remote } from '@deputy/contract/shape'
import { check, rejection, same, until } from './check.ts'
import { sum, type peer } from './peer.ts'

/** One connection to a peer that serves the suite. */
export interface Connection {
  readonly remote: Remote<typeof peer>
  readonly link: Pick<Link, 'stats'>
}

/** One thing the channel must do, whatever it runs over. Fails by throwing. */
export interface Case {
  readonly name: string
  run(connection: Connection): Promise<void>
}

const cases: Case[] = []
const add = (name: string, run: Case['run']) => void cases.push({ name, run })

const MIB = 2 ** 20
/** Waits until neither side holds more than before; less is fine, since collection may let go of what earlier cases left to it. */
const quiet = async ({ remote, link }: Connection, [near, far]: readonly [Stats, Stats]) => {
  const within = (now: Stats, before: Stats) => (Object.keys(before) as (keyof Stats)[]).every(key => now[key] <= before[key])
  const holds = async () => within(link.stats(), near) && within(await remote.stats(), far)
  await until(holds, 'nothing more is open than before')
}
const both = async ({ remote, link }: Connection): Promise<readonly [Stats, Stats]> => {
  const far = await remote.stats()
  return [link.stats(), far]
}
const filled = (length: number, value: number): Uint8Array<ArrayBuffer> => new Uint8Array(length).fill(value)

add('VER-2: a member the peer does not serve is undefined, alone and in namespaces', async ({ remote }) => {
  same(remote.absent, undefined)
  same(remote.nowhere, undefined)
  same(remote.space.absent, undefined)
  same(Object.keys(remote.space.empty), [])
  same(await remote.space.inner(), 'inner')
  same((remote as unknown as Record<string, unknown>)['anything'], undefined)
})

add('a data member is there at once', async ({ remote }) => same(remote.version, 'one'))

add('data is rebuilt: own members only, nothing is revived from what it looks like', async ({ remote }) => {
  const tricky = JSON.parse('{"__proto__":{"polluted":true},"kind":"callback","then":1,"list":[1,"two",null]}') as object
  const back = (await remote.echo(tricky)) as Record<string, unknown>
  same(back['kind'], 'callback')
  same(back['list'], [1, 'two', null])
  same(({} as Record<string, unknown>)['polluted'], undefined)
})

add('arguments are checked on the way out', async ({ remote }) => {
  const error = await rejection(remote.add('1' as unknown as number, 2))
  same(error.name, 'ShapeError')
  check(error.message.includes('arguments[0]'), error.message)
})

add('a callback argument is called, and the function that came back ends it', async connection => {
  const { remote } = connection
  const before = await both(connection)
  const heard: number[] = []
  const off = await remote.subscribe(({ n }) => void heard.push(n))
  await remote.emit(3)
  same(heard, [0, 1, 2])
  same(await remote.listeners(), 1)
  await off()
  await off()
  await remote.emit(3)
  same(heard, [0, 1, 2])
  same(await remote.listeners(), 0)
  await quiet(connection, before)
})

add('a callback answers, and its error comes back', async ({ remote }) => {
  same(await remote.ask(async question => `${question}? because`), 'why? because')
  const error = await rejection(
    remote.ask(() => {
      throw new RangeError('no answer')
    }),
  )
  same([error.name, error.message], ['RangeError', 'no answer'])
})

add('3,000 subscriptions leave nothing behind', async connection => {
  const { remote } = connection
  const before = await both(connection)
  for (let round = 0; round < 30; round++) {
    const offs = await Promise.all(Array.from({ length: 100 }, () => remote.subscribe(() => {})))
    await Promise.all(offs.map(off => off()))
  }
  same(await remote.listeners(), 0)
  await quiet(connection, before)
})

add('a handle has methods, data and a promise that settles long after', async ({ remote }) => {
  const room = await remote.enter('blue')
  if ('error' in room) throw new Error(room.message)
  same(room.name, 'blue')
  same(room.sealed, undefined)
  same(await room.say('hi'), 'blue: hi')
  same(await remote.rooms(), 1)
  await room.leave()
  same(await room.closed, { reason: 'left' })
})

add('a signal given to a call outlives the call as long as its handle does', async ({ remote }) => {
  const controller = new AbortController()
  const room = await remote.enter('red', { signal: controller.signal })
  if ('error' in room) throw new Error(room.message)
  controller.abort()
  same(await room.closed, { reason: 'aborted' })
})

add('refusals are data', async ({ remote }) => {
  same(await remote.enter('full'), { error: 'full', message: 'The room is full.' })
  same(await remote.refuse(true), { error: 'denied', message: 'The person said no.' })
  same(await remote.refuse(false), 'allowed')
})

add('promises inside a result settle by themselves', async connection => {
  const { remote } = connection
  const before = await both(connection)
  const { value, failure } = await remote.later()
  await remote.settle('done')
  same(await value, 'done')
  const error = await rejection(failure)
  same([error.name, error.message], ['TypeError', 'not done'])
  await quiet(connection, before)
})

add('bytes from the peer arrive whole, in chunks the reader owns', async connection => {
  const { remote } = connection
  const before = await both(connection)
  const reader = (await remote.source(40, 65_536)).getReader()
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    check(
      value.every(byte => byte === value[0]),
      'a chunk is one fill',
    )
    bytes += value.byteLength
    // A chunk that may be moved again is nobody else's.
    value.fill(255)
    same(structuredClone(value, { transfer: [value.buffer] }).byteLength, 65_536)
  }
  same(bytes, 40 * 65_536)
  await quiet(connection, before)
})

add('a reader that does not read bounds what is produced to the window', async connection => {
  const { remote } = connection
  const before = await both(connection)
  const stream = await remote.source(1000, 65_536)
  let seen = -1
  await until(async () => {
    const now = await remote.produced()
    const steady = now === seen && now > 0
    seen = now
    return steady
  }, 'the source rests')
  check(seen <= MIB / 65_536, `${seen} chunks produced unread`)
  const reader = stream.getReader()
  for (let chunk = 0; chunk < 8; chunk++) await reader.read()
  await until(async () => (await remote.produced()) > seen, 'reading lets more through')
  check((await remote.produced()) <= MIB / 65_536 + 8, 'no more than was read')
  await reader.cancel(new TypeError('enough'))
  await until(async () => (await remote.cancelled()) === 'enough', 'cancel reaches the source with its reason')
  await quiet(connection, before)
})

add('chunks larger than the window cross in pieces', async ({ remote }) => {
  const got = await sum(await remote.source(2, 3 * MIB))
  same(got.bytes, 6 * MIB)
})

add('the error of a source reaches the reader', async ({ remote }) => {
  const error = await rejection(new Response(await remote.failing()).arrayBuffer())
  check(error instanceof Error, 'an error')
  const stream = await remote.failing()
  const own = await rejection(stream.getReader().read())
  same([own.name, own.message], ['RangeError', 'the disk is full'])
})

add('bytes to the peer arrive whole; whole buffers are moved, parts are copied', async connection => {
  const { remote } = connection
  const before = await both(connection)
  const whole = filled(100_000, 7)
  const base = filled(1000, 9)
  const part = base.subarray(10, 20)
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: controller => {
      controller.enqueue(whole)
      controller.enqueue(part)
      controller.close()
    },
  })
  same((await remote.hash(source)).bytes, 100_010)
  same(whole.byteLength, 0, 'the moved buffer')
  same(base.byteLength, 1000, 'the buffer of the part')
  await quiet(connection, before)
})

add('a peer that cancels reaches the source here', async connection => {
  const { remote } = connection
  const before = await both(connection)
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: controller => controller.enqueue(filled(1000, 1)), cancel: resolve })
  same(await remote.hold(source), 1000)
  same(((await promise) as Error).message, 'enough')
  await quiet(connection, before)
})

add('a sink takes bytes and its closing waits for the peer', async connection => {
  const { remote } = connection
  const before = await both(connection)
  const { sink, done } = await remote.sink()
  const writer = sink.getWriter()
  for (let chunk = 0; chunk < 50; chunk++) await writer.write(filled(65_536, chunk))
  await writer.close()
  same((await done).bytes, 50 * 65_536)
  await quiet(connection, before)
})

add('a sink that fails stops the writer with its error', async ({ remote }) => {
  const writer = (await remote.refusingSink()).getWriter()
  const closed = rejection(writer.closed)
  writer.write(filled(10, 1)).catch(() => {})
  same((await closed).message, 'this sink takes nothing')
})

add('items of a shape stream in order, bounded', async connection => {
  const { remote } = connection
  const before = await both(connection)
  const seen: number[] = []
  const reader = (await remote.items(500)).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) seen.push(next.value.n)
  same(seen.length, 500)
  same(
    seen.every((n, index) => n === index),
    true,
  )
  await quiet(connection, before)
})

add('a MessagePort crosses both ways', async ({ remote }) => {
  const { port1, port2 } = new MessageChannel()
  const theirs = await remote.join(port2)
  const { promise, resolve } = Promise.withResolvers<unknown>()
  theirs.onmessage = ({ data }) => resolve(data)
  port1.postMessage('through')
  same(await promise, 'through')
  port1.close()
  theirs.close()
})

add('a buffer is moved: detached here, whole there', async ({ remote }) => {
  const { buffer } = filled(4096, 1)
  same(await remote.length(buffer), 4096)
  same(buffer.byteLength, 0)
  const base = filled(100, 1)
  same([...(await remote.bytes(base.subarray(0, 3)))], [2, 2, 2])
  same(base.byteLength, 100)
})

add('a signal that aborts reaches the call, also when it had aborted before', async connection => {
  const { remote } = connection
  const before = await both(connection)
  const controller = new AbortController()
  const answer = remote.untilAborted(controller.signal)
  await remote.add(1, 1)
  controller.abort()
  same(await answer, 'AbortError')
  same(await remote.untilAborted(AbortSignal.abort()), 'AbortError')
  await quiet(connection, before)
})

add('a blob crosses with its type', async ({ remote }) => {
  const back = await remote.blob(new Blob(['text'], { type: 'text/plain' }))
  same([back.type, await back.text()], ['text/plain', 'text!'])
})

add('a request is taken apart and rebuilt with its body', async ({ remote }) => {
  const asked = new Request('http://example.localhost/a?b', { method: 'POST', headers: { 'x-test': 'on' }, body: 'the body' })
  same(await remote.request(asked), { url: 'http://example.localhost/a?b', method: 'POST', header: 'on', body: 'the body' })
  same(await remote.request(new Request('http://example.localhost/c')), { url: 'http://example.localhost/c', method: 'GET', header: '', body: '' })
})

add('a response is taken apart and rebuilt with its body', async ({ remote }) => {
  const back = await remote.response(201, 'made')
  same([back.status, back.headers.get('x-test'), await back.text()], [201, 'yes', 'made'])
  same((await remote.response(204, '')).status, 204)
})

add('a url crosses as one', async ({ remote }) => {
  const back = await remote.href(new URL('http://example.localhost/a'))
  check(back instanceof URL, 'a URL')
  same(back.href, 'http://example.localhost/next')
})

add('alternatives that hold references are told apart by branch, lists of functions work', async ({ remote }) => {
  same(await remote.mixed('text'), 'text')
  same(await remote.mixed(() => 'called'), 'called')
  same(await remote.mixed({ ask: () => 'asked' }), 'asked')
  same(await remote.many([() => 1, () => 2]), [1, 2])
})

add('errors keep their kind; what was not meant for the peer stays inside', async ({ remote }) => {
  const type = await rejection(remote.throw('type'))
  check(type instanceof TypeError, 'a TypeError')
  same(type.message, 'a bad argument')
  const dom = await rejection(remote.throw('dom'))
  same([dom.name, dom.message], ['NotAllowedError', 'not now'])
  const other = await rejection(remote.throw('other'))
  same([other.name, other.message], ['Error', 'internal error'])
})

add('a call without an answer ends with its deadline, told apart from a peer that is gone', async connection => {
  const { remote } = connection
  const before = await both(connection)
  const error = await rejection(remote.never())
  same([error.name, error.code], ['ChannelError', 'timeout'])
  await quiet(connection, before)
})

/** Every case; they may run one after another on one link. */
export const channelCases: readonly Case[] = cases
