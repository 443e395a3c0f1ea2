import type { Socket } from 'node:net'

const longestLine = 4096
const mostKeys = 1000
const help = 'PING [text], ECHO text, SET key value, GET key, DEL key, INCR key, DBSIZE, TIME, HELP, QUIT'

const simple = (text: string): string => `+${text}\r\n`
const fault = (text: string): string => `-ERR ${text}\r\n`
const whole = (number: number): string => `:${number}\r\n`
const bulk = (text: string | undefined): string => (text === undefined ? '$-1\r\n' : `$${Buffer.byteLength(text)}\r\n${text}\r\n`)

/** A store of one connection, spoken to by lines and answering as Redis answers inline commands. It ends its half after the caller has ended theirs. */
export function serveStore(socket: Socket): void {
  const store = new Map<string, string>()
  let rest = ''
  socket.setEncoding('utf8')
  socket.write(simple(`Hello. ${help}`))
  socket.on('data', (text: string) => {
    const lines = (rest + text).split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [name = '', ...words] = line.trim().split(/\s+/)
      if (name === '') continue
      if (name.toUpperCase() === 'QUIT') return void socket.end(simple('OK'))
      socket.write(answer(store, name.toUpperCase(), words))
    }
    if (rest.length > longestLine) socket.end(fault('the line is too long'))
  })
  socket.on('end', () => socket.end(simple(`You ended your half; this is the end of mine. ${store.size} keys were set.`)))
}

function answer(store: Map<string, string>, name: string, [key, ...rest]: readonly string[]): string {
  const value = rest.join(' ')
  if (name === 'PING') return key === undefined ? simple('PONG') : bulk([key, ...rest].join(' '))
  if (name === 'HELP') return simple(help)
  if (name === 'DBSIZE') return whole(store.size)
  if (name === 'TIME') return bulk(new Date().toISOString())
  if (key === undefined)
    return ['ECHO', 'SET', 'GET', 'DEL', 'INCR'].includes(name) ? fault(`${name} wants more words`) : fault(`unknown command ${name.slice(0, 32)}; ${help}`)
  if (name === 'ECHO') return bulk([key, ...rest].join(' '))
  if (name === 'GET') return bulk(store.get(key))
  if (name === 'DEL') return whole(store.delete(key) ? 1 : 0)
  if (store.size >= mostKeys && !store.has(key)) return fault('the store is full')
  if (name === 'SET') {
    store.set(key, value)
    return simple('OK')
  }
  if (name === 'INCR') {
    const next = Number(store.get(key) ?? 0) + 1
    if (!Number.isSafeInteger(next)) return fault('value is not an integer')
    store.set(key, String(next))
    return whole(next)
  }
  return fault(`unknown command ${name.slice(0, 32)}; ${help}`)
}
