import * as net from 'node:net'
import { after, before } from 'node:test'
import { overTunnel, type OverTunnel } from '../../support/node-modules.ts'
import { netSuite } from './net-suite.ts'
import type { NetUnderTest } from './net-under-test.ts'

let tunnel: OverTunnel
before(async () => {
  tunnel = await overTunnel()
})
after(() => tunnel.close())

const ours = (): NetUnderTest['client'] => tunnel.modules.net as unknown as NetUnderTest['client']
netSuite(() => ({ name: 'Node', client: net, server: net, host: '127.0.0.9' }), 'Node')
netSuite(() => ({ name: 'client', client: ours(), server: net, host: '127.0.0.9' }), 'client over the tunnel')
netSuite(() => ({ name: 'server', client: net, server: ours(), host: '127.0.0.9' }), 'server over the tunnel')
netSuite(() => ({ name: 'both', client: ours(), server: ours(), host: '127.0.0.9' }), 'both over the tunnel')
netSuite(() => ({ name: 'page', client: ours(), server: ours(), host: '127.0.0.1' }), 'within the page')
