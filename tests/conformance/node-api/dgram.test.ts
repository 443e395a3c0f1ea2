import * as dgram from 'node:dgram'
import * as net from 'node:net'
import { after, before } from 'node:test'
import { overTunnel, type OverTunnel } from '../../support/node-modules.ts'
import { dgramSuite, type DgramUnderTest } from './dgram-suite.ts'

let tunnel: OverTunnel
before(async () => {
  tunnel = await overTunnel()
})
after(() => tunnel.close())

const ours = (): DgramUnderTest['near'] => tunnel.modules.dgram as unknown as DgramUnderTest['near']
dgramSuite(() => ({ near: dgram, far: dgram, net, host: '127.0.0.9' }), 'Node')
dgramSuite(() => ({ near: ours(), far: dgram, net: tunnel.modules.net as never, host: '127.0.0.9' }), 'one end over the tunnel')
dgramSuite(() => ({ near: ours(), far: ours(), net: tunnel.modules.net as never, host: '127.0.0.9' }), 'both ends over the tunnel')
