import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { WebSocketServer } from 'ws'
import type { Trust } from '../../conformance/node-api/tls-under-test.ts'
import type { RealServer } from '../../support/real-servers.ts'
import { startSmtp } from '../../support/smtp-server.ts'
import type {} from '../../support/real-clients-script.ts'

/** The clients again, each by its own option for TLS: ended in the page, to servers that show a certificate of an authority of the test. */
export function clientsOverTls(
  page: () => Page,
  { root, server }: Trust,
  running: () => { redis: RealServer | undefined; mosquitto: RealServer | undefined },
): void {
  test('ioredis: with tls, a value of 300 kB and a pipeline, and no connection to a server that is another', { timeout: 60_000 }, async t => {
    const { redis } = running()
    if (redis === undefined) return t.skip('Redis is not installed')
    const found = await page().evaluate(
      async ([port, ca]) => {
        const open = (servername: string) =>
          new clients.Redis({ host: '127.0.0.1', port, tls: { ca, servername }, retryStrategy: () => null, maxRetriesPerRequest: 0 })
        const client = open('server.test')
        const big = clients.bytes(300_000, 6)
        await client.set('secret', big)
        const back = await client.getBuffer('secret')
        const answers = (await client.pipeline().incr('turns').incr('turns').exec()) ?? []
        const ended = clients.next(client, 'end')
        await client.quit()
        await ended
        const other = open('other.test')
        const [error] = await Promise.all([clients.next(other, 'error'), clients.next(other, 'end')])
        return [back?.equals(big), answers.map(([, answer]) => answer), (error as NodeJS.ErrnoException).code]
      },
      [redis.securePort, root.cert] as const,
    )
    assert.deepEqual(found, [true, [1, 2], 'ERR_TLS_CERT_ALTNAME_INVALID'])
  })

  test('mqtt: by its own mqtts, acknowledged both ways, and no connection to a server that is another', { timeout: 60_000 }, async t => {
    const { mosquitto } = running()
    if (mosquitto === undefined) return t.skip('Mosquitto is not installed')
    const found = await page().evaluate(
      async ([port, ca]) => {
        const open = (servername: string) => {
          const options = { host: '127.0.0.1', port, ca, servername, protocol: 'mqtts', reconnectPeriod: 0 } as const
          return new clients.MqttClient(client => clients.mqtts(client, options), options)
        }
        const client = open('server.test')
        await clients.next(client, 'connect')
        await client.subscribeAsync('secrets/#', { qos: 2 })
        const heard = clients.next(client, 'message')
        await client.publishAsync('secrets/one', 'hällo', { qos: 2 })
        const topic = await heard
        await client.endAsync()
        const other = open('other.test')
        const error = (await clients.next(other, 'error')) as NodeJS.ErrnoException
        await other.endAsync(true)
        return [topic, error.code]
      },
      [mosquitto.securePort, root.cert] as const,
    )
    assert.deepEqual(found, ['secrets/one', 'ERR_TLS_CERT_ALTNAME_INVALID'])
  })

  test('nodemailer: STARTTLS and TLS from the first byte, and no letter to a server that is another', { timeout: 60_000 }, async () => {
    await using smtp = await startSmtp(server)
    const found = await page().evaluate(
      async ([port, securePort, ca]) => {
        const letter = { from: 'ada@example.org', to: 'ben@example.org', subject: 's', text: 'x'.repeat(50_000) }
        const auth = { user: 'ada', pass: 'sesame' }
        const open = (of: object, servername = 'server.test') =>
          clients.nodemailer.createTransport({ host: '127.0.0.1', auth, tls: { ca, servername }, ...of } as never)
        return [
          (await open({ port, requireTLS: true }).sendMail({ ...letter, subject: 'started' })).response,
          (await open({ port: securePort, secure: true }).sendMail({ ...letter, subject: 'from the first byte' })).response,
          await clients.code(open({ port, requireTLS: true }, 'other.test').sendMail(letter)),
          await clients.code(open({ port: securePort, secure: true }, 'other.test').sendMail(letter)),
        ]
      },
      [smtp.port, smtp.securePort, root.cert] as const,
    )
    assert.deepEqual(found, ['250 kept', '250 kept', 'ESOCKET', 'ESOCKET'])
    assert.deepEqual(
      smtp.letters.map(({ isSecret, text }) => [isSecret, /^Subject: (.*)\r$/m.exec(text)?.[1], text.includes('x'.repeat(60))]),
      ['started', 'from the first byte'].map(subject => [true, subject, true]),
    )
  })

  test('https and ws: requests by an agent that keeps its connections, a body both ways, wss, and refusals', { timeout: 60_000 }, async () => {
    let connections = 0
    const https = createServer({ key: server.key, cert: server.cert }, (request, response) => void request.pipe(response))
    https.on('secureConnection', () => (connections += 1))
    const sockets = new WebSocketServer({ server: https })
    sockets.on('connection', own => own.on('message', (data, isBinary) => own.send(data as Buffer, { binary: isBinary })))
    https.listen(0, '127.0.0.1')
    await once(https, 'listening')
    try {
      const found = await page().evaluate(
        async ([port, ca]) => {
          const trust = { ca, servername: 'server.test' }
          const agent = new clients.https.Agent({ keepAlive: true, maxSockets: 2, ...trust })
          const body = clients.bytes(300_000, 4)
          const ask = (options: object) =>
            new Promise<boolean>((resolve, reject) => {
              const request = clients.https.request({ host: '127.0.0.1', port, method: 'POST', path: '/', ...options }, response => {
                const parts: Buffer[] = []
                response.on('data', (part: Buffer) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts).equals(body)))
              })
              request.on('error', reject)
              request.end(body)
            })
          const answers = [await ask({ agent }), ...(await Promise.all(Array.from({ length: 6 }, () => ask({ agent }))))]
          const refused = [await clients.code(ask({ ca })), await clients.code(ask({ servername: 'server.test' }))]
          agent.destroy()
          const socket = new clients.NodeWebSocket(`wss://127.0.0.1:${port}/`, trust)
          await clients.next(socket, 'open')
          const echo = clients.next(socket, 'message')
          socket.send(body)
          const heard = ((await echo) as Buffer).equals(body)
          const over = clients.next(socket, 'close')
          socket.close(4000)
          const none = (await clients.next(new clients.NodeWebSocket(`wss://127.0.0.1:${port}/`, { ca }), 'error')) as NodeJS.ErrnoException
          return { answers, refused, heard, closed: await over, none: none.code }
        },
        [(https.address() as AddressInfo).port, root.cert] as const,
      )
      assert.deepEqual(found, {
        answers: Array.from({ length: 7 }, () => true),
        refused: ['ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
        heard: true,
        closed: 4000,
        none: 'ERR_TLS_CERT_ALTNAME_INVALID',
      })
      // Two of the agent's, and those of the refused and the socket where the server saw them secured.
      assert.ok(connections >= 3 && connections <= 6, String(connections))
    } finally {
      for (const socket of sockets.clients) socket.terminate()
      https.closeAllConnections()
      https.close()
      await once(https, 'close')
    }
  })
}
