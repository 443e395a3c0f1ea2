// The tunnel in a real Chromium that no test driver watches: bulk through the broker beside a raw WebSocket of the same page to a bare relay of the same TCP source, and
// proxied fetch beside the page's own. Usage: node --conditions=source bench/tunnel-browser.ts [--smoke] [--namespace] [--only down,up,bulk,flight,six,single] [--rounds n] [--debug port]
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectApp, signUp } from '../tests/support/test-accounts.ts'
import { serveOrigins } from '../tests/support/web-origins.ts'
import { brokerPages, runPage } from './bench-browser.ts'
import { serverApart } from './bench-server.ts'
import { bundled } from './bundled.ts'
import { median } from './median.ts'
import { enterNamespace } from './namespace.ts'
import { subjects, type Measure, type PageOrder, type Subject } from './tunnel-browser-order.ts'

const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    namespace: { type: 'boolean', default: false },
    only: { type: 'string', default: subjects.join(',') },
    rounds: { type: 'string' },
    debug: { type: 'string' },
  },
})
const apart = values.namespace && enterNamespace()
const titles: Record<Subject, { name: string; unit: string; aim: number }> = {
  down: { name: 'socket, down', unit: 'MB/s', aim: 0.93 },
  up: { name: 'socket, up', unit: 'MB/s', aim: 0.93 },
  bulk: { name: 'fetch, one long body', unit: 'MB/s', aim: 0.85 },
  flight: { name: 'fetch 1 KiB, 64 at once', unit: '/s', aim: 2.4 },
  six: { name: 'fetch 1 KiB, 6 at once', unit: '/s', aim: 2.4 },
  single: { name: 'fetch 1 KiB, one by one', unit: '/s', aim: 2.4 },
}

const folder = await mkdtemp(join(tmpdir(), 'deputy-bench-'))
const pages = await brokerPages(folder, 'tunnel-browser-frame')

const children: ChildProcess[] = []
async function start(script: string, ...words: readonly unknown[]): Promise<number> {
  const child = fork(script, words.map(String))
  children.push(child)
  return ((await once(child, 'message')) as [{ port: number }])[0].port
}
const tcp = await bundled('tunnel-peers.ts')
const web = await bundled('tunnel-browser-peers.ts')
const origin = await start(tcp, 'origin')
const relay = await start(web, 'relay', origin)
const site = await start(web, 'site')

const server = await serverApart({
  sites: { broker: pages },
  limits: { read: 1_000_000, write: 1_000_000, address: 10_000_000 },
  tunnel: { allow: ['127.0.0.0/8'], rate: '0B', ratePremium: '0B', day: '0B', dayPremium: '0B', sockets: 4096 },
})
await using origins = await serveOrigins()
const app = `web:${origins.origin('bench')}`
const session = await connectApp(server, (await signUp(server)).token, app)
const order: PageOrder = {
  broker: server.origins.broker,
  kept: {
    [`session:${app}`]: session,
    [`grants:${session.account.id}:${app}`]: [{ id: crypto.randomUUID(), subject: { group: 'sockets' }, hosts: [], grantedAt: Date.now() }],
  },
  only: values.only.split(',') as Subject[],
  rounds: Number(values.rounds ?? (values.smoke ? 1 : 5)),
  source: origin,
  relay,
  site: `http://127.0.0.1:${site}`,
  bytes: values.smoke ? 2 ** 24 : 2 ** 28,
  requests: values.smoke ? 200 : 3000,
}

try {
  report(await runPage<readonly Measure[]>({ web: origins, page: 'tunnel-browser-page', order, folder, debug: values.debug }))
} finally {
  for (const child of children) child.disconnect()
  await server.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

function report(measures: readonly Measure[]): void {
  console.log(`${order.rounds} rounds in turns, medians${apart ? ', a network namespace with stock buffers' : ''}; browser, node and origin share the machine`)
  for (const [subject, of] of Map.groupBy(measures, measure => measure.subject)) {
    const { name, unit, aim } = titles[subject]
    const rate = (side: 'bare' | 'deputy'): string => median(of.map(measure => measure.count / measure[side])).toFixed(0)
    const ratio = median(of.map(measure => measure.bare / measure.deputy))
    console.log(
      `${name.padEnd(24)} bare ${rate('bare').padStart(6)}  deputy ${rate('deputy').padStart(6)} ${unit.padEnd(5)} x ${ratio.toFixed(2)} (at least ${aim})`,
    )
  }
}
