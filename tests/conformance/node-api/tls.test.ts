import * as https from 'node:https'
import * as net from 'node:net'
import { after, before } from 'node:test'
import * as tls from 'node:tls'
import { overTunnel, type OverTunnel } from '../../support/node-modules.ts'
import { tlsSuite } from './tls-suite.ts'
import type { TlsUnderTest } from './tls-under-test.ts'

let tunnel: OverTunnel
before(async () => {
  tunnel = await overTunnel()
})
after(() => tunnel.close())

tlsSuite(() => ({ tls, net, https }), 'Node')
tlsSuite(() => tunnel.modules as unknown as TlsUnderTest, 'client over the tunnel')
