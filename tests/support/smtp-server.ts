import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createSecureServer, TLSSocket } from 'node:tls'
import type { Issued } from './certificates.ts'

/** A letter a server was given. */
export interface Letter {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
  /** Whether it came over TLS. */
  readonly isSecret: boolean
}
type Identity = Pick<Issued, 'key' | 'cert'>

/** A small SMTP server that keeps what it is given; `mallory@…` is no recipient, and the password is `sesame`. */
export interface Smtp extends AsyncDisposable {
  /** Where it talks plainly, and offers STARTTLS where it has an identity. */
  readonly port: number
  /** Where it talks TLS from the first byte, where it has an identity. */
  readonly securePort: number | undefined
  readonly letters: Letter[]
}
export async function startSmtp(identity?: Identity): Promise<Smtp> {
  const letters: Letter[] = []
  const sockets = new Set<Socket>()
  const take = (socket: Socket): void => {
    sockets.add(socket.on('error', () => undefined))
    socket.write('220 localhost ESMTP\r\n')
    converse(socket, letter => letters.push(letter), identity)
  }
  const servers = [createServer(take), ...(identity === undefined ? [] : [createSecureServer({ ...identity }, take)])]
  for (const server of servers) {
    server.on('connection', (socket: Socket) => sockets.add(socket))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  }
  const [port = 0, securePort] = servers.map(server => (server.address() as AddressInfo).port)
  return {
    ...{ port, securePort, letters },
    [Symbol.asyncDispose]: async () => {
      const closed = servers.map(server => new Promise<void>(resolve => void server.close(() => resolve())))
      for (const socket of sockets) socket.destroy()
      await Promise.all(closed)
    },
  }
}

function converse(socket: Socket, keep: (letter: Letter) => void, identity: Identity | undefined): void {
  const isSecret = socket instanceof TLSSocket
  const say = (line: string): void => void socket.write(`${line}\r\n`)
  const secure = (): void => {
    socket.removeAllListeners('data')
    socket.write('220 go ahead\r\n', () =>
      converse(
        new TLSSocket(socket, { isServer: true, ...identity }).on('error', () => undefined),
        keep,
        identity,
      ),
    )
  }
  let held = ''
  let from = ''
  let to: string[] = []
  let isData = false
  const answer = (line: string): void => {
    const [, address = ''] = /<([^>]*)>/.exec(line) ?? []
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return say(`250-localhost\r\n${identity === undefined || isSecret ? '' : '250-STARTTLS\r\n'}250-AUTH PLAIN\r\n250 8BITMIME`)
      case 'STAR':
        return secure()
      case 'AUTH':
        return say(Buffer.from(line.split(' ')[2] ?? '', 'base64').toString() === '\0ada\0sesame' ? '235 welcome' : '535 5.7.8 wrong')
      case 'MAIL':
        ;[from, to] = [address, []]
        return say('250 ok')
      case 'RCPT':
        if (address.startsWith('mallory@')) return say('550 5.1.1 nobody of that name')
        to.push(address)
        return say('250 ok')
      case 'DATA':
        isData = true
        return say('354 go on')
      case 'QUIT':
        say('221 bye')
        socket.end()
        return undefined
      default:
        return say('250 ok')
    }
  }
  socket.setEncoding('latin1').on('data', (data: string) => {
    held += data
    for (let end = held.indexOf(isData ? '\r\n.\r\n' : '\r\n'); end >= 0; end = held.indexOf(isData ? '\r\n.\r\n' : '\r\n')) {
      const part = held.slice(0, end)
      held = held.slice(end + (isData ? 5 : 2))
      if (!isData) answer(part)
      else {
        isData = false
        keep({ from, to, isSecret, text: part.replaceAll('\r\n..', '\r\n.') })
        say('250 kept')
      }
    }
  })
}
