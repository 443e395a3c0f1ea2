import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { closed, eventOf, written, netScene, type NetUnderTest } from './net-under-test.ts'

/** The suite of `net`, of how sockets end. */
export function netEnd(under: () => NetUnderTest, name: string): void {
  const { title, served, connect } = netScene(under, name)

  test(title('events of a short conversation come in the same order on both ends'), async () => {
    const there: string[] = []
    const accepted = Promise.withResolvers<Socket>()
    await served(
      {},
      socket => {
        written(socket, there)
        socket.on('data', data => socket.write(`heard ${String(data)}`))
        accepted.resolve(socket)
      },
      async port => {
        const socket = connect(port)
        const here = written(socket)
        assert.equal(socket.connecting, true)
        assert.equal(socket.readyState, 'opening')
        assert.equal(socket.pending, true)
        await eventOf(socket, 'connect')
        assert.deepEqual([socket.connecting, socket.readyState, socket.pending], [false, 'open', false])
        socket.write('one')
        await eventOf(socket, 'data')
        assert.deepEqual([socket.bytesWritten, socket.bytesRead], [3, 9])
        socket.end()
        await Promise.all([closed(socket), closed(await accepted.promise)])
        assert.deepEqual(here, ['connect', 'ready', 'data heard one', 'finish', 'end', 'close false'])
        assert.deepEqual(there, ['data one', 'end', 'finish', 'close false'])
        assert.equal(socket.readyState, 'closed')
        assert.equal(socket.destroyed, true)
      },
    )
  })

  test(title('allowHalfOpen lets one end speak after the other has ended'), async () => {
    await served(
      { allowHalfOpen: true },
      socket => {
        const parts: string[] = []
        socket.on('data', data => parts.push(String(data)))
        socket.on('end', () => {
          assert.equal(socket.readyState, 'writeOnly')
          socket.end(`after ${parts.join('')}`)
        })
      },
      async port => {
        const socket = connect(port)
        const here = written(socket)
        socket.end('early')
        await closed(socket)
        assert.deepEqual(here, ['connect', 'ready', 'finish', 'data after early', 'end', 'close false'])
      },
    )
  })

  test(title('a client that may stay half open does not end by itself'), async () => {
    await served(
      {},
      socket => socket.end('bye'),
      async port => {
        const socket = connect(port, { allowHalfOpen: true })
        const here = written(socket)
        await eventOf(socket, 'end')
        assert.equal(socket.readyState, 'writeOnly')
        socket.end()
        await closed(socket)
        assert.deepEqual(here, ['connect', 'ready', 'data bye', 'end', 'finish', 'close false'])
      },
    )
  })

  test(title('destroy ends with close alone, destroy(error) with error before close'), async () => {
    await served(
      {},
      socket => socket.on('error', () => undefined),
      async port => {
        const plain = connect(port)
        const first = written(plain)
        await eventOf(plain, 'ready')
        plain.destroy()
        assert.equal(plain.destroyed, true)
        await closed(plain)
        assert.deepEqual(first, ['connect', 'ready', 'close false'])
        const failing = connect(port)
        const second = written(failing)
        await eventOf(failing, 'ready')
        failing.destroy(Object.assign(new Error('own'), { code: 'OWN' }))
        await closed(failing)
        assert.deepEqual(second, ['connect', 'ready', 'error OWN', 'close true'])
      },
    )
  })

  test(title('destroy before the connection stands emits close and nothing else'), async () => {
    await served(
      {},
      () => undefined,
      async port => {
        const socket = connect(port)
        const here = written(socket)
        socket.destroy()
        await closed(socket)
        assert.deepEqual(here, ['close false'])
      },
    )
  })

  test(title('destroySoon writes what is left first'), async () => {
    const text = Promise.withResolvers<string>()
    await served(
      {},
      socket => {
        let all = ''
        socket.on('data', data => (all += String(data)))
        socket.on('end', () => text.resolve(all))
      },
      async port => {
        const socket = connect(port)
        await eventOf(socket, 'connect')
        socket.write('last words')
        socket.destroySoon()
        await closed(socket)
        assert.equal(await text.promise, 'last words')
      },
    )
  })

  test(title('resetAndDestroy is ECONNRESET at the other end'), async () => {
    const accepted = Promise.withResolvers<Socket>()
    await served({}, accepted.resolve, async port => {
      const socket = connect(port)
      await eventOf(socket, 'connect')
      const peer = await accepted.promise
      const there = written(peer)
      const over = closed(peer)
      socket.resetAndDestroy()
      await over
      assert.deepEqual(there, ['error ECONNRESET', 'close true'])
    })
  })

  test(title('writing after end is ERR_STREAM_WRITE_AFTER_END, after destroy ERR_STREAM_DESTROYED'), async () => {
    await served(
      {},
      socket => socket.resume(),
      async port => {
        const ended = connect(port)
        ended.end()
        const failed = eventOf<NodeJS.ErrnoException>(ended, 'error')
        ended.write('late')
        assert.equal((await failed).code, 'ERR_STREAM_WRITE_AFTER_END')
        const gone = connect(port)
        await eventOf(gone, 'connect')
        gone.destroy()
        const error = await new Promise<NodeJS.ErrnoException>(resolve => void gone.write('late', problem => resolve(problem as NodeJS.ErrnoException)))
        assert.equal(error.code, 'ERR_STREAM_DESTROYED')
      },
    )
  })

  test(title('whoever hears of the end may still write'), async () => {
    const whole = Promise.withResolvers<string>()
    await served(
      { allowHalfOpen: true },
      socket => {
        socket.end('bye')
        socket.on('data', data => whole.resolve(String(data)))
      },
      async port => {
        const socket = connect(port)
        const here = written(socket)
        socket.on('end', () => {
          assert.equal(socket.writable, true)
          socket.write('and you')
        })
        await closed(socket)
        assert.equal(await whole.promise, 'and you')
        assert.deepEqual(here, ['connect', 'ready', 'data bye', 'end', 'finish', 'close false'])
      },
    )
  })

  test(title('writing without a handle is ERR_SOCKET_CLOSED, to one that is closed EBADF'), async () => {
    await served(
      {},
      socket => socket.resume(),
      async port => {
        for (const [code, leave] of [
          ['EBADF', () => undefined],
          ['ERR_SOCKET_CLOSED', (socket: object) => Object.assign(socket, { _handle: null })],
        ] as const) {
          const socket = connect(port) as Socket & { _handle: { close(): void } }
          await eventOf(socket, 'connect')
          socket._handle.close()
          leave(socket)
          const failed = eventOf<NodeJS.ErrnoException>(socket, 'error')
          socket.write('late')
          assert.equal((await failed).code, code)
        }
      },
    )
  })
}
