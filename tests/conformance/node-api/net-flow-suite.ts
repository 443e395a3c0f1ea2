import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { closed, eventOf, written, netScene, type NetUnderTest } from './net-under-test.ts'

/** The suite of `net`, of bytes: order, backpressure, pausing. */
export function netFlow(under: () => NetUnderTest, name: string): void {
  const { title, served, connect } = netScene(under, name)

  test(title('what is written before the connection stands arrives, in order'), async () => {
    const whole = Promise.withResolvers<string>()
    await served(
      {},
      socket => {
        let text = ''
        socket.setEncoding('utf8')
        socket.on('data', data => (text += String(data)))
        socket.on('end', () => whole.resolve(text))
      },
      async port => {
        const socket = connect(port)
        const calls: string[] = []
        socket.write('ä', () => calls.push('first'))
        socket.write(new Uint8Array([0x62]), () => calls.push('second'))
        socket.write('6364', 'hex')
        socket.end('!')
        assert.equal(await whole.promise, 'äbcd!')
        socket.resume()
        await closed(socket)
        assert.deepEqual(calls, ['first', 'second'])
        assert.equal(socket.bytesWritten, 6)
      },
    )
  })

  test(title('four megabytes come back whole, with backpressure on the way'), async () => {
    await served(
      {},
      socket => void socket.pipe(socket),
      async port => {
        const socket = connect(port)
        const size = 4 * 2 ** 20
        const bytes = new Uint8Array(size).map((_, at) => (at * 31 + (at >> 8)) & 255)
        let waited = 0
        const parts: Uint8Array[] = []
        socket.on('data', data => parts.push(data))
        const send = async (): Promise<void> => {
          for (let at = 0; at < size; at += 65_536) {
            if (socket.write(bytes.subarray(at, at + 65_536))) continue
            waited += 1
            await eventOf(socket, 'drain')
          }
          socket.end()
        }
        await Promise.all([send(), closed(socket)])
        assert.ok(waited > 0, 'nothing ever waited')
        assert.equal(Buffer.compare(Buffer.concat(parts), bytes), 0)
        assert.deepEqual([socket.bytesRead, socket.bytesWritten], [size, size])
      },
    )
  })

  test(title('data comes as buffers that can be read as text and as numbers'), async () => {
    await served(
      {},
      socket => socket.end(new Uint8Array([0xc3, 0xa4, 0x01, 0x02])),
      async port => {
        const socket = connect(port)
        const data = await eventOf<Buffer>(socket, 'data')
        assert.deepEqual([data.toString('utf8', 0, 2), data.readUInt16BE(2), data.toString('hex')], ['ä', 258, 'c3a40102'])
        await closed(socket)
      },
    )
  })

  test(title('a socket is an async iterable, and a paused one waits'), async () => {
    await served(
      {},
      socket => socket.end('one two'),
      async port => {
        const socket = connect(port)
        socket.pause()
        await eventOf(socket, 'connect')
        let text = ''
        for await (const data of socket) text += String(data)
        assert.equal(text, 'one two')
      },
    )
  })

  test(title('pauseOnConnect holds what arrives until the socket is resumed'), async () => {
    const accepted = Promise.withResolvers<Socket>()
    await served({ pauseOnConnect: true }, accepted.resolve, async port => {
      const socket = connect(port)
      socket.end('waiting')
      const peer = await accepted.promise
      assert.equal(peer.isPaused(), true)
      const there = written(peer)
      peer.resume()
      await closed(peer)
      assert.deepEqual(there, ['data waiting', 'end', 'finish', 'close false'])
    })
  })

  test(title('onread puts what arrives into a buffer of the app, until it is told to stop'), async () => {
    await served(
      {},
      socket => socket.end('hello world'),
      async port => {
        const heard: string[] = []
        const buffer = new Uint8Array(8)
        const socket = connect(port, {
          onread: {
            buffer,
            callback(bytes, into) {
              assert.equal(into, buffer)
              heard.push(String.fromCharCode(...into.subarray(0, bytes)))
              setTimeout(() => (this as unknown as Socket).resume())
              return false
            },
          },
        })
        const events = written(socket)
        await closed(socket)
        assert.deepEqual([heard, socket.bytesRead], [['hello wo', 'rld'], 11])
        assert.ok(!events.some(event => event.startsWith('data')))
      },
    )
  })

  test(title('what is heard at a time is 64 kB at most, and pausing stops it'), async () => {
    await served(
      {},
      socket => socket.end(new Uint8Array(300_000)),
      async port => {
        const socket = connect(port)
        const sizes: number[] = []
        socket.on('data', ({ byteLength }) => {
          sizes.push(byteLength)
          socket.pause()
          const count = sizes.length
          setTimeout(() => {
            assert.equal(sizes.length, count)
            socket.resume()
          })
        })
        await closed(socket)
        assert.equal(
          sizes.reduce((sum, size) => sum + size, 0),
          300_000,
        )
        assert.ok(Math.max(...sizes) <= 65_536, String(sizes))
      },
    )
  })

  test(title('views of other kinds are written as their bytes'), async () => {
    const whole = Promise.withResolvers<string>()
    await served(
      {},
      socket => {
        const parts: Uint8Array[] = []
        socket.on('data', data => parts.push(data))
        socket.on('end', () => whole.resolve(Buffer.concat(parts).toString('hex')))
      },
      async port => {
        const socket = connect(port)
        const bytes = new Uint8Array([1, 2, 3, 4, 5, 6])
        socket.write(new DataView(bytes.buffer, 1, 2) as never)
        socket.end(new Uint16Array(bytes.buffer, 2, 2) as never)
        assert.equal(await whole.promise, '020303040506')
        socket.destroy()
      },
    )
  })
}
