import { createServer, type AddressInfo, type Socket } from 'node:net'

/** A letter a server was given. */
export interface Letter {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
}

/** A small SMTP server that keeps what it is given; `mallory@…` is no recipient, and the password is `sesame`. */
export async function startSmtp(): Promise<AsyncDisposable & { readonly port: number; readonly letters: Letter[] }> {
  const letters: Letter[] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => undefined))
    converse(socket, letter => letters.push(letter))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    letters,
    [Symbol.asyncDispose]: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function converse(socket: Socket, keep: (letter: Letter) => void): void {
  const say = (line: string): void => void socket.write(`${line}\r\n`)
  let held = ''
  let from = ''
  let to: string[] = []
  let isData = false
  const answer = (line: string): void => {
    const [, address = ''] = /<([^>]*)>/.exec(line) ?? []
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return say('250-localhost\r\n250-AUTH PLAIN\r\n250 8BITMIME')
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
  say('220 localhost ESMTP')
  socket.setEncoding('latin1').on('data', (data: string) => {
    held += data
    for (let end = held.indexOf(isData ? '\r\n.\r\n' : '\r\n'); end >= 0; end = held.indexOf(isData ? '\r\n.\r\n' : '\r\n')) {
      const part = held.slice(0, end)
      held = held.slice(end + (isData ? 5 : 2))
      if (!isData) answer(part)
      else {
        isData = false
        keep({ from, to, text: part.replaceAll('\r\n..', '\r\n.') })
        say('250 kept')
      }
    }
  })
}
