// Cloud files in a real Chromium that no test driver watches: sealed writes and reads through frame and server beside bare HTTP puts and gets of the same bytes from the
// same page, lists of 10,000, and local files. Usage: node --conditions=source bench/cloud-files.ts [--smoke] [--only small,large,huge,list,local] [--rounds n] [--huge MiB] [--debug port]
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { appKeysOf, fileName, sealEntry, sealFile } from '@deputy/seal'
import { enrol, put } from '../tests/support/stored-files.ts'
import { connectApp, signUp } from '../tests/support/test-accounts.ts'
import { serveOrigins } from '../tests/support/web-origins.ts'
import { answerJson, brokerPages, runPage } from './bench-browser.ts'
import { serverApart } from './bench-server.ts'
import { bundled } from './bundled.ts'
import { median } from './median.ts'
import { processorTime } from './processor-time.ts'
import { subjects, type Measure, type PageOrder, type Result, type Subject } from './cloud-files-order.ts'

const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    only: { type: 'string', default: subjects.join(',') },
    rounds: { type: 'string' },
    huge: { type: 'string' },
    debug: { type: 'string' },
    processes: { type: 'boolean', default: false },
  },
})
const smoke = values.smoke
const listed = smoke ? 200 : 10_000

const folder = await mkdtemp(join(tmpdir(), 'deputy-bench-'))
const pages = await brokerPages(folder, 'cloud-files-frame')

const bare = fork(await bundled('cloud-files-bare.ts'), [folder])
const [{ port: barePort }] = (await once(bare, 'message')) as [{ port: number }]

const server = await serverApart({ sites: { broker: pages }, limits: { read: 1_000_000, write: 1_000_000, files: 1_000_000, address: 10_000_000 } })
await using web = await serveOrigins()
const app = `web:${web.origin('bench')}`
const person = await signUp(server)
const session = await connectApp(server, person.token, app)
await enrol(server, person.token)
const root = randomBytes(32)
const key = await crypto.subtle.importKey('raw', root, 'HKDF', false, ['deriveKey', 'deriveBits'])
const keys = await appKeysOf({ account: session.account.id, epoch: 1, roots: [{ epoch: 1, key }] }, app)

const order: PageOrder = {
  broker: server.origins.broker,
  bare: `http://127.0.0.1:${barePort}`,
  kept: { app, session, root: [...root] },
  only: values.only.split(',') as Subject[],
  rounds: Number(values.rounds ?? (smoke ? 1 : 3)),
  atOnce: 8,
  small: smoke ? 40 : 1000,
  large: smoke ? 4 : 100,
  huge: Number(values.huge ?? (smoke ? 16 : 1024)),
  locals: smoke ? 20 : 300,
}

/** Stores files as the app would, by HTTP. */
async function fill(): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < listed) {
      const path = `notes/of a folder/${next++}.md`
      const bytes = Buffer.from(path)
      const entry = { path, contentType: 'text/markdown', size: bytes.length, sealedAt: Date.now() }
      const sealed = await (await sealFile({ keys, ...entry })).all(bytes)
      await put(server, session.token, await fileName(keys, path), sealed, { meta: await sealEntry(keys, entry) })
    }
  }
  await Promise.all(Array.from({ length: 16 }, lane))
}

web.serve('bench', '/processor', (_request, response) => answerJson(response, processorTime()))
web.serve('bench', '/fill', async (_request, response) => {
  await fill()
  response.end()
})
try {
  report(await runPage<Result>({ web, page: 'cloud-files-page', order, folder, debug: values.debug }))
} finally {
  bare.disconnect()
  await server.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

function report({ measures, lists, local, hybrid }: Result): void {
  const rate = (of: readonly Measure[], side: 'bare' | 'deputy'): string =>
    median(of.map(measure => measure.count / measure[side]))
      .toFixed(0)
      .padStart(6)
  const sum = (times: Readonly<Record<string, number>>): number => Object.values(times).reduce((total, time) => total + time, 0)
  const byProcessor = (of: readonly Measure[]): string => {
    const ratio = median(of.map(({ bareTime, deputyTime }) => sum(bareTime) / sum(deputyTime)))
    return Number.isFinite(ratio) ? `; by processor time x ${ratio.toFixed(2)}` : ''
  }
  // Each round is compared with itself: the machine is not equally quick in all of them.
  console.log(`${order.rounds} rounds, ${order.atOnce} at once, medians; both keep what they answered, bare without sealing`)
  for (const [name, of] of Map.groupBy(measures, measure => measure.name)) {
    const ratio = median(of.map(measure => Math.max(measure.bare, measure.crypto) / measure.deputy))
    const crypto = median(of.map(measure => measure.count / measure.crypto))
    const also = Number.isFinite(crypto) ? `, WebCrypto ${crypto.toFixed(0)}` : ''
    console.log(
      `${name.padEnd(18)} bare ${rate(of, 'bare')}  deputy ${rate(of, 'deputy')} a second  x ${ratio.toFixed(2)} (at least ${also === '' ? 0.6 : 0.8})${also}${byProcessor(of)}`,
    )
    if (!values.processes) continue
    for (const side of ['bareTime', 'deputyTime'] as const) {
      const kinds = Object.keys(of[0]?.[side] ?? {}).map(kind => `${kind} ${median(of.map(measure => (measure[side][kind] ?? 0) / measure.count)).toFixed(2)}`)
      console.log(`  ${side}, ms of each: ${kinds.join(', ')}`)
    }
  }
  for (const [index, { entries, time }] of lists.entries())
    console.log(`list of ${entries} files, ${index === 0 ? 'first' : 'again'}: ${time.toFixed(0)} ms (at most 300)`)
  if (local.length === 0) return
  console.log(`private files, written and flushed: p50 ${median(local).toFixed(1)} ms (at most 5)`)
  console.log(`local-first files, written, flushed and queued: p50 ${median(hybrid).toFixed(1)} ms (at most 5)`)
}
