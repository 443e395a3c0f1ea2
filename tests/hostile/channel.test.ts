import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { openLink, portTransport, type Limits, type Link } from '@deputy/channel'
import {
  byteSource,
  call,
  callback,
  handle,
  integer,
  nothing,
  object,
  opaque,
  optional,
  promise,
  signal,
  stream,
  string,
  either,
  type Served,
} from '@deputy/contract/shape'
import { sequence } from '../support/sequence.ts'

const members = {
  echo: call([opaque], opaque),
  name: call([object({ name: string({ max: 8 }) })], string()),
  subscribe: call([callback([integer()])], callback([])),
  open: call([optional(signal)], handle({ closed: promise(string()), say: call([string()], string()) })),
  read: call([either(string(), byteSource, callback([], string()))], byteSource),
  items: call([stream(object({ n: integer() }))], integer()),
  slow: call([], nothing),
}

const value: Served<typeof members> = {
  echo: given => given,
  name: ({ name }) => name,
  subscribe: listener => {
    void listener(1)
    return () => {}
  },
  open: () => ({ closed: new Promise(() => {}), say: text => text }),
  read: given => (given instanceof ReadableStream ? given : new Blob(['text']).stream()),
  items: async given => {
    const reader = given.getReader()
    let count = 0
    while (!(await reader.read()).done) count++
    return count
  },
  slow: () => new Promise(() => {}),
}

/** A served link and the raw port of a peer that keeps no rules. */
function hostile(limits: Partial<Limits> = {}): { link: Link; port: MessagePort; answers: unknown[][]; say(...messages: unknown[]): void } {
  const { port1, port2 } = new MessageChannel()
  const link = openLink({ transport: portTransport(port1), offers: { members, value }, limits, fault: () => {} })
  const answers: unknown[][] = []
  port2.onmessage = ({ data }) => void answers.push(data as unknown[])
  const say = (...messages: unknown[]) => {
    for (const message of messages) port2.postMessage(message)
  }
  return { link, port: port2, answers, say }
}

const WELCOME = [0, 1, [[], []]]
const turn = () => new Promise(resolve => setImmediate(resolve))
/** Waits for the answer to a call; fails by the test's own time limit. */
async function answer(answers: readonly unknown[][], id: number): Promise<unknown[]> {
  for (;;) {
    const found = answers.find(([kind, of]) => (kind === 3 || kind === 4) && of === id)
    if (found !== undefined) return found
    await turn()
  }
}
const refusal = async (answers: readonly unknown[][], id: number): Promise<string> => {
  const [kind, , error] = await answer(answers, id)
  assert.equal(kind, 4)
  return (error as string[])[0] ?? ''
}

for (const [what, ...messages] of [
  ['what is no list', 'hello'],
  ['a list without a known number', [99]],
  ['a call before the welcome', [1, 1, 0, 'echo', [1]]],
  ['a second welcome', WELCOME, WELCOME],
  ['a welcome without a manifest', [0, 1]],
  ['a manifest of other things', [0, 1, [{ length: 1 }, 'x']]],
  ['an answer to nothing', WELCOME, [3, 1, 'surprise']],
  ['an error to nothing', WELCOME, [4, 7, ['TypeError', 'no', undefined, false]]],
  ['a call number used twice', WELCOME, [1, 5, 0, 'echo', [1]], [1, 5, 0, 'echo', [2]]],
  ['a call number that is none', WELCOME, [1, 1.5, 0, 'echo', [1]]],
  ['a member path that is no text', WELCOME, [1, 1, 0, { toString: 'echo' }, [1]]],
  ['a reference never given', WELCOME, [1, 1, 77, '', []]],
  ['a forged release', WELCOME, [6, 5]],
  ['a release of the tree', WELCOME, [6, 0]],
  ['a drop of a call never made', WELCOME, [5, 1]],
  ['a told callback never given', WELCOME, [2, 3, [1]]],
] as const) {
  test(`${what} ends the link as a breach, and no other link`, async () => {
    const bystander = hostile()
    bystander.say(WELCOME)
    const { link, say, answers } = hostile()
    say(...messages)
    assert.deepEqual(await link.closed, { reason: 'protocol' })
    assert.deepEqual(link.stats(), { pending: 0, serving: 0, given: 0, taken: 0, streams: 0 })
    bystander.say([1, 1, 0, 'echo', ['still here']])
    assert.deepEqual(await answer(bystander.answers, 1), [3, 1, 'still here'])
    while (!answers.some(([kind]) => kind === 11)) await turn()
    bystander.link.close()
  })
}

