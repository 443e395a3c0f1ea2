import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeSecretHash, openRegistry, type Registry } from './registry.ts'

const entry = (id: string) => ({ id, origin: `https://${id}.example`, hash: nodeSecretHash(id.repeat(43).slice(0, 43)) })
const hello = (id: string, instance = 'one') => ({ instance, version: 1, title: id.toUpperCase(), origin: `https://${id}.example` })
const pulse = (load: number, sessions: number, state: 'open' | 'draining' | 'gone' = 'open', instance = 'one') => ({
  instance,
  state,
  load,
  sessions,
  sockets: 0,
  held: [],
})

function registry(random: () => number = Math.random): { registry: Registry; pass(ms: number): void } {
  let time = 0
  const made = openRegistry({
    config: { nodes: ['a', 'b', 'c'].map(entry), silence: 15_000 },
    embedded: { id: 'local', title: 'Here', origin: 'https://api.example', load: () => ({ load: 500, sessions: 0 }) },
    clock: () => time,
    random,
  })
  return { registry: made, pass: ms => (time += ms) }
}
const ids = (of: Registry): string[] => of.healthy().map(({ id }) => id)

test('a node is handed out from its first beat until it drains, goes or falls silent', () => {
  const { registry: nodes, pass } = registry()
  assert.ok(nodes.register('a', hello('a')))
  assert.deepEqual(ids(nodes), ['local'])
  assert.equal(nodes.beat('b', pulse(0, 0)), 'unknown')
  assert.equal(nodes.beat('a', pulse(0, 0)), 'taken')
  assert.deepEqual(ids(nodes), ['a', 'local'])
  pass(14_999)
  assert.deepEqual(ids(nodes), ['a', 'local'])
  pass(1)
  assert.deepEqual(ids(nodes), ['local'])
  nodes.beat('a', pulse(0, 0, 'draining'))
  assert.deepEqual(ids(nodes), ['local'])
  assert.equal(nodes.choose({ node: 'a' })?.id, 'local')
  assert.equal(nodes.choose({ node: 'a', only: true })?.id, 'a')
  nodes.beat('a', pulse(0, 0, 'gone'))
  assert.equal(nodes.choose({ node: 'a', only: true }), null)
  assert.ok(nodes.register('a', hello('a', 'two')))
  assert.equal(nodes.beat('a', pulse(0, 0)), 'replaced')
  assert.equal(nodes.register('b', hello('c')), false)
})

test('the wanted node comes before all others, those to avoid after all others, else the less loaded of two', () => {
  // Draws the first of those there are, then the last of the rest.
  const draws = [0, 0.99]
  let at = 0
  const { registry: nodes } = registry(() => draws[at++ % 2] ?? 0)
  for (const id of ['a', 'b', 'c']) nodes.register(id, hello(id))
  nodes.beat('a', pulse(900, 0))
  nodes.beat('b', pulse(200, 5))
  nodes.beat('c', pulse(150, 7))
  assert.deepEqual(ids(nodes), ['b', 'c', 'local', 'a'])
  assert.equal(nodes.choose({ node: 'a' })?.id, 'a')
  assert.equal(nodes.choose({})?.id, 'c', 'local and c were drawn')
  assert.equal(nodes.choose({ node: 'a', avoid: ['a', 'c'] })?.id, 'b')
  assert.equal(nodes.choose({ node: 'a', avoid: ['a', 'b', 'c', 'local'] })?.id, 'a')
  // Those sent there since it told its load count.
  for (let count = 0; count < 3; count += 1) nodes.choose({ node: 'b' })
  assert.deepEqual(ids(nodes), ['c', 'b', 'local', 'a'])
})

test('a node that was there before is awaited for as long as it may be silent', () => {
  const { registry: nodes, pass } = registry()
  assert.deepEqual([nodes.awaits('a'), nodes.awaits('local'), nodes.awaits('x')], [true, false, false])
  nodes.register('a', hello('a'))
  assert.deepEqual([nodes.awaits('a'), nodes.awaits('b')], [false, true])
  pass(15_000)
  assert.equal(nodes.awaits('b'), false)
})

test('a node is known by its secret alone', () => {
  const { registry: nodes } = registry()
  const secret = 'a'.repeat(43)
  assert.equal(nodes.nodeBy(`Bearer a.${secret}`), 'a')
  for (const header of [
    undefined,
    '',
    secret,
    `Bearer ${secret}`,
    `Bearer b.${secret}`,
    `Bearer a.${secret}a`,
    `Bearer a.${'b'.repeat(43)}`,
    `Bearer x.${secret}`,
  ])
    assert.equal(nodes.nodeBy(header), null, header)
})
