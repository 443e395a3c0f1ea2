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
}
