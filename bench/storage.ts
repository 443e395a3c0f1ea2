// Throughput of storage.put and of read, through the channel and the real server in real Chromium, beside the lower of raw WebCrypto on records of 1 MiB and raw
// transfer of the same bytes, in the same run. Usage: node --conditions=source bench/storage.ts [--smoke]
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { buildPages } from '@deputy/broker'
import { completeObject, reserveObject } from '@deputy/contract/api-objects'
import { sealedLength } from '@deputy/seal'
import { chromiumVersion, ensureChromium } from '../tests/support/chromium.ts'
import { startTestServer } from '../tests/support/start-test-server.ts'
import { connectApp, ok, signUp } from '../tests/support/test-accounts.ts'
import { bundle, pageOf, serveOrigins } from '../tests/support/web-origins.ts'
import type { PageOrder, Round } from './storage-page.ts'

const target = 0.8
const { values } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } })
const [mebibytes, rounds] = values.smoke ? [16, 1] : [192, 5]
const size = mebibytes * 2 ** 20
const source = (name: string): Promise<string> => bundle(join(import.meta.dirname, `${name}.ts`))

const folder = await mkdtemp(join(tmpdir(), 'deputy-bench-'))
const pages = join(folder, 'pages')
await buildPages({ outDir: pages })
await writeFile(join(pages, 'assets/bench-worker-00000000.js'), await source('storage-worker'))
await writeFile(join(pages, 'assets/bench-frame-00000000.js'), await source('storage-frame'))
await writeFile(join(pages, 'connect-button.html'), '<!doctype html><script type="module" src="/assets/bench-frame-00000000.js"></script>')

const server = await startTestServer({ sites: { broker: pages } })
await using web = await serveOrigins()
const session = await connectApp(server, (await signUp(server)).token, `web:${web.origin('bench')}`)
const order: PageOrder = { broker: server.origins.broker, key: `session:web:${web.origin('bench')}`, session, mebibytes, rounds }

const answer = (response: ServerResponse, value: unknown): void => void response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
const finished = Promise.withResolvers<Round[]>()
const url = web.serve('bench', '/', pageOf(await source('storage-page')))
web.serve('bench', '/order', (_request, response) => answer(response, order))
web.serve('bench', '/reserve', async (_request, response) => {
  const id = crypto.randomUUID()
  const { parts, partBytes } = ok(await server.call(reserveObject, { id, size }, session.token))
  const lengths = Array.from({ length: parts }, (_, part) => Math.min(partBytes, sealedLength(size) - part * partBytes))
  answer(response, { api: server.origins.api, token: session.token, id, url: `${server.origins.cdn}/${id}`, parts: lengths })
})
web.serve('bench', '/complete', async (request: IncomingMessage, response) => {
  const id = new URL(request.url ?? '', url).searchParams.get('id') ?? ''
  answer(response, ok(await server.call(completeObject, { id }, session.token)))
})
web.serve('bench', '/result', async (request, response) => {
  const result = JSON.parse(await text(request)) as { rounds?: Round[]; error?: string }
  answer(response, {})
  if (result.rounds === undefined) finished.reject(new Error(result.error))
  else finished.resolve(result.rounds)
})

// Without a test driver: one that watches the network copies every body that is sent.
const browser = spawn(
  await ensureChromium(),
  [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--user-data-dir=${join(folder, 'profile')}`,
    url,
  ],
  { stdio: 'ignore' },
)
const given = setTimeout(() => finished.reject(new Error('the page did not finish')), 600_000)
try {
  await report(await finished.promise)
} finally {
  clearTimeout(given)
  const gone = new Promise(resolve => browser.once('exit', resolve))
  browser.kill()
  await gone
  await server.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function report(all: readonly Round[]): Promise<void> {
  const median = (numbers: readonly number[]): number => numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN
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
