// The tunnel beside a bare TCP relay of the same hops, in the same run: bulk both ways, round trips and connections, with the relay's processor time.
// Usage: node --conditions=source bench/tunnel.ts [--smoke] [--namespace]
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { TUNNEL_PATH, TUNNEL_PROTOCOL } from '@deputy/contract/tunnel-wire'
import { signerFor, tokensBy } from '@deputy/server/tunnel'
import { dialTunnel, FRAME, toJson, type Dial } from '@deputy/tunnel'
import { WebSocket } from 'ws'
import { median } from './median.ts'
import { enterNamespace } from './namespace.ts'

const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    only: { type: 'string', default: '' },
    namespace: { type: 'boolean', default: false },
  },
})
const apart = values.namespace && enterNamespace()
const rounds = values.rounds === undefined ? (values.smoke ? 1 : 5) : Number(values.rounds)
const bulk = values.smoke ? 32e6 : 256e6
const trips = values.smoke ? 4000 : 40_000
const connects = values.smoke ? 500 : 5000

interface Peer {
  readonly port: number
  readonly child: ChildProcess
  /** Milliseconds of processor time so far. */
  processor(): Promise<number>
}
async function start(role: string, to = 0): Promise<Peer> {
  const child = fork(fileURLToPath(new URL('tunnel-peers.ts', import.meta.url)), [role, String(to)], { execArgv: ['--conditions=source'] })
  const [said] = (await once(child, 'message')) as [{ port: number }]
  return {
    port: said.port,
    child,
    processor: async () => {
      child.send('processor')
      return ((await once(child, 'message')) as [{ processor: number }])[0].processor
    },
  }
}

/** One connection, however it is made. */
interface Line {
  write(bytes: Uint8Array<ArrayBuffer>): boolean
  end(): void
  hear(ears: { data(bytes: Uint8Array): void; drain(): void; end(): void }): void
}
type Open = () => Line

const origin = await start('origin')
const bare = await start('relay', origin.port)
const node = await start('node')
const tokens = tokensBy(signerFor('a secret of thirty-two characters', 'tunnel'))
const token = tokens.issue({ account: 'ada', app: 'web:https://app.example', node: 'test', session: 's', premium: false }, Date.now() + 3_600_000)
const allocate = (bytes: number): Uint8Array<ArrayBuffer> => Buffer.allocUnsafeSlow(bytes)
const dial: Dial = dialTunnel({
  token: async () => token,
  socket: () => new WebSocket(`ws://127.0.0.1:${node.port}${TUNNEL_PATH}`, TUNNEL_PROTOCOL, { perMessageDeflate: false }),
  incoming: stream => stream.reset({ code: 'ECONNRESET' }),
  over: why => console.log('the tunnel ended', why),
  allocate,
})
await dial.welcomed

