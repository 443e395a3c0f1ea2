import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { WebSocketServer } from 'ws'
import { trustOf } from '../conformance/node-api/tls-under-test.ts'
import { openPress } from '../support/certificates.ts'
import type { TestDeputy } from '../support/deputy.ts'
import { bundleNodeScript, openNodePage } from '../support/node-page.ts'
import { pgOverTls } from '../support/pg-over-tls.ts'
import { postgresPassword, startMosquitto, startPostgres, startRedis, type RealServer } from '../support/real-servers.ts'
import { startSmtp } from '../support/smtp-server.ts'
import { startTunnelDeputy } from '../support/tunnel-scene.ts'
import { clientsOverTls } from './suites/clients-over-tls.ts'

const press = openPress()
const trust = trustOf(press)
press.remove()
let deputy: TestDeputy
let page: Page
let servers: readonly (RealServer | undefined)[] = []
before(async () => {
  const script = await bundleNodeScript(join(import.meta.dirname, '../support/real-clients-script.ts'))
  const [started, running] = await Promise.all([
    startTunnelDeputy({}),
    Promise.all([startPostgres(trust.server), startRedis(trust.server), startMosquitto(trust.server)]),
  ])
  servers = running
  deputy = started.deputy
  page = await openNodePage(deputy, started.ada, 'clients', script)
})
after(async () => {
  await deputy?.[Symbol.asyncDispose]()
  for (const server of servers) await server?.[Symbol.asyncDispose]()
})

test('pg: a transaction of 1,000 rows, parameters and a cursor, errors by their codes, notifications', { timeout: 120_000 }, async t => {
  const [postgres] = servers
  if (postgres === undefined) return t.skip('PostgreSQL is not installed')
  const found = await page.evaluate(
    async ([port, password]) => {
      const { Client, Pool } = clients.pg
      const config = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres', password }
      const client = new Client(config)
      await client.connect()
      await client.query('create table birds (id integer primary key, name text not null, seen timestamptz, facts jsonb, song bytea)')
      await client.query('begin')
      const song = clients.bytes(500, 3)
      for (let part = 0; part < 50; part += 1) {
        const rows = Array.from({ length: 20 }, (_, at) => part * 20 + at)
        const places = rows.map((_, row) => `(${[1, 2, 3, 4, 5].map(column => `$${row * 5 + column}`).join(', ')})`)
        const values = rows.flatMap(id => [id, `Vögel ${id}`, new Date(id * 1000), { id, tags: ['a', null] }, song])
        await client.query(`insert into birds values ${places.join(', ')}`, values)
      }
      await client.query('commit')
      const count = (await client.query<{ count: string }>('select count(*), sum(id) from birds')).rows
      const some = await client.query<{ name: string; seen: Date; facts: unknown; song: Buffer }>(
        'select name, seen, facts, song from birds where id between $1 and $2 order by id',
        [41, 43],
      )
      const [, second] = some.rows
      const row = {
        name: second?.name,
        seen: second?.seen.toISOString(),
        facts: second?.facts,
        song: second?.song.equals(song),
        types: some.fields.map(({ dataTypeID }) => dataTypeID),
      }
      await client.query('begin')
      await client.query('declare walk cursor for select id from birds order by id desc')
      const lengths: number[] = []
      let last: number | undefined
      for (;;) {
        const { rows } = await client.query<{ id: number }>('fetch 300 from walk')
        if (rows.length === 0) break
        lengths.push(rows.length)
        last = rows.at(-1)?.id
      }
      await client.query('rollback')
      const codes = [
        await clients.code(client.query('insert into birds values (1, $1)', ['twice'])),
        await clients.code(client.query('selec')),
        await clients.code(client.query('select 1/$1::int', [0])),
        await clients.code(new Client({ ...config, password: 'wrong' }).connect()),
        await clients.code(new Client({ ...config, port: 1 }).connect()),
      ]
      const pool = new Pool({ ...config, max: 4 })
      const squares = await Promise.all(
        Array.from({ length: 20 }, async (_, n) => (await pool.query<{ s: number }>('select $1::int * $1::int as s', [n])).rows[0]?.s),
      )
      await client.query('listen nest')
      const told = clients.next(client, 'notification') as Promise<{ channel: string; payload: string }>
      await pool.query("select pg_notify('nest', 'ein Ei')")
      const { channel, payload } = await told
      const gone = clients.next(client, 'end')
      const broken = clients.next(client, 'error') as Promise<{ code?: string }>
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
      const { code } = await broken
      client.on('error', () => undefined)
      await gone
      await pool.end()
      return { count, row, lengths, last, codes, squares, note: [channel, payload], ended: code }
    },
    [postgres.port, postgresPassword] as const,
  )
  assert.deepEqual(found, {
    count: [{ count: '1000', sum: '499500' }],
    row: { name: 'Vögel 42', seen: '1970-01-01T00:00:42.000Z', facts: { id: 42, tags: ['a', null] }, song: true, types: [25, 1184, 3802, 17] },
    lengths: [300, 300, 300, 100],
    last: 0,
    codes: ['23505', '42601', '22012', '28P01', 'ECONNREFUSED'],
    squares: Array.from({ length: 20 }, (_, n) => n * n),
    note: ['nest', 'ein Ei'],
    ended: '57P01',
  })
})

