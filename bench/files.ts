// Putting, reading and listing files of the HTTP API, beside a bare node:http server that keeps each body in a file of its own and
// flushes it, in the same run: bytes are durable before either answers. Usage: node --conditions=source bench/files.ts [--smoke]
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { fileContentPath, fileHeaders, listFiles } from '@deputy/contract/api-files'
import { pathOf, type Route, type RouteBody } from '@deputy/contract/api'
import { startServerProcess } from '../tests/support/server-process.ts'
import { callServer } from '../tests/support/start-test-server.ts'
import { enrol, put } from '../tests/support/stored-files.ts'
import { connectApp, ok, signUp } from '../tests/support/test-accounts.ts'
import { median } from './median.ts'
import { rawLoad } from './raw-load.ts'

const { smoke } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } }).values
const [small, large, listed, rounds] = smoke ? [200, 8, 500, 1] : [2000, 100, 10_000, 5]
const connections = 16
const mebibyte = 2 ** 20 + 28 + 64

const folder = await mkdtemp(join(tmpdir(), 'deputy-bench-'))
const unlimited = { read: 1_000_000, write: 1_000_000, files: 10_000_000, address: 10_000_000 }
const ours = await startServerProcess(folder, { limits: unlimited, operations: { log: 'error' } })
const bare = spawn(process.execPath, [fileURLToPath(new URL('bare-server.ts', import.meta.url)), folder], { stdio: ['ignore', 'pipe', 'inherit'] })

try {
  const [barePort = 0] = ((await once(createInterface(bare.stdout), 'line')) as [string]).map(Number)
  const call = <R extends Route>(route: R, body: RouteBody<R>, token?: string) => callServer(ours, route, body, token)
  const person = await signUp({ ...ours, call })
  const { token } = await connectApp({ ...ours, call }, person.token)
  await enrol({ ...ours, call }, person.token)
  const { host } = new URL(ours.origins.api)
  const nameAt = (index: number): string => createHash('sha256').update(String(index)).digest('base64url')
  const said = (headers: Readonly<Record<string, string>>): string =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\r\n')
  const head = (method: string, index: number, length: number): string =>
    `${method} ${fileContentPath} HTTP/1.1\r\n${said({
      host,
      origin: ours.origins.broker,
      authorization: `Bearer ${token}`,
      'content-length': String(length),
      [fileHeaders.name]: nameAt(index),
      [fileHeaders.meta]: randomBytes(120).toString('base64url'),
      [fileHeaders.epoch]: '1',
      [fileHeaders.base]: 'any',
    })}\r\n\r\n`
  const bareHead = (index: number, length: number): string => `PUT /f${index} HTTP/1.1\r\n${said({ host: 'bare', 'content-length': String(length) })}\r\n\r\n`
  const load = (port: number, count: number, made: (index: number) => string, body: Uint8Array): Promise<number> =>
    rawLoad(port, connections, count, index => Buffer.concat([Buffer.from(made(index)), body]))

  const loads = [
    [`put 1 KiB files x ${small}`, small, randomBytes(1024 + 28 + 64), 'files/s'],
    [`put 1 MiB files x ${large}`, large, randomBytes(mebibyte), 'files/s'],
  ] as const
  console.log(`node ${process.version}, ${connections} connections, ${rounds} rounds, medians; each round is compared with itself`)
  for (const [title, count, body, unit] of loads) {
    const times: { raw: number; ours: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      // The small ones stay, to be read below.
      const first = (body.length > 65_536 ? 1_000_000 : 0) + round * count
      const raw = await load(barePort, count, index => bareHead(first + index, body.length), body)
      times.push({ raw, ours: await load(ours.port, count, index => head('PUT', first + index, body.length), body) })
    }
    const rate = (side: 'ours' | 'raw'): string => median(times.map(time => count / time[side])).toFixed(0)
    const ratio = median(times.map(time => time.raw / time.ours))
    console.log(`${title.padEnd(26)} node:http ${rate('raw').padStart(6)}  deputy ${rate('ours').padStart(6)} ${unit}  x ${ratio.toFixed(2)}`)
  }

  const reads = small
  const seconds = await rawLoad(ours.port, connections, reads, index => Buffer.from(head('GET', index, 0)))
  console.log(`${`get 1 KiB files x ${reads}`.padEnd(26)} deputy ${(reads / seconds).toFixed(0)} files/s`)

  const lister = await connectApp({ ...ours, call }, person.token, 'web:http://list.localhost:8000')
  let next = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < listed) {
        next += 1
        await put(ours, lister.token, nameAt(next), Buffer.from('x'), { meta: randomBytes(120).toString('base64url') })
      }
    }),
  )
  const lists: number[] = []
  for (let round = 0; round < Math.max(3, rounds); round += 1) {
    const started = performance.now()
    const { files } = ok(await call(listFiles, { since: 0, limit: 10_000 }, lister.token))
    lists.push(performance.now() - started)
    if (files.length !== listed) throw new Error(`${pathOf(listFiles)} told ${files.length} of ${listed} files`)
  }
  console.log(`${`list of ${listed}`.padEnd(26)} deputy ${median(lists).toFixed(0)} ms`)
} finally {
  bare.kill()
  await ours.end('SIGTERM')
  await rm(folder, { recursive: true, force: true })
}
