// Putting parts, reading ranges and calling the API, beside the same bytes and calls through a bare node:http server, in the same
// run: bytes are durable before either answers. Usage: node --conditions=source bench/objects.ts [--smoke]
import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { completeObject, deleteObject, readUsage, reserveObject } from '@deputy/contract/api-objects'
import { pathOf, type Route, type RouteBody } from '@deputy/contract/api'
import { startServerProcess } from '../tests/support/server-process.ts'
import { callServer } from '../tests/support/start-test-server.ts'
import { connectApp, ok, signUp } from '../tests/support/test-accounts.ts'
import { median } from './median.ts'

const { smoke } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } }).values
const [mebibytes, reads, calls, rounds] = smoke ? [24, 40, 300, 1] : [256, 800, 6000, 7]
const atOnce = 4
const record = 2 ** 20 + 28

const folder = await mkdtemp(join(tmpdir(), 'deputy-bench-'))
const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const unlimited = { read: 1_000_000, write: 1_000_000, address: 10_000_000 }
const ours = await startServerProcess(folder, { limits: unlimited, objects: { perHour: 1_000_000 }, operations: { log: 'error' } })
const bare = spawn(process.execPath, [fileURLToPath(new URL('bare-server.ts', import.meta.url)), folder], { stdio: ['ignore', 'pipe', 'inherit'] })
const [barePort] = ((await once(createInterface(bare.stdout), 'line')) as [string]).map(Number)
const call = <R extends Route>(route: R, body: RouteBody<R>, token?: string) => callServer(ours, route, body, token)
const { token } = await connectApp({ ...ours, call }, (await signUp({ ...ours, call })).token)

interface Sent {
  readonly port: number
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: Uint8Array | string
}

/** One request on a kept connection; answers how many bytes came back. */
function send({ port, method, path, headers = {}, body }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent }, response => {
      let count = 0
      response.on('data', (chunk: Buffer) => (count += chunk.length))
      response.on('error', reject)
      response.on('end', () => {
        if ((response.statusCode ?? 500) < 300) resolve(count)
        else reject(new Error(`${method} ${path} was answered ${response.statusCode}`))
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/** Does `count` things, some at once; answers the seconds it took. */
async function timed(count: number, parallel: number, one: (index: number) => Promise<unknown>): Promise<number> {
  let next = 0
  const started = performance.now()
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (next < count) {
        next += 1
        await one(next - 1)
      }
    }),
  )
  return (performance.now() - started) / 1000
}

const apiHost = { host: new URL(ours.origins.api).host, authorization: `Bearer ${token}` }
const part = randomBytes(8 * record)
const parts = mebibytes / 8
const spots = Array.from({ length: reads }, () => Math.floor(Math.random() * mebibytes) * record)
const rangeOf = (index: number): { range: string } => ({ range: `bytes=${spots[index]}-${(spots[index] ?? 0) + record - 1}` })

async function round(): Promise<Record<'put' | 'get' | 'call', { ours: number; raw: number }>> {
  const id = randomUUID()
  ok(await call(reserveObject, { id, size: mebibytes * 2 ** 20 }, token))
  const length = { 'content-length': String(part.length) }
  const putRaw = await timed(parts, atOnce, index => send({ port: barePort ?? 0, method: 'PUT', path: `/part${index}`, headers: length, body: part }))
  const put = await timed(parts, atOnce, index =>
    send({ port: ours.port, method: 'PUT', path: `/v1/objects/${id}/parts/${index}`, headers: { ...apiHost, ...length }, body: part }),
  )
  ok(await call(completeObject, { id }, token))
  const { host } = new URL(ours.origins.cdn)
  const getRaw = await timed(reads, atOnce, index => {
    const at = (spots[index] ?? 0) % part.length
    return send({ port: barePort ?? 0, method: 'GET', path: `/part${index % parts}`, headers: { range: `bytes=${at}-${at + record - 1}` } })
  })
  const get = await timed(reads, atOnce, index => send({ port: ours.port, method: 'GET', path: `/${id}`, headers: { host, ...rangeOf(index) } }))
  ok(await call(deleteObject, { id }, token))
  const json = { 'content-type': 'application/json' }
  const callRaw = await timed(calls, 16, () => send({ port: barePort ?? 0, method: 'POST', path: '/call', headers: json, body: '{}' }))
  const called = await timed(calls, 16, () => send({ port: ours.port, method: 'POST', path: pathOf(readUsage), headers: { ...apiHost, ...json }, body: '{}' }))
  return { put: { ours: put, raw: putRaw }, get: { ours: get, raw: getRaw }, call: { ours: called, raw: callRaw } }
}

try {
  const times: Awaited<ReturnType<typeof round>>[] = []
  for (let index = 0; index < rounds; index += 1) times.push(await round())
  console.log(`node ${process.version}, ${rounds} rounds, medians; each round is compared with itself`)
  const rows = [
    ['put parts of 8 MiB, 4 at once', 'put', mebibytes, 'MiB/s'],
    ['read ranges of 1 MiB, 4 at once', 'get', reads, 'ranges/s'],
    ['usage/read, 16 at once', 'call', calls, 'calls/s'],
  ] as const
  for (const [title, name, amount, unit] of rows) {
    const rate = (side: 'ours' | 'raw'): string => median(times.map(time => amount / time[name][side])).toFixed(0)
    const ratio = median(times.map(time => time[name].raw / time[name].ours))
    console.log(`${title.padEnd(34)} node:http ${rate('raw').padStart(6)}  deputy ${rate('ours').padStart(6)} ${unit.padEnd(9)} x ${ratio.toFixed(2)}`)
  }
} finally {
  agent.destroy()
  bare.kill()
  await ours.end('SIGTERM')
  await rm(folder, { recursive: true, force: true })
}
