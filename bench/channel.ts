/**
 * Measures the channel against bare postMessage to a frame in another process, both in turns in one run, so that what else
 * the machine does weighs on both. `--smoke` is a quick pass that only shows that the bench works.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { launchChromium } from '../tests/support/chromium.ts'
import { bundle, pageOf, serveOrigins } from '../tests/support/web-origins.ts'
import type { Measure } from './channel-app-page.ts'
import { median } from './median.ts'

declare const measure: Measure

const { smoke } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } }).values
const scale = smoke ? 0.05 : 1
const rounds = smoke ? 1 : 5

const [app, broker] = await Promise.all(['channel-app-page.ts', 'channel-broker-page.ts'].map(file => bundle(join(import.meta.dirname, file))))
await using web = await serveOrigins()
// Isolated, for a clock of 5 µs instead of 100.
const isolated = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp', 'cross-origin-resource-policy': 'cross-origin' }
web.serve('broker', '/', pageOf(broker ?? ''), isolated)
const url = web.serve('app', '/', pageOf(app ?? ''), isolated)
await using browser = await launchChromium()
const page = await browser.context.newPage()
await page.goto(`${url}?broker=${encodeURIComponent(web.origin('broker'))}`)

const calls = Math.round(1000 * scale)
const flight = Math.round(20_000 * scale)
const sizes = { '64 KiB': 2 ** 16, '1 MiB': 2 ** 20 }
const total = 2 ** 27 * scale
const seen = new Map<string, number[]>()
const note = (key: string, figure: number) => seen.set(key, [...(seen.get(key) ?? []), figure])

for (let round = 0; round <= rounds; round++) {
  // The first round warms up.
  const keep = round > 0 || smoke ? note : () => {}
  for (const way of ['raw', 'channel'] as const) {
    const took = await page.evaluate(([how, times]) => measure.oneByOne(how, times), [way, calls] as const)
    keep(`p50 ${way}`, median(took))
    keep(`p99 ${way}`, took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN)
  }
  for (const way of ['raw', 'channel'] as const) {
    keep(`flight ${way}`, await page.evaluate(([how, times]) => measure.inFlight(how, times), [way, flight] as const))
  }
  for (const [name, size] of Object.entries(sizes)) {
    for (const way of ['raw', 'channel', 'native'] as const) {
      const args = [way, size, Math.ceil(total / size)] as const
      keep(`${name} ${way}`, await page.evaluate(([how, each, count]) => measure.stream(how, each, count), args))
    }
  }
}

const figure = (key: string) => median(seen.get(key) ?? [])
/** Median of the ratios within each round. */
const ratio = (key: string, way = 'channel') =>
  median((seen.get(`${key} ${way}`) ?? []).map((value, round) => value / (seen.get(`${key} raw`)?.[round] ?? Number.NaN)))
const line = (what: string, raw: number, ours: number, unit: string, times: number, target: string) =>
  console.log(
    `${what.padEnd(26)} raw ${raw.toFixed(0).padStart(6)}  channel ${ours.toFixed(0).padStart(6)} ${unit.padEnd(8)} x ${times.toFixed(2)}  (${target})`,
  )

console.log(`${await page.evaluate(() => (measure.isolated() ? 'clock 5 µs' : 'clock 100 µs'))}, ${rounds} rounds, frame in its own process`)
line('call, one at a time, p50', figure('p50 raw'), figure('p50 channel'), 'µs', ratio('p50'), 'at most 1.15')
line('call, one at a time, p99', figure('p99 raw'), figure('p99 channel'), 'µs', ratio('p99'), 'noise of the machine')
line('64 in flight', figure('flight raw'), figure('flight channel'), 'calls/s', ratio('flight'), 'at least 10,000/s where raw allows')
for (const name of Object.keys(sizes)) {
  line(`bytes, ${name} chunks`, figure(`${name} raw`), figure(`${name} channel`), 'MB/s', ratio(name), 'at least 0.85')
  line(`  the browser's own stream`, figure(`${name} raw`), figure(`${name} native`), 'MB/s', ratio(name, 'native'), 'for comparison')
}
