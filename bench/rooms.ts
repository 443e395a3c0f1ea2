// Deliveries of the room service, sequenced and committed before they are delivered, beside a bare `ws` server that calls send() per member, in the same run:
// the server on one core, the load on the other. Usage: node --conditions=source bench/rooms.ts [--smoke]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startServerProcess } from '../tests/support/server-process.ts'
import { callServer } from '../tests/support/start-test-server.ts'
import { connectApp, signUp } from '../tests/support/test-accounts.ts'
import type { LoadPlan, LoadResult } from './rooms-load.ts'

const { values } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } })
const rounds = values.smoke ? 1 : 3
const seconds = values.smoke ? 1 : 4
const shapes = values.smoke
  ? [
      { rooms: 1, members: 50, inFlight: 4, target: 2 },
      { rooms: 20, members: 10, inFlight: 1, target: 0.9 },
    ]
  : [
      { rooms: 1, members: 1000, inFlight: 4, target: 2 },
      { rooms: 1000, members: 10, inFlight: 1, target: 0.9 },
    ]
const fixedDeliveries = values.smoke ? 2000 : 50_000

/** Moves a process with all its threads to a core, where the machine can. */
const pin = async (pid: number, core: number): Promise<void> => {
  const moving = spawn('taskset', ['-a', '-cp', String(core), String(pid)], { stdio: 'ignore' })
  await Promise.race([once(moving, 'exit'), once(moving, 'error')])
}
const residentBytes = async (pid: number): Promise<number> => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
const median = (numbers: readonly number[]): number => numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN
const entry = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

interface Target {
  readonly pid: number
  readonly plan: Pick<LoadPlan, 'kind' | 'port' | 'host' | 'token'>
  end(): Promise<void>
}

async function startBare(): Promise<Target> {
  const child = spawn(process.execPath, ['--conditions=source', entry('rooms-bare.ts')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { port } = JSON.parse(line) as { port: number }
  const pid = child.pid ?? 0
  return {
    pid,
    plan: { kind: 'bare', port, host: `127.0.0.1:${port}`, token: '' },
    end: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function startDeputy(): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-bench-'))
  const many = 10_000_000
  const server = await startServerProcess(folder, {
    accounts: { premium: 'everyone' },
    limits: { address: many },
    rooms: { claims: 1_000_000, sockets: 1_000_000, sendRate: 1_000_000, sendBurst: 1_000_000, requestRate: 1_000_000 },
  })
  const call: Parameters<typeof signUp>[0] = { ...server, call: (route, body, token) => callServer(server, route, body, token) }
  const { token } = await connectApp(call, (await signUp(call)).token, 'web:https://chat.example')
  return {
    pid: server.pid,
    plan: { kind: 'deputy', port: server.port, host: new URL(server.origins.api).host, token },
    end: async () => {
      await server.end('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** One run against a fresh server; the memory is what the sockets cost while they are idle. */
async function measure(
  start: () => Promise<Target>,
  shape: Pick<LoadPlan, 'rooms' | 'members' | 'inFlight' | 'perSecond'>,
): Promise<LoadResult & { perSocket: number }> {
  const target = await start()
  try {
    await pin(target.pid, 0)
    const before = await residentBytes(target.pid)
    const child = spawn(process.execPath, ['--conditions=source', entry('rooms-load.ts'), JSON.stringify({ ...target.plan, ...shape, seconds })], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await pin(child.pid ?? 0, 1)
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    await lines.next()
    const perSocket = ((await residentBytes(target.pid)) - before) / (shape.rooms * shape.members)
    child.stdin.write('go\n')
    const result = JSON.parse((await lines.next()).value as string) as LoadResult
    return { ...result, perSocket }
  } finally {
    await target.end()
  }
}

let met = true
for (const { rooms, members, inFlight, target } of shapes) {
  const name = `${rooms} x ${members}`
  const bare: number[] = []
  const own: number[] = []
  const memory: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    bare.push((await measure(startBare, { rooms, members, inFlight, perSecond: 0 })).deliveriesPerSecond)
    const run = await measure(startDeputy, { rooms, members, inFlight, perSecond: 0 })
    own.push(run.deliveriesPerSecond)
    memory.push(run.perSocket)
  }
  // Each round is compared with itself: the machine is not equally quick in all of them.
  const ratio = median(own.map((rate, round) => rate / (bare[round] ?? Number.NaN)))
  met &&= ratio >= target
  console.log(
    `${name.padEnd(10)} deliveries/s  bare ${median(bare).toFixed(0).padStart(7)}   rooms ${median(own).toFixed(0).padStart(7)}   ${ratio.toFixed(2)} x (at least ${target} x)   ${(median(memory) / 1000).toFixed(1)} kB a socket`,
  )
  const perSecond = fixedDeliveries / members
  const [bareAt, ownAt] = [
    await measure(startBare, { rooms, members, inFlight, perSecond }),
    await measure(startDeputy, { rooms, members, inFlight, perSecond }),
  ]
  const times = ownAt.p99 / bareAt.p99
  met &&= times <= 3
  console.log(
    `${name.padEnd(10)} at ${fixedDeliveries} deliveries/s, p50 / p99 ms  bare ${bareAt.p50.toFixed(2)} / ${bareAt.p99.toFixed(2)}   rooms ${ownAt.p50.toFixed(2)} / ${ownAt.p99.toFixed(2)}   p99 ${times.toFixed(2)} x (at most 3 x)`,
  )
}
// A smoke run is too short to judge by.
if (!values.smoke) {
  console.log(met ? 'met' : 'MISSED')
  if (!met) process.exitCode = 1
}
