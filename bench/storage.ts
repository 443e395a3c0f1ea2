// Throughput of storage.put and of read, through the channel and the real server in real Chromium, beside the lower of raw WebCrypto on records of 1 MiB and raw
// transfer of the same bytes, in the same run. Usage: node --conditions=source bench/storage.ts [--smoke]
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { completeObject, reserveObject } from '@deputy/contract/api-objects'
import { sealedLength } from '@deputy/seal'
import { chromiumVersion } from '../tests/support/chromium.ts'
import { startDeputy, type TestApp } from '../tests/support/deputy.ts'
import { ok, signUp } from '../tests/support/test-accounts.ts'
import { bundle } from '../tests/support/web-origins.ts'
import type { RawOrder, RawTimes } from './storage-worker.ts'

const target = 0.8
const { values } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } })
const [mebibytes, rounds] = values.smoke ? [16, 1] : [192, 5]
const size = mebibytes * 2 ** 20

const median = (numbers: readonly number[]): number => numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN

interface Round extends RawTimes {
  readonly download: number
  readonly put: number
  readonly putStream: number
  readonly read: number
}

await using deputy = await startDeputy()
await writeFile(join(deputy.pages, 'assets/bench-worker-00000000.js'), await bundle(join(import.meta.dirname, 'storage-worker.ts')))
const { server } = deputy
const person = await signUp(server)
const home = await deputy.openApp('bench')
await home.signIn(person)
const { token } = await home.session()

/** Asks the raw worker, which runs beside the broker's own. */
const raw = <T>(order: RawOrder | { readonly url: string }): Promise<T> =>
  home.frame().evaluate(
    given =>
      new Promise((resolve, reject) => {
        const policies = (globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } } })
          .trustedTypes
        const url = policies
          .createPolicy(`bench-${crypto.randomUUID()}`, { createScriptURL: (text: string) => text })
          .createScriptURL('/assets/bench-worker-00000000.js')
        const worker = new Worker(url, { type: 'module' })
        worker.onerror = event => reject(new Error(event.message))
        worker.onmessage = event => {
          worker.terminate()
          resolve(event.data)
        }
        worker.postMessage(given)
      }),
    order,
  ) as Promise<T>

async function rawRound(): Promise<RawTimes & { readonly download: number }> {
  const id = crypto.randomUUID()
  const { parts, partBytes } = ok(await server.call(reserveObject, { id, size }, token))
  const lengths = Array.from({ length: parts }, (_, part) => Math.min(partBytes, sealedLength(size) - part * partBytes))
  const url = `${server.origins.cdn}/${id}`
  const times = await raw<RawTimes>({ mebibytes, api: server.origins.api, token, id, url, parts: lengths })
  ok(await server.call(completeObject, { id }, token))
  return { ...times, download: await raw<number>({ url }) }
}

const wholeRound = ({ page }: TestApp) =>
  page.evaluate(async length => {
    const blob = new Blob([app.bytes(length)])
    const { storage } = app.broker
    const timed = async <T>(work: () => Promise<T>): Promise<[number, T]> => {
      const begun = performance.now()
      const answer = await work()
      return [performance.now() - begun, answer]
    }
    const [put, stored] = await timed(async () => storage.put(blob, { accountPin: await app.pin() }))
    const [putStream, streamed] = await timed(async () => storage.put(blob.stream(), { accountPin: await app.pin(), size: length }))
    if ('error' in stored || 'error' in streamed) throw new Error(JSON.stringify([stored, streamed]))
    const opened = await storage.get(stored.url, stored.key)
    if ('error' in opened) throw new Error(opened.message)
    const [read, bytes] = await timed(async () => {
      const stream = await opened.read(0, length)
      if ('error' in stream) throw new Error(stream.message)
      let bytes = 0
      for await (const chunk of stream) bytes += chunk.length
      return bytes
    })
    if (bytes !== length) throw new Error(`read ${bytes} bytes`)
    for (const { url } of [stored, streamed]) await storage.delete(url, { accountPin: await app.pin() })
    return { put, putStream, read }
  }, size)

const all: Round[] = []
for (let round = 0; round < rounds; round += 1) all.push({ ...(await rawRound()), ...(await wholeRound(home)) })

const rate = (name: keyof Round): string =>
  median(all.map(round => mebibytes / (round[name] / 1000)))
    .toFixed(0)
    .padStart(6)
// Each round is compared with itself: the machine is not equally quick in all of them.
const ratio = (name: keyof Round, ...limits: (keyof Round)[]): number => median(all.map(round => Math.max(...limits.map(limit => round[limit])) / round[name]))

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
  const times = ratio(name, ...limits)
  met &&= times >= target
  console.log(`${title.padEnd(28)} ${rate(name)} MiB/s   ${times.toFixed(2)} x the lower of raw ${limits.join(' and ')}`)
}
// A smoke run is too short to judge by.
if (!values.smoke) {
  console.log(`at least ${target}: ${met ? 'met' : 'MISSED'}`)
  if (!met) process.exitCode = 1
}
