// A child process of bench/tunnel.ts: the origin, the bare relay or the tunnel node. Says its port, then its processor time whenever it is asked.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { startTunnelNode } from '../tests/support/tunnel-node.ts'

const [role = '', to = '0', host = '127.0.0.1'] = process.argv.slice(2)
const chunk = Buffer.alloc(65_536, 7)

/** What a connection asks for by its first line: `down <bytes>`, `up`, `echo`, `byte`. */
function serve(socket: Socket): void {
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.once('data', first => {
    const end = first.indexOf(10)
    const [kind, count = '0'] = first.subarray(0, end).toString().split(' ')
    const rest = first.subarray(end + 1)
    if (kind === 'down') {
      let left = Number(count)
      const more = (): void => {
        while (left > 0) {
          const size = Math.min(left, chunk.length)
          left -= size
          if (!socket.write(size === chunk.length ? chunk : chunk.subarray(0, size))) return void socket.once('drain', more)
        }
        socket.end()
      }
      more()
    } else if (kind === 'up') {
      let got = rest.length
      socket.on('data', data => (got += data.length))
      socket.on('end', () => socket.end(String(got)))
    } else if (kind === 'echo') {
      if (rest.length > 0) socket.write(rest)
      socket.on('data', data => socket.write(data))
      socket.on('end', () => socket.end())
    } else socket.end('x')
  })
}

let port: number
if (role === 'node') ({ port } = await startTunnelNode({ caps: { sockets: 100_000, listeners: 32, udp: 128 } }, host))
else {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
    if (role === 'origin') return serve(socket)
    const onward = connect({ port: Number(to), host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    socket.pipe(onward).pipe(socket)
    socket.on('error', () => onward.destroy())
    onward.on('error', () => socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, host, 1024, resolve))
  ;({ port } = server.address() as AddressInfo)
}
process.send?.({ port })
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ processor: (user + system) / 1000, memory: process.memoryUsage.rss() })
})
process.on('disconnect', () => process.exit(0))
