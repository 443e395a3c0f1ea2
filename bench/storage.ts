// Throughput of storage.put and of read, through the channel and the real server in real Chromium, beside the lower of raw WebCrypto on records of 1 MiB and raw
// transfer of the same bytes, in the same run. Usage: node --conditions=source bench/storage.ts [--smoke]
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { completeObject, reserveObject } from '@deputy/contract/api-objects'
import { sealedLength } from '@deputy/seal'
import { chromiumVersion } from '../tests/support/chromium.ts'
import { connectApp, ok, signUp } from '../tests/support/test-accounts.ts'
import { serveOrigins } from '../tests/support/web-origins.ts'
import { answerJson, brokerPages, browserScript, runPage } from './bench-browser.ts'
import { serverApart } from './bench-server.ts'
import type { PageOrder, Round } from './storage-page.ts'
import { median } from './median.ts'

const target = 0.8
const { values } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } })
const [mebibytes, rounds] = values.smoke ? [16, 1] : [192, 5]
const size = mebibytes * 2 ** 20

const folder = await mkdtemp(join(tmpdir(), 'deputy-bench-'))
const pages = await brokerPages(folder, 'storage-frame')
await writeFile(join(pages, 'assets/bench-worker-00000000.js'), await browserScript('storage-worker'))

const server = await serverApart({ sites: { broker: pages } })
await using web = await serveOrigins()
const app = `web:${web.origin('bench')}`
const session = await connectApp(server, (await signUp(server)).token, app)
const order: PageOrder = { broker: server.origins.broker, kept: { [`session:${app}`]: session }, mebibytes, rounds }

web.serve('bench', '/reserve', async (_request, response) => {
  const id = crypto.randomUUID()
  const { parts, partBytes } = ok(await server.call(reserveObject, { id, size }, session.token))
  const lengths = Array.from({ length: parts }, (_, part) => Math.min(partBytes, sealedLength(size) - part * partBytes))
  answerJson(response, { api: server.origins.api, token: session.token, id, url: `${server.origins.cdn}/${id}`, parts: lengths })
})
web.serve('bench', '/complete', async (request: IncomingMessage, response) => {
  const id = new URL(request.url ?? '', web.origin('bench')).searchParams.get('id') ?? ''
  answerJson(response, ok(await server.call(completeObject, { id }, session.token)))
})
try {
  await report(await runPage<Round[]>({ web, page: 'storage-page', order, folder }))
} finally {
  await server.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function report(all: readonly Round[]): Promise<void> {
  const rate = (name: keyof Round): string =>
    median(all.map(round => mebibytes / (round[name] / 1000)))
      .toFixed(0)
      .padStart(6)
  // Each round is compared with itself: the machine is not equally quick in all of them.
  const ratio = (name: keyof Round, limits: readonly (keyof Round)[]): number =>
    median(all.map(round => Math.max(...limits.map(limit => round[limit])) / round[name]))

  console.log(`${await chromiumVersion()}, ${rounds} rounds of ${mebibytes} MiB, medians`)
  for (const [title, name] of [
    ['raw WebCrypto seal', 'seal'],
    ['raw WebCrypto open', 'open'],
    ['raw upload', 'upload'],
    ['raw download', 'download'],
  ] as const)
    console.log(`${title.padEnd(28)} ${rate(name)} MiB/s`)
  let met = true
  for (const [title, name, limits] of [
    ['storage.put of a Blob', 'put', ['seal', 'upload']],
    ['storage.put of a stream', 'putStream', ['seal', 'upload']],
    ['read', 'read', ['open', 'download']],
  ] as const) {
    const times = ratio(name, limits)
    met &&= times >= target
    console.log(`${title.padEnd(28)} ${rate(name)} MiB/s   ${times.toFixed(2)} x the lower of raw ${limits.join(' and ')}`)
  }
  // A smoke run is too short to judge by.
  if (values.smoke) return
  console.log(`at least ${target}: ${met ? 'met' : 'MISSED'}`)
  if (!met) process.exitCode = 1
}
