import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Backend } from '@deputy/client/node-backend'
import type * as dgram from '@deputy/client/dgram'
import type * as dns from '@deputy/client/dns'
import type * as http from '@deputy/client/http'
import type * as https from '@deputy/client/https'
import type * as net from '@deputy/client/net'
import type * as tls from '@deputy/client/tls'
import { incomingFrame } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { fromJson, type Stream } from '@deputy/tunnel'
import { build } from 'esbuild'
import { bindUdp, connectTcp, listenTcp, lookupName, type Allowed, type TunnelLink } from '@deputy/broker/sockets'
import { startTunnelNode, type TestNode } from './tunnel-node.ts'

/** The client's modules in the shape of Node's, as a page bundles them. */
export interface NodeModules {
  readonly net: typeof net
  readonly dgram: typeof dgram
  readonly dns: typeof dns
  readonly http: typeof http
  readonly https: typeof https
  readonly tls: typeof tls
  backend(): Backend
  useBackend(backend?: Backend): void
}

/** The modules over a tunnel node of their own: all of the way but the frame and its port. */
export interface OverTunnel {
  readonly modules: NodeModules
  readonly node: TestNode
  close(): Promise<void>
}

/** Bundles the modules for a browser, so that no module of Node's takes part. */
async function bundled(): Promise<{ readonly modules: NodeModules; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-node-modules-'))
  const names = ['net', 'dgram', 'dns', 'http', 'https', 'tls']
  const file = join(folder, 'modules.mjs')
  await build({
    stdin: {
      contents: [
        ...names.map(name => `export * as ${name} from '@deputy/client/${name}'`),
        `export { backend, useBackend } from '@deputy/client/node-backend'`,
      ].join('\n'),
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    conditions: ['source'],
    outfile: file,
    logLevel: 'error',
  })
  return { modules: (await import(pathToFileURL(file).href)) as never, remove: () => rm(folder, { recursive: true }) }
}

/** A served thing as it is held at the other end, where every call answers a promise. */
const asRemote = (served: object): never =>
  Object.fromEntries(
    Object.entries(served).map(([name, value]) => [
      name,
      typeof value === 'function' ? async (...of: unknown[]) => (value as (...of: unknown[]) => unknown)(...of) : (value as unknown),
    ]),
  ) as never

/** Starts a node that listens on `127.0.0.9`, which is no loopback of a page, and joins the modules with it. */
export async function overTunnel(): Promise<OverTunnel> {
  const node = await startTunnelNode({
    rules: { allow: ['127.0.0.0/8', '::1'], deny: [], ports: ['25'], listen: ['127.0.0.9', '::1'], own: [] },
  })
  const listeners = new Map<number, (stream: Stream, payload: Uint8Array<ArrayBuffer>) => void>()
  const dial = node.dial({
    incoming: (stream, _type, payload) => {
      const take = listeners.get(parse(incomingFrame, fromJson(payload)).listener)
      if (take === undefined) stream.reset({ code: 'ECONNRESET' })
      else take(stream, payload)
    },
  })
  const open: TunnelLink['open'] = async (type, payload) => {
    await dial.welcomed
    const stream = dial.session.open(type, payload)
    return { stream, node: 'test', origin: '', over: new AbortController().signal, accept: take => void listeners.set(stream.id, take) }
  }
  const link: TunnelLink = { open, openInTurn: open, node: async () => 'test', choose: async () => undefined, drop: () => dial.close() }
  const tally = { sent: () => undefined, received: () => undefined }
  const allowed: Allowed = { need: { key: 'net.tcp', host: '127.0.0.9' } as never, watch: () => tally }
  const { modules, remove } = await bundled()
  modules.useBackend({
    tcpSocket: async options => asRemote(await connectTcp(link, allowed, options)),
    tcpSocketListener: async options =>
      asRemote(await listenTcp(link, allowed, { ...options, onConnection: async (socket: object) => options.onConnection(asRemote(socket)) })),
    udpSocket: async options => asRemote(await bindUdp(link, allowed, options)),
    lookup: async (host, options) => (await lookupName(link, host, options)) as never,
  })
  return {
    modules,
    node,
    close: async () => {
      dial.close()
      await node.close()
      await remove()
    },
  }
}