for (const [what, member, args, error] of [
  ['a member nobody serves', 'admin', [], 'TypeError'],
  ['an inherited name', 'constructor', [], 'TypeError'],
  ['a prototype', '__proto__', [], 'TypeError'],
  ['a path into a function', 'echo.constructor', ['return 1'], 'TypeError'],
  ['arguments that are no list', 'echo', { 0: 1, length: 1 }, 'TypeError'],
  ['a value of another shape', 'name', [{ name: 5 }], 'ShapeError'],
  ['text that is too long', 'name', [{ name: 'x'.repeat(9) }], 'ShapeError'],
  ['an inherited member', 'name', [Object.create({ name: 'x' })], 'ShapeError'],
  ['a callback that is no reference', 'subscribe', ['1'], 'TypeError'],
  ['a callback with a negative number', 'subscribe', [-1], 'TypeError'],
  ['a branch that does not exist', 'read', [[7, 'x']], 'ShapeError'],
  ['a branch by name', 'read', [['constructor', 'x']], 'ShapeError'],
  ['a stream that is no port', 'read', [[1, 'x']], 'ShapeError'],
] as const) {
  test(`${what} is refused, and the link lives on`, async () => {
    const { link, say, answers } = hostile()
    say(WELCOME, [1, 1, 0, member, args], [1, 2, 0, 'echo', ['alive']])
    assert.equal(await refusal(answers, 1), error)
    assert.deepEqual(await answer(answers, 2), [3, 2, 'alive'])
    assert.deepEqual(link.stats(), { pending: 0, serving: 0, given: 0, taken: 0, streams: 0 })
    link.close()
  })
}

test('calls beyond the cap are refused, earlier ones stay', async () => {
  const { link, say, answers } = hostile({ calls: 10 })
  say(WELCOME, ...Array.from({ length: 11 }, (_, index) => [1, index + 1, 0, 'slow', []]))
  assert.equal(await refusal(answers, 11), 'ChannelError')
  assert.equal(link.stats().serving, 10)
  link.close()
})

test('callbacks and handles beyond the cap are refused', async () => {
  const { link, say, answers } = hostile({ references: 4 })
  say(WELCOME, ...Array.from({ length: 5 }, (_, index) => [1, index + 1, 0, 'subscribe', [index + 1]]))
  assert.equal(await refusal(answers, 5), 'ChannelError')
  say(...Array.from({ length: 5 }, (_, index) => [1, index + 6, 0, 'open', []]))
  assert.equal(await refusal(answers, 10), 'ChannelError')
  assert.ok(link.stats().given <= 4 && link.stats().taken <= 4)
  link.close()
})

test('streams beyond the cap are refused', async () => {
  const { link, say, answers } = hostile({ streams: 3 })
  say(WELCOME, ...Array.from({ length: 4 }, (_, index) => [1, index + 1, 0, 'read', [[0, 'x']]]))
  assert.equal(await refusal(answers, 4), 'ChannelError')
  assert.equal(link.stats().streams, 3)
  link.close()
})

test('messages beyond size or depth are refused', async () => {
  const { link, say, answers } = hostile({ message: 10_000, depth: 16 })
  let deep: unknown = 1
  for (let level = 0; level < 100; level++) deep = [deep]
  const loop: Record<string, unknown> = {}
  loop['self'] = loop
  say(WELCOME, [1, 1, 0, 'echo', ['x'.repeat(10_000)]], [1, 2, 0, 'echo', [deep]], [1, 3, 0, 'echo', [loop]], [1, 4, 0, 'echo', [{ ['k'.repeat(10_000)]: 1 }]])
  for (const id of [1, 2, 3, 4]) assert.equal(await refusal(answers, id), 'ChannelError')
  say([1, 5, 0, 'echo', ['fits']])
  assert.deepEqual(await answer(answers, 5), [3, 5, 'fits'])
  link.close()
})

