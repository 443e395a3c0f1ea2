import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { isLoopback, isPublicAddress } from './addresses.ts'
import { fetchSite } from './fetch.ts'

test('public addresses are told from all others', () => {
  for (const address of ['1.1.1.1', '8.8.8.8', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'])
    assert.ok(isPublicAddress(address), address)
  for (const address of [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.9.9.9', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.168.1.1', '198.18.0.1'],
    ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.2.1', '203.0.113.9', 'localhost', '', '1.1.1'],
    ...['::', '::1', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::7f00:1', '2001:db8::1', '2002:7f00:1::'],
  ])
    assert.equal(isPublicAddress(address), false, address)
  for (const address of ['127.0.0.1', '127.255.0.1', '::1']) assert.ok(isLoopback(address))
})

describe('fetching from a site', () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host} ${request.url} ${Object.keys(request.headers).toSorted().join(',')}`)
    switch (request.url) {
      case '/json':
        return response.end('{"app":"x"}')
      case '/text':
        return response.end('no json')
      case '/large':
        return response.end(`"${'x'.repeat(70_000)}"`)
      case '/moved':
        return response.writeHead(302, { location: '/json' }).end()
      case '/busy':
        return response.writeHead(503).end()
      case '/cut':
        response.writeHead(200, { 'content-length': '100' }).write('{')
        return response.destroy()
      default:
        return response.writeHead(404).end()
    }
  })
  let port = 0
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => server.close())
  const get = (path: string, { host = 'app.localhost', loopback = true } = {}) => fetchSite(new URL(`http://${host}:${port}${path}`), { loopback })

  test('JSON is answered, and nothing is sent along', async () => {
    assert.deepEqual(await get('/json'), { value: { app: 'x' } })
    assert.deepEqual(asked.at(-1), `app.localhost:${port} /json accept,connection,host`)
  })

  test('what is not there is none; what cannot be known is unreachable', async () => {
    for (const path of ['/missing', '/text', '/large']) assert.equal(await get(path), 'none', path)
    for (const path of ['/busy', '/moved', '/cut']) assert.equal(await get(path), 'unreachable', path)
    assert.equal(await fetchSite(new URL('http://127.0.0.1:1/json'), { loopback: true }), 'unreachable')
    assert.equal(await fetchSite(new URL('http://does-not-exist.invalid/json'), { loopback: true }), 'unreachable')
    assert.equal(await fetchSite(new URL('ftp://example.com/json'), { loopback: true }), 'unreachable')
  })

  test('an address that is not public is never connected to', async () => {
    const before = asked.length
    for (const host of ['127.0.0.1', 'localhost', 'app.localhost', '[::1]', '0.0.0.0', '2130706433', '0x7f.1'])
      assert.equal(await get('/json', { host, loopback: false }), 'unreachable', host)
    assert.equal(await get('/json', { host: '0.0.0.0' }), 'unreachable')
    assert.equal(await fetchSite(new URL('http://169.254.169.254/latest/meta-data'), { loopback: true }), 'unreachable')
    assert.equal(asked.length, before)
  })
})
