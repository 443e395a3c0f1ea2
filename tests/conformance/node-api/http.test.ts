import * as http from 'node:http'
import * as net from 'node:net'
import { after, before } from 'node:test'
import { overTunnel, type OverTunnel } from '../../support/node-modules.ts'
import { httpServerSuite } from './http-server-suite.ts'
import { httpClientSuite } from './http-client-suite.ts'
import { httpSuite } from './http-suite.ts'

let tunnel: OverTunnel
before(async () => {
  tunnel = await overTunnel()
})
after(() => tunnel.close())

const ours = (): typeof http => tunnel.modules.http as unknown as typeof http
httpSuite(() => ({ client: http, server: http, raw: net, host: '127.0.0.9' }), 'Node')
httpSuite(() => ({ client: ours(), server: http, raw: net, host: '127.0.0.9' }), 'client over the tunnel')
httpSuite(() => ({ client: http, server: ours(), raw: net, host: '127.0.0.9' }), 'server over the tunnel')
httpSuite(() => ({ client: ours(), server: ours(), raw: tunnel.modules.net as unknown as typeof net, host: '127.0.0.1' }), 'within the page')
httpClientSuite(() => ({ client: http, server: http, raw: net, host: '127.0.0.9' }), 'Node')
httpClientSuite(() => ({ client: ours(), server: http, raw: net, host: '127.0.0.9' }), 'client over the tunnel')
httpClientSuite(() => ({ client: ours(), server: ours(), raw: tunnel.modules.net as unknown as typeof net, host: '127.0.0.1' }), 'within the page')
httpServerSuite(() => ({ client: http, server: http, raw: net, host: '127.0.0.9' }), 'Node')
httpServerSuite(() => ({ client: http, server: ours(), raw: net, host: '127.0.0.9' }), 'server over the tunnel')
httpServerSuite(() => ({ client: ours(), server: ours(), raw: tunnel.modules.net as unknown as typeof net, host: '127.0.0.1' }), 'within the page')
