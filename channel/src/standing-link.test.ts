import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, callback, integer, nothing, string } from '@deputy/contract/shape'
import type { Link } from './link.ts'
import { openLink } from './open-link.ts'
import { standLink } from './standing-link.ts'
import { portTransport } from './transport.ts'

const members = {
  add: call([integer()], integer(), { deadline: 50 }),
  on: call([callback([integer()])], callback([])),
  newer: call([], nothing),
  space: { name: string(), read: call([], string()) },
}

/** A peer that can go and come back; `tell` reaches the listeners of its present life. */
function peer() {
  const standing = standLink(members, () => {})
  const state = { listeners: new Set<(n: number) => unknown>(), link: undefined as Link | undefined }
  const come = async (): Promise<void> => {
    const { port1, port2 } = new MessageChannel()
    const listeners = (state.listeners = new Set())
    const on = (listener: (n: number) => unknown) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
    state.link = openLink({
      transport: portTransport(port1),
      offers: { members, value: { add: n => n + 1, on, space: { name: 'one', read: () => 'read' } } },
    })
    const { promise: live, resolve } = Promise.withResolvers<void>()
    const stop = standing.onLink(() => resolve())
    standing.attach(openLink({ transport: portTransport(port2), wants: members }))
    await live
    stop()
  }
  const go = async () => {
    const current = standing.current()
    state.link?.close()
    await current?.closed
  }
  return { standing, state, come, go }
}
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'fulfilled',
    (error: { code?: string }) => error.code,
  )

test('VER-2: the tree shows what the first peer serves, and outlives it', async () => {
  const { standing, come, go } = peer()
  await come()
  const remote = await standing.remote
  assert.equal(remote.newer, undefined)
  assert.equal(remote.space.name, 'one')
  await go()
  await come()
  assert.equal(await remote.add(1), 2)
  assert.equal(await remote.space.read(), 'read')
  standing.close()
})

test('a call without a peer waits for the next one, at most as long as its deadline', async () => {
  const { standing, come, go } = peer()
  await come()
  const remote = await standing.remote
  await go()
  const waiting = remote.space.read()
  assert.equal(await code(remote.add(1)), 'unavailable')
  await come()
  assert.equal(await waiting, 'read')
  standing.close()
})

test('a subscription is made again on the next peer until it is ended', async () => {
  const { standing, state, come, go } = peer()
  await come()
  const remote = await standing.remote
  const heard: number[] = []
  const off = await remote.on(n => void heard.push(n))
  await go()
  await come()
  await remote.add(0)
  for (const listener of state.listeners) void listener(7)
  await remote.add(0)
  assert.deepEqual(heard, [7])
  await off()
  assert.equal(state.listeners.size, 0)
  await go()
  await come()
  await remote.add(0)
  assert.equal(state.listeners.size, 0)
  standing.close()
})

test('a subscription ended while there is no peer stays ended', async () => {
  const { standing, state, come, go } = peer()
  await come()
  const remote = await standing.remote
  const off = await remote.on(() => {})
  await go()
  await off()
  await come()
  await remote.add(0)
  assert.equal(state.listeners.size, 0)
  standing.close()
})

test('closing ends what waits and what comes after', async () => {
  const { standing } = peer()
  const waiting = [code(standing.remote), code(standing.within(60_000))]
  standing.close()
  assert.deepEqual(await Promise.all([...waiting, code(standing.within(1))]), ['unavailable', 'unavailable', 'unavailable'])
})
