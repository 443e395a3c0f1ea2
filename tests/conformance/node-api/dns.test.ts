import assert from 'node:assert/strict'
import * as dgram from 'node:dgram'
import dns from 'node:dns'
import * as net from 'node:net'
import { after, before, test } from 'node:test'
import { overTunnel, type OverTunnel } from '../../support/node-modules.ts'
import { dnsSuite } from './dns-suite.ts'

let tunnel: OverTunnel
before(async () => {
  tunnel = await overTunnel()
})
after(() => tunnel.close())

const ours = (): typeof dns => tunnel.modules.dns as unknown as typeof dns
const host = '127.0.0.9'
dnsSuite(() => ({ dns, dgram, net, host }), 'Node')
dnsSuite(() => ({ dns: ours(), dgram: tunnel.modules.dgram as never, net: tunnel.modules.net as never, host }), 'over the tunnel')

test('LIB-13: records that are not offered are ENOTIMP, by callback and by promise', async () => {
  const { promises } = ours()
  await assert.rejects(promises.resolveMx('example.com'), { code: 'ENOTIMP', syscall: 'queryMx', hostname: 'example.com' })
  await assert.rejects(promises.resolve('example.com', 'TXT'), { code: 'ENOTIMP', syscall: 'queryTxt' })
  await assert.rejects(promises.reverse('192.0.2.1'), { code: 'ENOTIMP', syscall: 'getHostByAddr' })
  await assert.rejects(promises.resolve4('example.com', { ttl: true }), { code: 'ENOTIMP' })
  const error = await new Promise<NodeJS.ErrnoException | null>(resolve => ours().resolveSrv('example.com', resolve))
  assert.equal(error?.code, 'ENOTIMP')
})

test('LIB-13: resolve4 and resolve6 answer the addresses of their family', async () => {
  assert.deepEqual(await ours().promises.resolve4('localhost'), ['127.0.0.1'])
  assert.deepEqual(await ours().promises.resolve6('localhost'), ['::1'])
})