test('pg: with ssl its connection is encrypted from the page to the server, and refused to any other server', { timeout: 60_000 }, async t => {
  const [postgres] = servers
  if (postgres === undefined) return t.skip('PostgreSQL is not installed')
  assert.deepEqual(await pgOverTls(page, postgres, trust.root), {
    rows: [{ ssl: true, version: 'TLSv1.3' }],
    length: 300_000,
    refused: ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  })
})

test('ioredis: a pipeline of 1,000, a value of 1 MiB, blocking, channels, scripts, and a new connection after CLIENT KILL', { timeout: 120_000 }, async t => {
  const [, redis] = servers
  if (redis === undefined) return t.skip('Redis is not installed')
  const found = await page.evaluate(async port => {
    const client = new clients.Redis({ host: '127.0.0.1', port, retryStrategy: () => 20 })
    const pipeline = client.pipeline()
    for (let n = 0; n < 1000; n += 1) pipeline.incrby('sum', n)
    const answers = (await pipeline.exec()) ?? []
    const big = clients.bytes(2 ** 20, 5)
    await client.set('big', big)
    const back = await client.getBuffer('big')

    const other = client.duplicate()
    const popped = other.blpop('queue', 0)
    await client.rpush('queue', 'wörk')
    const subscriber = client.duplicate()
    const messages: string[] = []
    subscriber.on('message', (channel, message) => messages.push(`${channel} ${message}`))
    await subscriber.subscribe('news', 'weather')
    await client.publish('news', 'one')
    const three = new Promise<void>(resolve => void subscriber.on('message', () => messages.length === 3 && resolve()))
    await client.publish('weather', 'two')
    await client.publish('news', 'three')
    await three
    client.defineCommand('double', { numberOfKeys: 1, lua: "return redis.call('get', KEYS[1]) * ARGV[1]" })
    const doubled = [await (client as never as { double(key: string, by: number): Promise<number> }).double('sum', 2)]
    doubled.push(await (client as never as { double(key: string, by: number): Promise<number> }).double('sum', 3))
    const wrong = await client.lpush('sum', 'x').catch((error: Error) => error.message.slice(0, 9))

    const states: string[] = []
    for (const name of ['close', 'reconnecting', 'ready']) client.on(name, () => states.push(name))
    const ready = clients.next(client, 'ready')
    await other.client('KILL', 'ID', await client.client('ID'))
    await ready
    const after = await client.get('sum')
    const passed = [...states]
    const ended = [client, other, subscriber].map(one => clients.next(one, 'end'))
    await Promise.all([client.quit(), other.quit(), subscriber.quit()])
    await Promise.all(ended)
    return {
      answers: [answers.length, answers.every(([error]) => error === null), answers.at(-1)?.[1]],
      big: [back?.length, back?.equals(big)],
      ...{ popped: await popped, messages, doubled, wrong, states: passed, after },
    }
  }, redis.port)
  assert.deepEqual(found, {
    answers: [1000, true, 499_500],
    big: [2 ** 20, true],
    popped: ['queue', 'wörk'],
    messages: ['news one', 'weather two', 'news three'],
    doubled: [999_000, 1_498_500],
    wrong: 'WRONGTYPE',
    states: ['close', 'reconnecting', 'ready'],
    after: '499500',
  })
})