const plainly: Open = () => {
  const socket = connect({ port: bare.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  return {
    write: bytes => socket.write(bytes),
    end: () => socket.end(),
    hear: ({ data, drain, end }) => {
      socket.on('data', data)
      socket.on('drain', drain)
      socket.on('end', end)
    },
  }
}
const target = toJson({ host: '127.0.0.1', port: origin.port })
const tunnelled: Open = () => {
  const stream = dial.session.open(FRAME.open, target)
  return {
    write: bytes => stream.write(bytes),
    end: () => stream.end(),
    hear: ({ data, drain, end }) =>
      stream.hear({
        data: bytes => {
          stream.consumed(bytes.byteLength)
          data(bytes)
        },
        drain,
        end,
        reset: ({ code, message }) => console.log('reset', code, message),
      }),
  }
}

const line = (text: string): Uint8Array<ArrayBuffer> => Buffer.from(`${text}\n`)
const chunk = Buffer.alloc(65_536, 5)

async function down(open: Open, streams: number): Promise<number> {
  const each = Math.floor(bulk / streams)
  await Promise.all(
    Array.from({ length: streams }, () => {
      const one = open()
      let got = 0
      const done = new Promise<void>((resolve, reject) =>
        one.hear({
          data: bytes => (got += bytes.byteLength),
          drain: () => undefined,
          end: () => (got === each ? resolve() : reject(new Error(`${got} of ${each} bytes`))),
        }),
      )
      one.write(line(`down ${each}`))
      return done.finally(() => one.end())
    }),
  )
  return bulk
}
async function up(open: Open, streams: number): Promise<number> {
  const each = Math.floor(bulk / streams)
  await Promise.all(
    Array.from({ length: streams }, () => {
      const one = open()
      let left = each
      let said = ''
      const more = (): void => {
        while (left > 0) {
          const size = Math.min(left, chunk.length)
          left -= size
          if (!one.write(size === chunk.length ? chunk : chunk.subarray(0, size))) return
        }
        one.end()
      }
      const done = new Promise<void>((resolve, reject) =>
        one.hear({
          data: bytes => (said += Buffer.from(bytes).toString()),
          drain: more,
          end: () => (said === String(each) ? resolve() : reject(new Error(`${said} of ${each} bytes`))),
        }),
      )
      one.write(line('up'))
      more()
      return done
    }),
  )
  return bulk
}
async function roundTrips(open: Open, streams: number, size: number): Promise<number> {
  const each = Math.floor(trips / streams)
  const message = Buffer.alloc(size, 3)
  await Promise.all(
    Array.from({ length: streams }, () => {
      const one = open()
      let left = each
      let got = 0
      const done = new Promise<void>(resolve =>
        one.hear({
          data: bytes => {
            got += bytes.byteLength
            while (got >= size) {
              got -= size
              left -= 1
              if (left === 0) one.end()
              else if (left > 0) one.write(message)
            }
          },
          drain: () => undefined,
          end: resolve,
        }),
      )
      one.write(line('echo'))
      one.write(message)
      return done
    }),
  )
  return each * streams
}
async function connections(open: Open, atOnce: number): Promise<number> {
  let left = connects
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const one = open()
      const done = new Promise<void>(resolve => one.hear({ data: () => undefined, drain: () => undefined, end: resolve }))
      one.write(line('byte'))
      await done
      one.end()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return connects
}

const works: readonly { name: string; unit: string; scale: number; target: number; run(open: Open): Promise<number> }[] = [
  { name: 'down, 1 stream', unit: 'MB/s', scale: 1e-6, target: 0.88, run: open => down(open, 1) },
  { name: 'down, 64 streams', unit: 'MB/s', scale: 1e-6, target: 0.8, run: open => down(open, 64) },
  { name: 'up, 1 stream', unit: 'MB/s', scale: 1e-6, target: 0.75, run: open => up(open, 1) },
  { name: 'up, 64 streams', unit: 'MB/s', scale: 1e-6, target: 0.77, run: open => up(open, 64) },
  { name: 'round trips, 64 x 1 KiB', unit: '/s', scale: 1, target: 1, run: open => roundTrips(open, 64, 1024) },
  { name: 'round trips, 1 x 64 B', unit: '/s', scale: 1, target: 0.7, run: open => roundTrips(open, 1, 64) },
  { name: 'connections, 64 at once', unit: '/s', scale: 1, target: 1.3, run: open => connections(open, 64) },
]

console.log(
  `node ${process.version}, ${rounds} rounds, medians${apart ? ', a network namespace with stock buffers' : ''}; relay, client and origin share the machine`,
)
for (const { name, unit, scale, target: aim, run } of works.filter(work => work.name.startsWith(values.only))) {
  const speeds: Record<'bare' | 'deputy', number[]> = { bare: [], deputy: [] }
  const costs: Record<'bare' | 'deputy', number[]> = { bare: [], deputy: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const [which, open, relay] of [
      ['bare', plainly, bare],
      ['deputy', tunnelled, node],
    ] as const) {
      const before = await relay.processor()
      const start = performance.now()
      const done = await run(open)
      const time = (performance.now() - start) / 1000
      speeds[which].push((done * scale) / time)
      costs[which].push((await relay.processor()) - before)
    }
  }
  const ratios = speeds.deputy.map((speed, index) => speed / (speeds.bare[index] ?? 1))
  const processor = costs.deputy.map((cost, index) => cost / (costs.bare[index] ?? 1))
  console.log(
    `${name.padEnd(26)} bare ${median(speeds.bare).toFixed(0).padStart(7)}  deputy ${median(speeds.deputy).toFixed(0).padStart(7)} ${unit.padEnd(5)}` +
      ` x ${median(ratios).toFixed(2)} (at least ${aim})  processor x ${median(processor).toFixed(2)} (at most 1.30)`,
  )
}
dial.close()
for (const peer of [origin, bare, node]) peer.child.disconnect()
