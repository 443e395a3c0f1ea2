/** The suites of Node's modules in a page, whose sockets are the broker's. Bundled by `chromium.browser.test.ts`. */
import './node-page-script.ts'
import './secured-script.ts'
import * as dgram from '@deputy/client/dgram'
import * as dns from '@deputy/client/dns'
import * as http from '@deputy/client/http'
import * as net from '@deputy/client/net'
import { backend, useBackend } from '@deputy/client/node-backend'
import { differencesSuite } from '../conformance/node-api/differences-suite.ts'
import { dgramSuite, type DgramUnderTest } from '../conformance/node-api/dgram-suite.ts'
import { dnsSuite } from '../conformance/node-api/dns-suite.ts'
import { httpServerSuite } from '../conformance/node-api/http-server-suite.ts'
import { httpClientSuite } from '../conformance/node-api/http-client-suite.ts'
import { httpSuite, type HttpUnderTest } from '../conformance/node-api/http-suite.ts'
import { netSuite } from '../conformance/node-api/net-suite.ts'
import type { NetUnderTest } from '../conformance/node-api/net-under-test.ts'
import { caseNames, runCase, type CaseOutcome } from './page-suite-script.ts'

/** What the page holds. */
export interface NodeSuites {
  names(): string[]
  run(name: string): Promise<CaseOutcome>
}
declare global {
  var nodeSuites: NodeSuites
}

const here = {
  net: net as unknown as NetUnderTest['client'],
  http: http as unknown as HttpUnderTest['client'],
  dgram: dgram as unknown as DgramUnderTest['near'],
}
const there = plain as unknown as typeof here
const host = '127.0.0.9'
netSuite(() => ({ name: 'client', client: here.net, server: there.net, host }), 'net, client over the tunnel')
netSuite(() => ({ name: 'server', client: there.net, server: here.net, host }), 'net, server over the tunnel')
netSuite(() => ({ name: 'both', client: here.net, server: here.net, host }), 'net, both over the tunnel')
netSuite(() => ({ name: 'page', client: here.net, server: here.net, host: '127.0.0.1' }), 'net, within the page')
dgramSuite(() => ({ near: here.dgram, far: there.dgram, net: net as never, host }), 'dgram, one end over the tunnel')
dgramSuite(() => ({ near: here.dgram, far: here.dgram, net: net as never, host }), 'dgram, both over the tunnel')
dnsSuite(() => ({ dns: dns as never, dgram: here.dgram, net: net as never, host }), 'dns, over the tunnel')
httpSuite(() => ({ client: here.http, server: there.http, raw: there.net, host }), 'http, client over the tunnel')
httpSuite(() => ({ client: there.http, server: here.http, raw: there.net, host }), 'http, server over the tunnel')
httpSuite(() => ({ client: here.http, server: here.http, raw: here.net, host }), 'http, both over the tunnel')
httpSuite(() => ({ client: here.http, server: here.http, raw: here.net, host: '127.0.0.1' }), 'http, within the page')
httpClientSuite(() => ({ client: here.http, server: there.http, raw: there.net, host }), 'http, client over the tunnel')
httpClientSuite(() => ({ client: here.http, server: here.http, raw: here.net, host: '127.0.0.1' }), 'http, within the page')
httpServerSuite(() => ({ client: there.http, server: here.http, raw: there.net, host }), 'http, server over the tunnel')
httpServerSuite(() => ({ client: here.http, server: here.http, raw: here.net, host: '127.0.0.1' }), 'http, within the page')
differencesSuite(() => ({ net, dgram, dns, http, backend, useBackend }), 'in the page')

Object.assign(globalThis, { nodeSuites: { names: caseNames, run: runCase } satisfies NodeSuites })