test('mqtt: acknowledged both ways, retained, a will when a connection breaks, and a new connection by itself', { timeout: 120_000 }, async t => {
  const [, , mosquitto] = servers
  if (mosquitto === undefined) return t.skip('Mosquitto is not installed')
  const found = await page.evaluate(async port => {
    const { MqttClient, net } = clients
    // Over TCP: `connect` of the package knows WebSockets alone where there is a window.
    const open = async (options: object = {}) => {
      const client = new MqttClient(() => net.connect(port, '127.0.0.1') as never, { reconnectPeriod: 20, clean: true, ...options })
      await clients.next(client, 'connect')
      return client
    }
    const heard: [topic: string, text: string, qos: number, retain: boolean][] = []
    let waiting: (() => void) | undefined
    const listener = await open({ clientId: 'listener' })
    listener.on('message', (topic, payload, packet) => {
      heard.push([topic, payload.length > 100 ? said(payload) : payload.toString(), packet.qos, packet.retain])
      waiting?.()
    })
    const said = (payload: Uint8Array): string => `${payload.length} ${payload.every((byte, at) => byte === (at & 255))}`
    const until = (count: number) =>
      new Promise<void>(resolve => {
        waiting = () => heard.length >= count && resolve()
        waiting()
      })
    const granted = await listener.subscribeAsync({ 'birds/#': { qos: 1 }, 'exact/once': { qos: 2 }, wills: { qos: 1 } })
    const speaker = await open({ clientId: 'speaker' })
    await speaker.publishAsync('birds/robin', 'hällo', { qos: 1 })
    await until(1)
    await speaker.publishAsync('exact/once', 'once', { qos: 2 })
    // Messages of different qualities may overtake one another.
    await until(2)
    await speaker.publishAsync('birds/big', Buffer.from(Uint8Array.from({ length: 300_000 }, (_, at) => at & 255)), { qos: 1 })
    await until(3)
    await speaker.publishAsync('kept/word', 'retained', { qos: 1, retain: true })
    await listener.subscribeAsync('kept/+', { qos: 1 })
    await until(4)

    const mortal = await open({ clientId: 'mortal', reconnectPeriod: 0, will: { topic: 'wills', payload: Buffer.from('gone'), qos: 1, retain: false } })
    mortal.stream.destroy()
    await until(5)
    const again = clients.next(speaker, 'connect')
    speaker.stream.destroy()
    await again
    await speaker.publishAsync('birds/wren', 'back', { qos: 1 })
    await until(6)
    await Promise.all([speaker.endAsync(), listener.endAsync(), mortal.endAsync(true)])
    return { granted: granted.map(({ topic, qos }) => [topic, qos]), heard }
  }, mosquitto.port)
  assert.deepEqual(found, {
    granted: [
      ['birds/#', 1],
      ['exact/once', 2],
      ['wills', 1],
    ],
    heard: [
      ['birds/robin', 'hällo', 1, false],
      ['exact/once', 'once', 2, false],
      ['birds/big', '300000 true', 1, false],
      ['kept/word', 'retained', 1, true],
      ['wills', 'gone', 1, false],
      ['birds/wren', 'back', 1, false],
    ],
  })
})

