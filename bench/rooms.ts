// Deliveries of the room service, sequenced and committed before they are delivered, beside a bare `ws` server that calls send() per member, in the same run:
// the server on one core, the load on the other. Usage: node --conditions=source bench/rooms.ts [--smoke]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
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
import { median } from './median.ts'

const { values } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } })
const rounds = values.smoke ? 1 : 5
const seconds = values.smoke ? 1 : 3
const shapes = values.smoke
  ? [{ rooms: 2, members: 25, inFlight: 4, target: 2 }]
  : [
      { rooms: 1, members: 1000, inFlight: 4, target: 2 },
      { rooms: 1000, members: 10, inFlight: 1, target: 0.9 },
    ]
const fixedDeliveries = values.smoke ? 2000 : 50_000
const idleRooms = values.smoke ? 20 : 1000

/** Moves a process with all its threads to a core, where the machine can. */
const pin = async (pid: number, core: number): Promise<void> => {
  const moving = spawn('taskset', ['-a', '-cp', String(core), String(pid)], { stdio: 'ignore' })
  await Promise.race([once(moving, 'exit'), once(moving, 'error')])
}
const residentBytes = async (pid: number): Promise<number> => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
/** Processor time of all threads so far, in seconds of hundredths. */
const processorSeconds = async (pid: number): Promise<number> => {
  const [user, system] = (await readFile(`/proc/${pid}/stat`, 'utf8'))
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / 100
}
/** The median, and from where to where the rounds lay. */
const spread = (numbers: readonly number[]): string => {
  const all = numbers.toSorted((one, other) => one - other)
  return `${median(all).toFixed(2)} x (${(all[0] ?? Number.NaN).toFixed(2)} to ${(all.at(-1) ?? Number.NaN).toFixed(2)})`
}
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

interface Measured extends LoadResult {
  /** Deliveries for each second of processor time the server took: what it would deliver with the core for itself and no disk to wait for. */
  readonly perProcessorSecond: number
  /** What a socket adds to the server's resident memory, in kB, once all have joined and before anything is said. */
  readonly perSocket: number
}

/** One run against a fresh server. */
async function measure(start: () => Promise<Target>, shape: Pick<LoadPlan, 'rooms' | 'members' | 'inFlight' | 'perSecond'>): Promise<Measured> {
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
    const perSocket = ((await residentBytes(target.pid)) - before) / (shape.rooms * shape.members) / 1000
    child.stdin.write('go\n')
    await lines.next()
    const took = await processorSeconds(target.pid)
    const result = JSON.parse((await lines.next()).value as string) as LoadResult
    const processor = (await processorSeconds(target.pid)) - took
    return { ...result, perProcessorSecond: (result.deliveriesPerSecond * seconds) / processor, perSocket }
  } finally {
    await target.end()
  }
}

/** Both servers in turns, so that each round is compared with itself: the machine is not equally quick in all of them. */
async function inTurns(shape: Parameters<typeof measure>[1]): Promise<{ bare: Measured; own: Measured }[]> {
  const results: { bare: Measured; own: Measured }[] = []
  for (let round = 0; round < rounds; round += 1) results.push({ bare: await measure(startBare, shape), own: await measure(startDeputy, shape) })
  return results
}

/** How often the disk makes a write of a page durable: what no commit can be quicker than. */
async function flushesPerSecond(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-bench-'))
  const file = openSync(join(folder, 'page'), 'w')
  const page = Buffer.alloc(4096)
  const start = performance.now()
  let flushes = 0
  for (; performance.now() - start < 1000; flushes += 1) {
    writeSync(file, page, 0, page.length, (flushes % 256) * page.length)
    fdatasyncSync(file)
  }
  closeSync(file)
  await rm(folder, { recursive: true })
  return flushes
}

const flushes = await flushesPerSecond()
console.log(`disk       ${flushes} durable writes/s: ${(1000 / flushes).toFixed(2)} ms of each commit are the disk's`)
let met = true
for (const { rooms, members, inFlight, target } of shapes) {
  const name = `${rooms} x ${members}`.padEnd(10)
  const full = await inTurns({ rooms, members, inFlight, perSecond: 0 })
  const ratios = full.map(({ bare, own }) => own.deliveriesPerSecond / bare.deliveriesPerSecond)
  met &&= median(ratios) >= target
  const rate = (of: 'bare' | 'own', value: 'deliveriesPerSecond' | 'perProcessorSecond'): string =>
    `${of === 'own' ? 'rooms' : of} ${median(full.map(round => round[of][value]))
      .toFixed(0)
      .padStart(7)}`
  console.log(
    `${name} deliveries/s            ${rate('bare', 'deliveriesPerSecond')}   ${rate('own', 'deliveriesPerSecond')}   ${spread(ratios)}, at least ${target} x`,
  )
  const processor = full.map(({ bare, own }) => own.perProcessorSecond / bare.perProcessorSecond)
  console.log(`${name} of a processor second  ${rate('bare', 'perProcessorSecond')}   ${rate('own', 'perProcessorSecond')}   ${spread(processor)}`)
  const paced = await inTurns({ rooms, members, inFlight, perSecond: fixedDeliveries / members })
  const times = paced.map(({ bare, own }) => own.p99 / bare.p99)
  met &&= median(times) <= 3
  const late = (of: 'bare' | 'own'): string =>
    `${median(paced.map(round => round[of].p50)).toFixed(2)} / ${median(paced.map(round => round[of].p99)).toFixed(2)}`
  console.log(`${name} at ${fixedDeliveries} deliveries/s, p50 / p99 ms  bare ${late('bare')}   rooms ${late('own')}   p99 ${spread(times)}, at most 3 x`)
}
const idle = await inTurns({ rooms: idleRooms, members: 10, inFlight: 0, perSecond: 0 })
const kilobytes = (of: 'bare' | 'own'): number => median(idle.map(round => round[of].perSocket))
met &&= kilobytes('own') <= 20
console.log(
  `${idleRooms * 10} idle sockets, each with a seat, kB a socket   bare ${kilobytes('bare').toFixed(1)}   rooms ${kilobytes('own').toFixed(1)}, at most 20`,
)
// A smoke run is too short to judge by.
if (!values.smoke) {
  console.log(met ? 'met' : 'MISSED')
  if (!met) process.exitCode = 1
}
