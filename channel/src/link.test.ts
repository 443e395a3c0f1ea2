import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byteSource, call, callback, either, handle, integer, nothing, object, promise, signal, string, optional } from '@deputy/contract/shape'
import { openLink, portTransport } from './index.ts'

const members = {
  add: call([integer(), integer()], integer()),
  gone: call([], nothing),
  on: call([callback([string()])], callback([])),
  open: call([string(), optional(object({ signal: optional(signal) }))], handle({ name: string(), closed: promise(string()), leave: call([], nothing) }), {
    codes: ['full'],
  }),
  read: call([either(string(), byteSource)], byteSource),
  deep: { er: call([], string()) },
}

test('a tree, a listener, a handle, a stream', async () => {
  const { port1, port2 } = new MessageChannel()
  const listeners = new Set<(text: string) => unknown>()
  let end!: (why: string) => void
  const server = openLink({
    transport: portTransport(port1),
    offers: {
      members,
      value: {
        add: (a, b) => a + b,
        on: listener => {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        },
        open: name => {
          if (name === 'full') return { error: 'full', message: 'no seat' } as const
          const closed = new Promise<string>(resolve => (end = resolve))
          return { name, closed, leave: () => end('left') }
        },
        read: what => (typeof what === 'string' ? new Blob([what]).stream() : what),
        deep: { er: () => 'deep' },
      },
    },
  })
  const client = openLink({ transport: portTransport(port2), wants: members })
  const remote = await client.remote
  assert.equal(await remote.add(2, 3), 5)
  assert.equal(remote.gone, undefined)
  assert.equal(await remote.deep.er(), 'deep')
  await assert.rejects(remote.add('x' as unknown as number, 1), { name: 'ShapeError' })
  const heard: string[] = []
  const off = await remote.on(text => void heard.push(text))
  for (const listener of listeners) await listener('one')
  await remote.add(1, 1)
  assert.deepEqual(heard, ['one'])
  await off()
  assert.equal(listeners.size, 0)
  assert.deepEqual(await remote.open('full'), { error: 'full', message: 'no seat' })
  const room = await remote.open('blue')
  assert.ok(!('error' in room))
  assert.equal(room.name, 'blue')
  await room.leave()
  assert.equal(await room.closed, 'left')
  const bytes = await new Response(await remote.read('hello')).text()
  assert.equal(bytes, 'hello')
  const back = await remote.read(new Blob(['x'.repeat(3_000_000)]).stream())
  assert.equal((await new Response(back).arrayBuffer()).byteLength, 3_000_000)
  // The last word of a stream crosses on its own port.
  while (server.stats().streams > 0) await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(server.stats(), { pending: 0, serving: 0, given: 1, taken: 0, streams: 0 })
  client.close()
  assert.deepEqual(await server.closed, { reason: 'bye' })
  await assert.rejects(remote.add(2, 3), { code: 'unavailable' })
})
