import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { createServer, type RequestOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { openPress } from '../../support/certificates.ts'
import { host, textOf, trustOf, type TlsUnderTest, type Trust } from './tls-under-test.ts'

/** The suite of `https`: the same expectations of Node's module and of ours. */
export function httpsSuite(under: () => TlsUnderTest, name: string): void {
  const title = (text: string): string => `LIB-13: ${name}: ${text}`
  const press = openPress()
  after(() => press.remove())
  let made: Trust | undefined
  const trust = (): Trust => (made ??= trustOf(press))

  async function served(use: (port: number, connections: () => number) => Promise<void>): Promise<void> {
    const { key, cert } = trust().server
    let connections = 0
    const server = createServer({ key, cert }, (request, response) => {
      void textOf(request).then(body =>
        response.end(
          `${request.method} ${request.url} ${request.headers.host} ${String((request.socket as TLSSocket & { servername?: unknown }).servername)} ${body}`,
        ),
      )
    })
    server.on('secureConnection', () => (connections += 1))
    server.listen(0, host)
    await once(server, 'listening')
    try {
      await use((server.address() as AddressInfo).port, () => connections)
    } finally {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  }
  const ask = (options: RequestOptions, body?: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const request: ClientRequest = under().https.request({ host, ca: trust().root.cert, ...options }, resolve)
      request.on('error', reject)
      request.end(body)
    })
  const failing = async (options: RequestOptions): Promise<unknown> => {
    try {
      await ask(options)
      return 'answered'
    } catch (error) {
      return (error as NodeJS.ErrnoException).code
    }
  }

  test(title('requests with and without an agent, by options and by url'), async () => {
    await served(async port => {
      assert.equal(await textOf(await ask({ port, path: '/a', agent: false })), `GET /a ${host}:${port} false `)
      const named = { port, path: '/b', method: 'POST', headers: { Host: 'server.test' }, agent: false } as const
      assert.equal(await textOf(await ask(named, 'body')), 'POST /b server.test server.test body')
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        under().https.get(`https://${host}:${port}/c?d`, { ca: trust().root.cert, agent: false }, resolve).on('error', reject)
      })
      assert.equal(await textOf(response), `GET /c?d ${host}:${port} false `)
    })
  })

  test(title('an agent keeps a connection, and none for requests of another trust'), async () => {
    await served(async (port, connections) => {
      const agent = new (under().https.Agent)({ keepAlive: true })
      for (let index = 0; index < 3; index++) await textOf(await ask({ port, path: '/', agent }))
      assert.equal(connections(), 1)
      assert.equal(await failing({ port, path: '/', agent, ca: undefined }), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
      assert.equal(await failing({ port, path: '/', agent, servername: 'other.test' }), 'ERR_TLS_CERT_ALTNAME_INVALID')
      await textOf(await ask({ port, path: '/', agent }))
      agent.destroy()
    })
  })

  test(title('what is not https, or not trusted, is refused'), async () => {
    await served(async port => {
      assert.throws(() => under().https.request({ host, port, protocol: 'http:' }), { code: 'ERR_INVALID_PROTOCOL' })
      assert.equal(await failing({ port, ca: undefined, agent: false }), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
      assert.equal(await failing({ port, headers: { Host: 'other.test' }, agent: false }), 'ERR_TLS_CERT_ALTNAME_INVALID')
    })
  })
}