test('a stream written beyond its credit, or with what is no chunk, is cut off alone', async () => {
  for (const flood of [[new Uint8Array(2000)], ['text'], [[0, 'an item']], [[99]], Array.from({ length: 11 }, () => new Uint8Array(100))]) {
    const { link, say, port, answers } = hostile({ window: 1000 })
    const { port1, port2 } = new MessageChannel()
    say(WELCOME)
    port.postMessage([1, 1, 0, 'read', [[1, port2]]], [port2])
    const [, , back] = (await answer(answers, 1)) as [number, number, MessagePort]
    const cancelled = new Promise<unknown>(resolve => {
      port1.onmessage = ({ data }) => Array.isArray(data) && resolve(data[0])
    })
    for (const chunk of flood) port1.postMessage(chunk)
    assert.equal(await cancelled, 4)
    back.close()
    say([1, 2, 0, 'echo', ['alive']])
    assert.deepEqual(await answer(answers, 2), [3, 2, 'alive'])
    link.close()
    port1.close()
  }
})

test('credit that was never asked for, or is no number, moves nothing beyond what is sent', async () => {
  const { link, say, answers } = hostile()
  say(WELCOME, [1, 1, 0, 'read', [[0, 'x']]])
  const [, , port] = (await answer(answers, 1)) as [number, number, MessagePort]
  const got: unknown[] = []
  port.onmessage = ({ data }) => void got.push(data)
  for (const credit of [Number.NaN, -5, 0, Infinity, 'more', null, [1], { valueOf: 1 }]) port.postMessage(credit)
  await once(port as never, 'message')
  while (got.length < 2) await turn()
  assert.ok(got[0] instanceof Uint8Array)
  assert.deepEqual(got[1], [1])
  link.close()
})

test('what the peer held is let go when it breaks the protocol', async () => {
  const { link, say, answers } = hostile()
  say(WELCOME, [1, 1, 0, 'open', [9]], [1, 2, 0, 'subscribe', [5]], [1, 3, 0, 'slow', []])
  await answer(answers, 2)
  assert.notEqual(link.stats().given, 0)
  say('garbage')
  assert.deepEqual(await link.closed, { reason: 'protocol' })
  assert.deepEqual(link.stats(), { pending: 0, serving: 0, given: 0, taken: 0, streams: 0 })
})

test('10,000 random messages: refused or the link ends, nothing escapes, a bystander never notices', async context => {
  const seed = Number(process.env['DEPUTY_SEED'] ?? 20_261_121)
  context.diagnostic(`seed ${seed}`)
  const next = sequence(seed)
  const escaped: unknown[] = []
  const catching = (error: unknown) => void escaped.push(error)
  process.on('uncaughtException', catching)
  process.on('unhandledRejection', catching)
  const bystander = hostile()
  bystander.say(WELCOME)
  const ends = new Map<string, number>()
  let sent = 0
  try {
    while (sent < 10_000) {
      const { link, port, say, answers } = hostile({ references: 50, streams: 20, calls: 50, message: 100_000 })
      let open = true
      const ended = link.closed.then(({ reason }) => {
        open = false
        ends.set(reason, (ends.get(reason) ?? 0) + 1)
      })
      say(WELCOME)
      for (let message = 1; open && message <= 200; message++, sent++) {
        const { value: made, transfer } = next.message(message)
        port.postMessage(made, transfer)
        await turn()
      }
      link.close()
      await ended
      assert.deepEqual(link.stats(), { pending: 0, serving: 0, given: 0, taken: 0, streams: 0 })
      for (const [kind, , error] of answers) if (kind === 4) assert.doesNotMatch(String((error as string[])[1]), /file:|node:|\n *at /)
    }
    context.diagnostic(`links ended: ${JSON.stringify(Object.fromEntries(ends))}`)
    bystander.say([1, 1, 0, 'echo', ['unharmed']])
    assert.deepEqual(await answer(bystander.answers, 1), [3, 1, 'unharmed'])
  } finally {
    process.off('uncaughtException', catching)
    process.off('unhandledRejection', catching)
    bystander.link.close()
  }
  assert.deepEqual(escaped, [])
  assert.deepEqual([...ends.keys()].toSorted(), ['bye', 'closed', 'protocol'])
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
})
