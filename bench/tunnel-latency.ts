// A keystroke under load: round trips of 64 bytes beside 4 bulk downloads of the same session, over a link of 100 Mbit/s with 20 ms, and beside them a bare relay whose
// connections are each their own. The kernel limits the rate between two network namespaces where that is allowed, else the link's process does; the delay is always
// the link's. Usage: node --conditions=source bench/tunnel-latency.ts [--smoke]
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { TUNNEL_PATH, TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { signerFor, tokensBy } from '@deputy/server/tunnel'
import { dialTunnel, FRAME, toJson } from '@deputy/tunnel'
import { WebSocket } from 'ws'
import { bundled } from './bundled.ts'
import { median } from './median.ts'
import { command, enterNamespace, unshared } from './namespace.ts'

const { values } = parseArgs({ options: { smoke: { type: 'boolean', default: false }, rounds: { type: 'string' } } })
const apart = enterNamespace()
const rounds = Number(values.rounds ?? (values.smoke ? 1 : 5))
const idleTime = values.smoke ? 700 : 3000
const warmTime = values.smoke ? 1000 : 3000
const loadTime = values.smoke ? 1500 : 8000
/** Bytes per second. */
const rate = 12_500_000
const oneWay = 10
const bulks = 4
const quantile = (numbers: readonly number[], part: number): number => {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

interface Child {
  readonly pid: number
  readonly port: number
  readonly child: ChildProcess
  ask(): Promise<Record<string, number>>
}
async function start(script: string, words: readonly unknown[], before: readonly string[] = []): Promise<Child> {
  const [program = '', ...rest] = [...before, process.execPath, script, ...words.map(String)]
  const child = spawn(program, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [{ port = 0 }] = (await once(child, 'message')) as [{ port?: number }]
  const ask = async (): Promise<Record<string, number>> => {
    child.send('?')
    return ((await once(child, 'message')) as [Record<string, number>])[0]
  }
  return { pid: child.pid ?? 0, port, child, ask }
}

const peers = await bundled('tunnel-peers.ts')
const links = await bundled('link.ts')
// The far side of the link: a second namespace, which the node is the first to be in.
const far = apart ? '10.78.0.2' : '127.0.0.1'
const near = apart ? '10.78.0.1' : '127.0.0.1'
const node = await start(peers, ['node', 0, far === near ? near : '0.0.0.0'], apart ? unshared() : [])
const there = ['nsenter', '-t', String(node.pid), '-n', '--']
if (apart) {
  command(['ip', 'link', 'add', 'near0', 'type', 'veth', 'peer', 'name', 'far0', 'netns', String(node.pid)])
  for (const [before, name, address] of [
    [[], 'near0', near],
    [there, 'far0', far],
  ] as const) {
    command([...before, 'ip', 'link', 'set', 'lo', 'up'])
    command([...before, 'ip', 'address', 'add', `${address}/24`, 'dev', name])
    command([...before, 'ip', 'link', 'set', name, 'up'])
    // A queue of 20 ms, as much as the link holds.
    command([...before, 'tc', 'qdisc', 'add', 'dev', name, 'root', 'tbf', 'rate', `${rate * 8}bit`, 'burst', '32kb', 'limit', '256kb'])
  }
}
const origin = await start(peers, ['origin'], apart ? there : [])
const relay = await start(peers, ['relay', origin.port, apart ? '0.0.0.0' : far], apart ? there : [])
const link = async (to: Child): Promise<Child> => start(links, [far, to.port, oneWay, apart ? 0 : rate])
const nodeLink = await link(node)
const relayLink = await link(relay)
/** Bytes the link has carried towards us, as it counts them. */
const carried = async (by: Child): Promise<number> => {
  if (!apart) return (await by.ask())['passed'] ?? 0
  return (JSON.parse(command([...there, 'tc', '-s', '-j', 'qdisc', 'show', 'dev', 'far0'])) as [{ bytes: number }])[0].bytes
}
/** Megabytes a process has in memory just now. */
const memory = (of: Child): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${of.pid}/status`, 'utf8'))?.[1]) / 1000

interface Line {
  write(bytes: Uint8Array<ArrayBuffer>): void
  leave(): void
}
type Open = (data: (bytes: number) => void) => Line

const plainly: Open = data => {
  const socket = connect({ port: relayLink.port, host: '127.0.0.1', noDelay: true })
  socket.on('data', bytes => data(bytes.length))
  return { write: bytes => socket.write(bytes), leave: () => socket.resetAndDestroy() }
}
const tokens = tokensBy(signerFor('a secret of thirty-two characters', 'tunnel'))
const token = tokens.issue({ account: 'ada', app: 'web:https://app.example', node: 'test', session: 's', premium: false }, Date.now() + 3_600_000)
const dial = dialTunnel({
  token: async () => token,
  // The node knows itself by its own port, not by the link's.
  socket: () =>
    new WebSocket(`ws://127.0.0.1:${nodeLink.port}${TUNNEL_PATH}`, TUNNEL_PROTOCOL, { perMessageDeflate: false, headers: { host: `127.0.0.1:${node.port}` } }),
  incoming: stream => stream.reset({ code: 'ECONNRESET' }),
  over: () => undefined,
  allocate: bytes => Buffer.allocUnsafeSlow(bytes),
})
await dial.welcomed
const tunnelled: Open = data => {
  const stream = dial.session.open(FRAME.open, toJson({ host: '127.0.0.1', port: origin.port }))
  stream.hear({
    data: bytes => {
      stream.consumed(bytes.byteLength)
      data(bytes.byteLength)
    },
    reset: ({ code }) => console.warn(`reset: ${code}`),
  })
  return { write: bytes => void stream.write(bytes), leave: () => stream.reset({ code: 'ECANCELED' }) }
}

const size = 64
/** Round trips, one after another with a pause as between keystrokes, for some milliseconds. */
async function pings(open: Open, time: number): Promise<number[]> {
  const times: number[] = []
  let got = 0
  let answered = (): void => undefined
  const line = open(bytes => {
    got += bytes
    if (got < size) return
    got -= size
    answered()
  })
  line.write(Buffer.from('echo\n'))
  const message = Buffer.alloc(size, 3)
  const until = performance.now() + time
  for (let first = true; performance.now() < until; first = false) {
    const { promise, resolve } = Promise.withResolvers<void>()
    answered = resolve
    const at = performance.now()
    line.write(message)
    await promise
    // The first one waits for the connection too.
    if (!first) times.push(performance.now() - at)
    await wait(10)
  }
  line.leave()
  return times
}

interface Seen {
  readonly idle50: number
  readonly p50: number
  readonly p99: number
  readonly use: number
  readonly payload: number
  readonly memory: number
}
async function round(open: Open, by: Child, of: Child): Promise<Seen> {
  const idle = await pings(open, idleTime)
  let bytes = 0
  const lines = Array.from({ length: bulks }, () => open(more => (bytes += more)))
  for (const line of lines) line.write(Buffer.from(`down ${Number.MAX_SAFE_INTEGER}\n`))
  await wait(warmTime)
  let most = 0
  const looks = setInterval(() => (most = Math.max(most, memory(of))), 100)
  const [carriedBefore, bytesBefore, at] = [await carried(by), bytes, performance.now()]
  const loaded = await pings(open, loadTime)
  const seconds = (performance.now() - at) / 1000
  const use = ((await carried(by)) - carriedBefore) / seconds / rate
  const payload = (bytes - bytesBefore) / seconds / 1e6
  clearInterval(looks)
  for (const line of lines) line.leave()
  // What is still under way would be in the way of the next.
  for (let before = -1, now = 0; now - before > 100_000; [before, now] = [now, await carried(by)]) await wait(200)
  return { idle50: median(idle), p50: quantile(loaded, 0.5), p99: quantile(loaded, 0.99), use, payload, memory: most }
}

console.log(
  `node ${process.version}, ${rounds} rounds in turns, medians; 100 Mbit/s ${apart ? 'by the kernel between two namespaces' : 'by a process'}, ${2 * oneWay} ms; ${bulks} bulk downloads`,
)
const seen = { relay: [] as Seen[], deputy: [] as Seen[] }
for (let turn = 0; turn < rounds; turn += 1) {
  seen.relay.push(await round(plainly, relayLink, relay))
  seen.deputy.push(await round(tunnelled, nodeLink, node))
}
for (const [name, all] of Object.entries(seen)) {
  const of = (pick: (one: Seen) => number): number => median(all.map(pick))
  const [p50, p99, use, most] = [of(one => one.p50 - one.idle50), of(one => one.p99 - one.idle50), of(one => one.use), of(one => one.memory)]
  const aims = name === 'deputy'
  console.log(
    `${name.padEnd(7)} idle p50 ${of(one => one.idle50).toFixed(1)} ms  loaded p50 +${p50.toFixed(1)}${aims ? ' (at most 15)' : ''}  p99 +${p99.toFixed(1)}${aims ? ' (at most 45)' : ''}` +
      `  link ${(use * 100).toFixed(1)} %${aims ? ' (at least 97)' : ''}  ${of(one => one.payload).toFixed(2)} MB/s of payload  memory ${most.toFixed(0)} MB${aims ? ' (below 110)' : ''}`,
  )
}
dial.close()
for (const { child } of [nodeLink, relayLink, relay, origin, node]) child.disconnect()
