import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openPress } from '../../support/certificates.ts'
import { host, serving, trustOf } from './tls-under-test.ts'

/** What the suites in Node cannot show: that the engine runs in the page, over the broker. `DEPUTY_TLS_MB` of bulk are timed. */
export async function tlsInPage(t: TestContext, page: Page): Promise<void> {
  const press = openPress()
  const { root, server } = trustOf(press)
  press.remove()
  const identity = { key: server.key, cert: server.cert }
  const ca = root.cert

  await t.test('tls: a conversation, refusals, and bulk', async c => {
    const megabytes = Number(process.env['DEPUTY_TLS_MB'] ?? 2)
    const bulk = (socket: NodeJS.WritableStream): unknown => socket.end(Buffer.alloc(megabytes * 1_000_000))
    await serving(
      identity,
      socket => socket.once('data', word => (String(word) === 'bulk' ? bulk(socket) : socket.end(`heard ${String(word)}`))),
      async port => {
        const talk = (options: object, word = 'hello') => page.evaluate(([of, said]) => secured.talk(of, said), [{ host, port, ca, ...options }, word] as const)
        const { how, said } = await talk({ servername: 'server.test' })
        assert.deepEqual([how, said], ['TLSv1.3 true', 'heard hello'])
        assert.equal((await talk({ servername: 'a.wild.test', maxVersion: 'TLSv1.2' })).how, 'TLSv1.2 true')
        assert.equal((await talk({})).how, 'TLSv1.3 true')
        assert.equal((await talk({ servername: 'other.test' })).how, 'ERR_TLS_CERT_ALTNAME_INVALID')
        // By the roots that are shipped.
        assert.equal((await talk({ servername: 'server.test', ca: undefined })).how, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
        for (const ciphers of ['TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256']) {
          const { length, milliseconds } = await talk({ servername: 'server.test', ciphers }, 'bulk')
          assert.equal(length, megabytes * 1_000_000)
          c.diagnostic(`${ciphers}: ${((megabytes * 1000) / milliseconds).toFixed(1)} MB/s`)
        }
      },
    )
  })

  await t.test('https: an answer, and a refusal', async () => {
    const served = createServer(identity, (request, response) => response.end(`you are at ${request.url}`))
    served.listen(0, host)
    await once(served, 'listening')
    const url = `https://${host}:${(served.address() as AddressInfo).port}/there`
    assert.equal(await page.evaluate(([of, trust]) => secured.get(of, trust), [url, ca] as const), '200 you are at /there')
    assert.equal(await page.evaluate(of => secured.get(of, undefined), url), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
    served.closeAllConnections()
    served.close()
    await once(served, 'close')
  })
}
