import * as https from 'node:https'
import * as net from 'node:net'
import { after, before } from 'node:test'
import * as tls from 'node:tls'
import { overTunnel, type OverTunnel } from '../../support/node-modules.ts'
import { httpsSuite } from './https-suite.ts'
import { tlsDetailsSuite } from './tls-details-suite.ts'
import { tlsSuite } from './tls-suite.ts'
import type { TlsUnderTest } from './tls-under-test.ts'

let tunnel: OverTunnel
before(async () => {
  tunnel = await overTunnel()
})
after(() => tunnel.close())

const ours = (): TlsUnderTest => tunnel.modules as unknown as TlsUnderTest
tlsSuite(() => ({ tls, net, https }), 'Node')
tlsSuite(ours, 'client over the tunnel')
tlsDetailsSuite(() => ({ tls, net, https }), 'details of Node')
tlsDetailsSuite(ours, 'details over the tunnel')
httpsSuite(() => ({ tls, net, https }), 'https of Node')
httpsSuite(ours, 'https over the tunnel')
