// Throughput of sealing and opening in a worker of real Chromium beside raw WebCrypto AES-GCM on records of 1 MiB, in the same run.
// Usage: node --conditions=source bench/seal.ts [--smoke]
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { launchChromium, chromiumVersion } from '../tests/support/chromium.ts'
import { bundle, pageOf, serveOrigins } from '../tests/support/web-origins.ts'
import type { SealTimes } from './seal-worker.ts'
import { median } from './median.ts'

const TARGET = 0.8

const { values } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } })
const [mebibytes, rounds] = values.smoke ? [16, 1] : [256, 7]

await using web = await serveOrigins()
await using browser = await launchChromium()
web.serve('bench', '/worker.js', await bundle(fileURLToPath(new URL('seal-worker.ts', import.meta.url))))
const url = web.serve('bench', '/', pageOf("window.worker = new Worker('/worker.js', { type: 'module' })"))
const page = await browser.context.newPage()
await page.goto(url)
await page.waitForFunction('window.worker')
const times: SealTimes[] = await page.evaluate(
  `new Promise((done, failed) => {
    worker.onmessage = event => done(event.data)
    worker.onerror = event => failed(new Error(event.message))
    worker.postMessage(${JSON.stringify({ mebibytes, rounds })})
  })`,
)

const rate = (name: keyof SealTimes): number => median(times.map(time => mebibytes / (time[name] / 1000)))
// Each round is compared with itself: the machine is not equally quick in all of them.
const ratio = (name: keyof SealTimes, raw: keyof SealTimes): number => median(times.map(time => time[raw] / time[name]))

console.log(`${await chromiumVersion()}, ${rounds} rounds of ${mebibytes} MiB, medians`)
const rows: [string, keyof SealTimes, keyof SealTimes][] = [
  ['raw WebCrypto seal, one at a time', 'rawSeal', 'rawSeal'],
  ['seal a Blob', 'sealBlob', 'rawSeal'],
  ['seal a stream', 'sealStream', 'rawSeal'],
  ['raw WebCrypto open, one at a time', 'rawOpen', 'rawOpen'],
  ['open', 'open', 'rawOpen'],
]
let met = true
for (const [title, name, raw] of rows) {
  const times = ratio(name, raw)
  met &&= times >= TARGET
  console.log(`${title.padEnd(36)} ${rate(name).toFixed(0).padStart(6)} MiB/s   ${times.toFixed(2)} x raw`)
}
// A smoke run is too short to judge by.
if (!values.smoke) {
  console.log(`at least ${TARGET} x raw: ${met ? 'met' : 'MISSED'}`)
  if (!met) process.exitCode = 1
}
