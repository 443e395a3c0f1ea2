import { after, before } from 'node:test'
import { overTunnel, type OverTunnel } from '../../support/node-modules.ts'
import { tlsTrustSuite } from './tls-trust-suite.ts'
import type { TlsUnderTest } from './tls-under-test.ts'

let tunnel: OverTunnel
before(async () => {
  tunnel = await overTunnel()
})
after(() => tunnel.close())

// Node itself is the oracle of every case.
tlsTrustSuite(() => tunnel.modules as unknown as TlsUnderTest, 'client over the tunnel')
