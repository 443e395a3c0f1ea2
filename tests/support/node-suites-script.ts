/** The suites of Node's modules in a page, whose sockets are the broker's. Bundled by `chromium.browser.test.ts`. */
import './node-page-script.ts'
import * as dgram from '@deputy/client/dgram'
import * as dns from '@deputy/client/dns'
import * as http from '@deputy/client/http'
import * as net from '@deputy/client/net'
import { backend, useBackend } from '@deputy/client/node-backend'
import { differencesSuite } from '../conformance/node-api/differences-suite.ts'
import { dgramSuite, type DgramUnderTest } from '../conformance/node-api/dgram-suite.ts'
import { dnsSuite } from '../conformance/node-api/dns-suite.ts'
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

const ourNet = net as unknown as NetUnderTest['client']
const ourHttp = http as unknown as HttpUnderTest['client']
const ourDgram = dgram as unknown as DgramUnderTest['near']
netSuite(() => ({ name: 'both', client: ourNet, server: ourNet, host: '127.0.0.9' }), 'net, both over the tunnel')
netSuite(() => ({ name: 'page', client: ourNet, server: ourNet, host: '127.0.0.1' }), 'net, within the page')
dgramSuite(() => ({ near: ourDgram, far: ourDgram, host: '127.0.0.9' }), 'dgram, both over the tunnel')
dnsSuite(() => dns as never, 'dns, over the tunnel')
httpSuite(() => ({ client: ourHttp, server: ourHttp, raw: ourNet, host: '127.0.0.9' }), 'http, both over the tunnel')
httpSuite(() => ({ client: ourHttp, server: ourHttp, raw: ourNet, host: '127.0.0.1' }), 'http, within the page')
differencesSuite(() => ({ net, dgram, dns, http, backend, useBackend }), 'in the page')

Object.assign(globalThis, { nodeSuites: { names: caseNames, run: runCase } satisfies NodeSuites })
