// Request rates of the HTTP API beside a bare node:http server that reads and answers JSON, in the same run.
// Usage: node --conditions=source bench/api.ts [--smoke]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readProfile, updateProfile } from '@deputy/contract/api-accounts'
import { authorizeApp } from '@deputy/contract/api-apps'
import { listSessions } from '@deputy/contract/api-sessions'
import { pathOf, type Route, type RouteBody } from '@deputy/contract/api'
import { startServerProcess } from '../tests/support/server-process.ts'
import { callServer } from '../tests/support/start-test-server.ts'
import { signUp, verifierPair } from '../tests/support/test-accounts.ts'
import { median } from './median.ts'
import { rawLoad, rawRequest } from './raw-load.ts'

const { smoke } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } }).values
const [calls, rounds] = smoke ? [500, 1] : [5000, 7]
const connections = 32

const folder = await mkdtemp(join(tmpdir(), 'deputy-bench-'))
const unlimited = { read: 1_000_000, write: 1_000_000, address: 10_000_000 }
const ours = await startServerProcess(folder, { limits: unlimited, operations: { log: 'error' } })
const bare = spawn(process.execPath, [fileURLToPath(new URL('bare-server.ts', import.meta.url)), folder], { stdio: ['ignore', 'pipe', 'inherit'] })

/** Milliseconds of processor a process has used; on a busy machine it says more than the clock. NaN where the system does not tell. */
function processorOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}

try {
  const [barePort = 0] = ((await once(createInterface(bare.stdout), 'line')) as [string]).map(Number)
  const call = <R extends Route>(route: R, body: RouteBody<R>, token?: string) => callServer(ours, route, body, token)
  const { token } = await signUp({ ...ours, call })
  const host = new URL(ours.origins.api).host
  const asked = <R extends Route>(route: R, body: RouteBody<R>): Buffer =>
    rawRequest(
      'POST',
      pathOf(route),
      { host, origin: ours.origins.broker, 'content-type': 'application/json', authorization: `Bearer ${token}` },
      JSON.stringify(body),
    )
  const plain = rawRequest('POST', '/call', { host: 'bare', 'content-type': 'application/json' }, '{}')
  const loads: readonly (readonly [string, Buffer])[] = [
    ['livez', rawRequest('GET', '/livez', { host })],
    ['accounts/profile', asked(readProfile, {})],
    ['sessions/list', asked(listSessions, {})],
    ['accounts/update-profile (durable)', asked(updateProfile, { name: 'Ada' })],
    ['apps/authorize (durable)', asked(authorizeApp, { app: 'web:https://app.example', challenge: verifierPair().challenge })],
  ]
  console.log(`node ${process.version}, ${rounds} rounds of ${calls} calls over ${connections} connections, medians; each beside node:http in the same round`)
  for (const [title, request] of loads) {
    const times: { raw: number; own: number; rawProcessor: number; ownProcessor: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const [rawBefore, ownBefore] = [processorOf(bare.pid ?? 0), processorOf(ours.pid)]
      const raw = await rawLoad(barePort, connections, calls, plain)
      const own = await rawLoad(ours.port, connections, calls, request)
      times.push({ raw, own, rawProcessor: processorOf(bare.pid ?? 0) - rawBefore, ownProcessor: processorOf(ours.pid) - ownBefore })
    }
    const rate = (side: 'raw' | 'own'): string => median(times.map(time => calls / time[side])).toFixed(0)
    const spent = (side: 'rawProcessor' | 'ownProcessor'): string => median(times.map(time => (time[side] * 1000) / calls)).toFixed(0)
    const ratio = median(times.map(time => time.raw / time.own))
    console.log(
      `${title.padEnd(36)} node:http ${rate('raw').padStart(6)}  deputy ${rate('own').padStart(6)} calls/s  x ${ratio.toFixed(2)}  processor ${spent('rawProcessor')} and ${spent('ownProcessor')} µs a call`,
    )
  }
} finally {
  bare.kill()
  await ours.end('SIGTERM')
  await rm(folder, { recursive: true, force: true })
}
