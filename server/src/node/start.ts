import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/schema.ts'
import { listen } from '../http/listen.ts'
import { makeLimits } from '../http/limits.ts'
import { makeLog } from '../operations/log.ts'
import { makeMetrics } from '../operations/metrics.ts'
import { serveMetrics } from '../operations/metrics-port.ts'
import { tunnelGauges } from '../tunnel/gauges.ts'
import { meteredGrant } from '../tunnel/grants.ts'
import { loadMeter } from '../tunnel/load.ts'
import { openMeters, type Allowance } from '../tunnel/meters.ts'
import { tunnelNode } from '../tunnel/node.ts'
import { tunnelSockets, type TunnelSockets } from '../tunnel/socket.ts'
import { openLanes } from '../tunnel/lanes.ts'
import { openTickets } from '../tunnel/tickets.ts'
import { tokenSigner, tokensBy, type Holder, type Tokens } from '../tunnel/token.ts'
import { controlAt } from './control.ts'
import { openHeart, type Registration, type Word } from './heart.ts'
import { openOutbox } from './outbox.ts'
import { nodeSite } from './serve.ts'

/** What a caller of `startNode` may put in place of the node's own. */
export interface NodeSeams {
  /** Where log lines go; standard error unless said. */
  readonly logTo?: (line: string) => void
}

/** A running node. */
export interface RunningNode {
  readonly port: number
  readonly id: string
  readonly origin: string
  /** Resolves when another process has taken the node's name: this one is of no more use. */
  readonly replaced: Promise<void>
  /** Takes no more clients, waits for those it has to go, reports what they used and ends, within `server.shutdown`. */
  close(): Promise<void>
}

/** What reporting and closing may take at the end. */
const closingTime = 5000
/** Longer than any token lives. */
const endedFor = 3_600_000

/** Starts a node: it serves tunnels for the server it registers at, and keeps nothing itself. @throws {PortTaken} */
export async function startNode(config: Config, seams: NodeSeams = {}): Promise<RunningNode> {
  const { node, tunnel, server, operations } = config
  const log = makeLog(operations.log, seams.logTo ?? (line => process.stderr.write(line)), Date.now)
  const port = await listen(config)
  const outbox = openOutbox()
  const tickets = openTickets()
  const lanes = openLanes()
  let skew = 0
  const now = (): number => Date.now() + skew
  const meters = openMeters({ now, used: async () => meteredGrant(nothing, 0).used, record: async (_day, uses) => outbox.add(uses) })
  const granted = new Map<string, Allowance>()
  const ended = new Map<string, number>()
  const load = loadMeter()
  const replaced = Promise.withResolvers<void>()
  let tokens: Tokens | undefined
  let site: { readonly broker: string; readonly sessions: ReturnType<typeof tunnelNode>; readonly sockets: TunnelSockets } | undefined
  let leaving = false

  const allowanceOf = ({ account, premium, grant }: Holder): Allowance => {
    const known = granted.get(account) ?? meteredGrant({ ...(grant ?? nothing), premium }, 0).allowance
    granted.set(account, known)
    return known
  }
  const open = ({ broker, own }: Registration): NonNullable<typeof site> => {
    const sessions = tunnelNode({
      node: node.id,
      tokens: { issue: () => '', read: (token, at, time) => tokens?.read(token, at, time) ?? null },
      tickets,
      meters,
      allowanceOf,
      now,
      lives: async session => !ended.has(session),
      rules: { allow: tunnel.allow, deny: tunnel.deny, ports: tunnel.ports, listen: tunnel.listen, own },
      caps: { sockets: tunnel.sockets, listeners: tunnel.listeners, udp: tunnel.udp },
      sessions: tunnel.sessions,
      hold: tunnel.hold,
      connect: tunnel.connect,
      idle: tunnel.idle,
    })
    return { broker, sessions, sockets: tunnelSockets({ config, origins: { broker, api: node.origin, cdn: '', playground: null }, log }, sessions, lanes) }
  }
  const heard = (word: Word): void => {
    skew = word.now - Date.now()
    for (const [session, at] of ended) if (performance.now() - at > endedFor) ended.delete(session)
    for (const session of word.ended) ended.set(session, performance.now())
    site?.sessions.revoke(word.ended)
    for (const { account, ...grant } of word.grants) {
      const { allowance, used } = meteredGrant(grant, outbox.unreported(account))
      granted.set(account, allowance)
      meters.grant(account, allowance, used)
    }
  }
  const control = controlAt(node.api, node.id, node.secret)
  const heart = openHeart({
    control,
    outbox,
    instance: randomBytes(24).toString('base64url'),
    title: node.title || node.id,
    origin: node.origin,
    log,
    pulse: () => ({ load: load(), sessions: site?.sessions.size ?? 0, sockets: site?.sessions.sockets ?? 0, holders: site?.sessions.holders ?? [] }),
    flush: () => meters.flush(),
    registered: registration => {
      tokens = tokensBy(tokenSigner(registration.key))
      site ??= open(registration)
    },
    heard,
    replaced: () => {
      log.error('node-replaced')
      replaced.resolve()
    },
  })
  const metrics = makeMetrics()
  tunnelGauges(metrics.registry, {
    get size() {
      return site?.sessions.size ?? 0
    },
    get sockets() {
      return site?.sessions.sockets ?? 0
    },
  })
  const metricsPort = operations.metricsPort === 0 ? null : await serveMetrics(metrics, operations.metricsPort)
  port.serve(
    nodeSite({
      config,
      tickets,
      lanes,
      limits: makeLimits(config),
      broker: () => site?.broker ?? null,
      health: () => ({ api: heart.beating, open: !leaving }),
    }),
    (request, socket, head) => {
      if (site === undefined) socket.destroy()
      else site.sockets.upgrade(request, socket, head)
    },
  )
  heart.start()

  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    const deadline = performance.now() + server.shutdown - closingTime
    leaving = true
    await heart.drain().catch(() => undefined)
    site?.sessions.leave()
    await delay(server.drain)
    while ((site?.sessions.size ?? 0) > 0 && performance.now() < deadline) await delay(100)
    site?.sessions.close()
    await heart.stop(closingTime / 2).catch(() => undefined)
    await control.close()
    site?.sockets.close()
    tickets.close()
    await port.close(0)
    await metricsPort?.close()
    await meters.close()
  }
  return { port: port.port, id: node.id, origin: node.origin, replaced: replaced.promise, close: () => (closing ??= close()) }
}

const nothing = { rate: 0, premium: false, lease: 0 } as const