test('ws: the client of Node over http and net: text and 1 MiB, ping and pong, headers, close codes, a refused handshake', { timeout: 120_000 }, async () => {
  const http = createServer((_request, response) => response.writeHead(404).end())
  const server = new WebSocketServer({ noServer: true })
  const closings: unknown[] = []
  http.on('upgrade', (request, socket, head) => {
    if (request.url === '/closed') return void socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno')
    server.handleUpgrade(request, socket, head, own => {
      own.on('message', (data, isBinary) => own.send(data as Buffer, { binary: isBinary }))
      own.on('close', (code, reason) => closings.push([request.url, code, reason.toString()]))
      own.on('pong', data => own.send(`pong ${String(data)}`))
      own.send(`hello ${String(request.headers['x-own'])}`)
      if (request.url === '/ping') own.ping('are you there')
      if (request.url === '/leave') own.close(4001, 'lëave')
      if (request.url === '/break') own.terminate()
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  try {
    const found = await page.evaluate(
      async port => {
        const open = (path: string) => new clients.NodeWebSocket(`ws://127.0.0.1:${port}${path}`, { perMessageDeflate: false, headers: { 'X-Own': 'own' } })
        const socket = open('/echo')
        const messages: Promise<string>[] = []
        const heard = (count: number) =>
          new Promise<void>(resolve => {
            const look = (): void => {
              if (messages.length >= count) resolve()
            }
            socket.on('message', look)
            look()
          })
        socket.on('message', (data, isBinary) => messages.push(isBinary ? clients.digest(data as Buffer) : Promise.resolve(String(data))))
        await clients.next(socket, 'open')
        socket.send('grüß dich')
        const big = clients.bytes(2 ** 20, 9)
        socket.send(big)
        await heard(3)
        const ponged = clients.next(socket, 'pong')
        socket.ping('still')
        const pong = String(await ponged)
        const over = new Promise(resolve => void socket.on('close', (code, reason) => resolve([code, String(reason)])))
        socket.close(4000, 'fertig')
        const closed = await over

        const asked = open('/ping')
        const [hello, pinged] = await new Promise<string[]>(resolve => {
          const both: string[] = []
          asked.on('message', data => both.push(String(data)) === 2 && resolve(both))
        })
        asked.terminate()
        const leave = open('/leave')
        const left = await new Promise(resolve => void leave.on('close', (code, reason) => resolve([code, String(reason)])))
        const broken = open('/break').on('error', () => undefined)
        const cut = await clients.next(broken, 'close')
        const refused = await new Promise(resolve => {
          open('/closed').on('unexpected-response', (request, response) => {
            resolve(response.statusCode)
            request.destroy()
          })
        })
        const none = (await clients.next(new clients.NodeWebSocket('ws://127.0.0.1:1/'), 'error')) as NodeJS.ErrnoException
        return {
          messages: await Promise.all(messages),
          digest: await clients.digest(big),
          ...{ pong, closed, hello, pinged, left, cut, refused, none: none.code },
        }
      },
      (http.address() as AddressInfo).port,
    )
    const { digest, ...rest } = found
    assert.deepEqual(rest, {
      messages: ['hello own', 'grüß dich', digest],
      pong: 'still',
      closed: [4000, 'fertig'],
      hello: 'hello own',
      pinged: 'pong are you there',
      left: [4001, 'lëave'],
      cut: 1006,
      refused: 401,
      none: 'ECONNREFUSED',
    })
    assert.deepEqual(
      closings.find(closing => (closing as unknown[])[0] === '/echo'),
      ['/echo', 4000, 'fertig'],
    )
  } finally {
    for (const socket of server.clients) socket.terminate()
    http.closeAllConnections()
    http.close()
    await once(http, 'close')
  }
})

test('nodemailer: letters with an attachment, a pool, and refusals by their codes', { timeout: 120_000 }, async () => {
  await using smtp = await startSmtp()
  const found = await page.evaluate(async port => {
    const place = { host: '127.0.0.1', port, ignoreTLS: true }
    const transport = clients.nodemailer.createTransport({ ...place, auth: { user: 'ada', pass: 'sesame' } })
    const file = clients.bytes(200_000, 11)
    const sent = await transport.sendMail({
      from: 'Ada <ada@example.org>',
      to: ['ben@example.org', 'mallory@example.org'],
      subject: 'Grüße aus der Seite',
      text: 'Hällo\n.\nEnde',
      attachments: [{ filename: 'file.bin', content: file }],
    })
    const verified = await transport.verify()
    const pool = clients.nodemailer.createTransport({ ...place, pool: true, maxConnections: 2, auth: { user: 'ada', pass: 'sesame' } })
    const many = await Promise.all(
      Array.from({ length: 10 }, (_, n) => pool.sendMail({ from: 'ada@example.org', to: `p${n}@example.org`, subject: `No. ${n}`, text: 'x' })),
    )
    pool.close()
    const letter = { from: 'ada@example.org', to: 'mallory@example.org', subject: 's', text: 't' }
    const codes = [
      await clients.code(clients.nodemailer.createTransport({ ...place, auth: { user: 'ada', pass: 'wrong' } }).sendMail(letter)),
      await clients.code(transport.sendMail(letter)),
      await clients.code(clients.nodemailer.createTransport({ host: '127.0.0.1', port: 1 }).sendMail(letter)),
    ]
    return {
      sent: { accepted: sent.accepted, rejected: sent.rejected, response: sent.response },
      ...{ verified, many: many.length, codes, digest: await clients.digest(file) },
    }
  }, smtp.port)
  const { digest, ...rest } = found
  assert.deepEqual(rest, {
    sent: { accepted: ['ben@example.org'], rejected: ['mallory@example.org'], response: '250 kept' },
    verified: true,
    many: 10,
    codes: ['EAUTH', 'EENVELOPE', 'ESOCKET'],
  })
  const [first, ...others] = smtp.letters
  assert.deepEqual([first?.from, first?.to], ['ada@example.org', ['ben@example.org']])
  assert.match(first?.text ?? '', /^Subject: =\?UTF-8\?Q\?Gr=C3=BC=C3=9Fe/m)
  assert.match(first?.text ?? '', /\r\nH=C3=A4llo\r\n\.\r\nEnde/)
  const [, attached = ''] = /name="?file\.bin"?[\s\S]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)\r\n--/.exec(first?.text ?? '') ?? []
  assert.equal(createHash('sha256').update(Buffer.from(attached, 'base64')).digest('hex'), digest)
  assert.deepEqual(others.flatMap(({ to }) => to).toSorted(), Array.from({ length: 10 }, (_, n) => `p${n}@example.org`).toSorted())
})

clientsOverTls(
  () => page,
  trust,
  () => ({ redis: servers[1], mosquitto: servers[2] }),
)
