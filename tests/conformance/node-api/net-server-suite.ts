import assert from 'node:assert/strict'
import type { AddressInfo, Server, Socket } from 'node:net'
import type * as nodeNet from 'node:net'
import { test } from 'node:test'
import { closed, eventOf, netScene, type NetUnderTest } from './net-under-test.ts'
import { thrown } from './thrown.ts'

/** The suite of `net`, of servers. */
export function netServer(under: () => NetUnderTest, name: string): void {
  const { title, served, connect } = netScene(under, name)

  test(title('maxConnections drops with the ends of what was dropped'), async () => {
    await served(
      {},
      () => undefined,
      async (port, server) => {
        server.maxConnections = 1
        const first = connect(port)
        await eventOf(server, 'connection')
        const dropped = eventOf<nodeNet.DropArgument>(server, 'drop')
        const second = connect(port)
        second.on('error', () => undefined)
        second.resume()
        const told = await dropped
        assert.deepEqual([told.localPort, told.remoteFamily, typeof told.remotePort], [port, 'IPv4', 'number'])
        await closed(second)
        first.destroy()
      },
    )
  })

  test(title('close waits for the connections that are open, and a second close is refused'), async () => {
    const accepted = Promise.withResolvers<Socket>()
    await served({}, accepted.resolve, async (port, server) => {
      const socket = connect(port)
      const peer = await accepted.promise
      const order: string[] = []
      server.close(error => order.push(`server ${String(error)}`))
      assert.deepEqual([server.listening, server.address()], [false, null])
      peer.on('close', () => order.push('socket'))
      // Once it is not reached any more the listener is gone, and only the connection is waited for.
      await eventOf(connect(port), 'error')
      socket.end()
      socket.resume()
      peer.resume()
      await Promise.all([closed(server), closed(peer)])
      assert.deepEqual(order, ['server undefined', 'socket'])
      const error = await new Promise<NodeJS.ErrnoException | undefined>(resolve => void server.close(resolve))
      assert.equal(error?.code, 'ERR_SERVER_NOT_RUNNING')
    })
  })

  test(title('a taken port is EADDRINUSE, told by error'), async () => {
    await served(
      {},
      () => undefined,
      async port => {
        const { server: module, host } = under()
        const other = module.createServer()
        const failed = eventOf<NodeJS.ErrnoException & { address?: string; port?: number }>(other, 'error')
        other.listen(port, host)
        const error = await failed
        assert.deepEqual([error.code, error.syscall, error.address, error.port, error.errno], ['EADDRINUSE', 'listen', host, port, -98])
        assert.equal(other.listening, false)
      },
    )
  })

  test(title('the forms of listen and connect mean the same'), async () => {
    const { server: module, client, host } = under()
    const forms: ((server: Server, done: () => void) => unknown)[] = [
      (server, done) => server.listen({ port: 0, host }, done),
      (server, done) => server.listen(0, host, done),
      (server, done) => server.listen(0, host, 16, done),
      (server, done) => server.listen({ port: '0', host } as never, done),
    ]
    for (const form of forms) {
      const server = module.createServer(socket => socket.end('x'))
      await new Promise<void>(resolve => form(server, resolve))
      const { port } = server.address() as AddressInfo
      assert.equal(
        thrown(() => server.listen(0, host)),
        'Error ERR_SERVER_ALREADY_LISTEN',
      )
      const connections: (() => Socket)[] = [
        () => client.connect(port, host),
        () => client.createConnection({ port, host }),
        () => new client.Socket().connect(port, host, () => undefined),
        () => client.connect({ port: String(port) as never, host }, () => undefined),
      ]
      for (const make of connections) {
        const socket = make()
        assert.equal(String(await eventOf(socket, 'data')), 'x')
        await closed(socket)
      }
      server.close()
      await closed(server)
    }
  })

  test(title('without a host it listens at once, at a port that it keeps'), async () => {
    const { server: module, client, host } = under()
    const server = module.createServer(socket => socket.end('here'))
    server.listen(0)
    assert.equal(server.listening, true)
    const { port } = server.address() as AddressInfo
    await eventOf(server, 'listening')
    assert.equal((server.address() as AddressInfo).port, port)
    const socket = client.connect(port, host)
    assert.equal(String(await eventOf(socket, 'data')), 'here')
    await closed(socket)
    server.close()
    await closed(server)
    // Closed before anybody could listen, it has nobody to refuse.
    server.listen(0)
    const { port: other } = server.address() as AddressInfo
    server.close()
    await closed(server)
    const refused = client.connect(other, host)
    assert.equal((await eventOf<NodeJS.ErrnoException>(refused, 'error')).code, 'ECONNREFUSED')
  })
}
