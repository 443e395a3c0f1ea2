import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'

/** What crosses beside bytes, as JSON: one WebSocket is one socket. */
export interface PlainWord {
  /** Where its two ends are: it stands. */
  readonly ends?: { readonly local: PlainEnd; readonly remote?: PlainEnd }
  /** A connection was accepted; `/accept?<id>` takes it. */
  readonly accepted?: number
  /** So many bytes were written. */
  readonly ack?: number
  readonly error?: string
  readonly end?: true
  readonly call?: 'destroy' | 'destroySoon' | 'end' | 'resetAndDestroy'
  readonly datagram?: { readonly address: string; readonly port: number; readonly data: string; readonly family?: 'IPv4' | 'IPv6' }
}
/** An end as it is told. */
export interface PlainEnd {
  readonly address: string
  readonly family: 'IPv4' | 'IPv6'
  readonly port: number
}

/** Sockets of this process for pages, without a tunnel: what the far end of a conversation stands on. */
export async function servePlainSockets(): Promise<AsyncDisposable & { readonly url: string }> {
  const accepted = new Map<string, Socket>()
  const http = createServer()
  const server = new WebSocketServer({ server: http })
  let count = 0
  server.on('connection', (link, request) => {
    const { pathname, searchParams, search } = new URL(request.url ?? '', 'http://plain')
    const [host, port] = [searchParams.get('host') ?? '', Number(searchParams.get('port'))]
    const say = (word: PlainWord): void => link.send(JSON.stringify(word))
    if (pathname === '/udp') return serveUdp(link, say, host, port)
    if (pathname === '/accept') return attach(link, say, accepted.get(search) as Socket)
    if (pathname === '/connect') {
      const socket = connect({ host, port, allowHalfOpen: true }).on('error', error => say({ error: (error as NodeJS.ErrnoException).code ?? 'ECONNRESET' }))
      socket.once('connect', () => attach(link, say, socket))
      return undefined
    }
    const listener = createTcpServer({ allowHalfOpen: true, pauseOnConnect: true }, socket => {
      socket.on('error', () => undefined)
      const id = ++count
      accepted.set(`?${id}`, socket)
      say({ accepted: id })
    })
    listener.on('error', error => say({ error: (error as NodeJS.ErrnoException).code ?? 'EINVAL' }))
    listener.listen(port, host, () => say({ ends: { local: listener.address() as PlainEnd & AddressInfo } }))
    link.on('message', () => {
      listener.close()
      link.close()
    })
    return undefined
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const link of server.clients) link.terminate()
      for (const socket of accepted.values()) socket.destroy()
      http.close()
      await once(http, 'close')
    },
  }
}

function attach(link: WebSocket, say: (word: PlainWord) => void, socket: Socket): void {
  const { localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 } = socket
  say({ ends: { local: { address: localAddress, family: 'IPv4', port: localPort }, remote: { address: remoteAddress, family: 'IPv4', port: remotePort } } })
  socket.on('data', data => link.send(data))
  socket.on('end', () => say({ end: true }))
  socket.on('error', error => say({ error: (error as NodeJS.ErrnoException).code ?? 'ECONNRESET' }))
  socket.resume()
  link.on('message', (data: Buffer, isBinary) => {
    if (isBinary) return void socket.write(data, () => say({ ack: data.byteLength }))
    const { call } = JSON.parse(data.toString()) as PlainWord
    if (call !== undefined) socket[call]()
    return undefined
  })
  link.on('close', () => socket.destroy())
}

function serveUdp(link: WebSocket, say: (word: PlainWord) => void, host: string, port: number): void {
  const socket = createSocket('udp4')
  socket.on('error', error => say({ error: (error as NodeJS.ErrnoException).code ?? 'EINVAL' }))
  socket.on('message', (data, from) => say({ datagram: { address: from.address, family: from.family, port: from.port, data: data.toString('base64') } }))
  socket.bind(port, host, () => say({ ends: { local: socket.address() as PlainEnd & AddressInfo } }))
  link.on('message', (text: Buffer) => {
    const { datagram } = JSON.parse(text.toString()) as PlainWord
    if (datagram !== undefined) socket.send(Buffer.from(datagram.data, 'base64'), datagram.port, datagram.address)
  })
  link.on('close', () => socket.close())
}
