import { schema } from '../config/schema.ts'
import type { Services } from '../services.ts'
import { openMeters, type Allowance, type Meters } from './meters.ts'
import { tunnelNode, type NodeSessions } from './node.ts'
import { openLanes, type Lanes } from './lanes.ts'
import { openTickets, type Tickets } from './tickets.ts'
import { tokenSigner, tokensBy, type Tokens } from './token.ts'

/** The node that runs in this process, and what the API says of it. */
export interface EmbeddedNode {
  readonly sessions: NodeSessions
  readonly meters: Meters
  readonly tickets: Tickets
  readonly lanes: Lanes
  /** Host names of the platform, which no node reaches. */
  readonly own: readonly string[]
  /** The key a node verifies its tokens with. Each has its own, so that one that is stolen makes tokens for no other. */
  keyOf(node: string): string
  /** The tokens of a node. */
  tokensFor(node: string): Tokens
  allowance(premium: boolean): Allowance
}

const loopback = ['127.0.0.1', '::1']

type Needs = Pick<Services, 'config' | 'origins' | 'rows' | 'clock' | 'signerFor' | 'sessionLives'>

/** Opens the node of this process. */
export function embeddedNode({ config: { tunnel, server }, origins, rows, clock, signerFor, sessionLives }: Needs): EmbeddedNode {
  const tickets = openTickets()
  const keys = signerFor('tunnel nodes')
  const keyOf = (node: string): string => keys.sign(node)
  const tokensFor = (node: string): Tokens => tokensBy(tokenSigner(keyOf(node)))
  const own = [...Object.values<string | null>({ ...origins }), ...tunnel.nodes.map(({ origin }) => origin)].flatMap(origin =>
    origin === null ? [] : [new URL(origin).hostname],
  )
  const now = (): number => clock.now()
  const meters = openMeters({
    now,
    used: async (account, day) => {
      const row = await rows.read
        .selectFrom('tunnel_days')
        .select(of => [of.fn.sum<number>('sent').as('sent'), of.fn.sum<number>('received').as('received')])
        .where('account', '=', account)
        .where('day', '=', day)
        .executeTakeFirst()
      return Number(row?.sent ?? 0) + Number(row?.received ?? 0)
    },
    record: (day, uses) => rows.write('recordTunnelUse', { day, uses }),
  })
  // A local server is for trying things out, alone: nobody pays, so only limits that somebody set hold, and what an app listens on is reached from this machine only.
  const local = server.mode === 'development'
  const limit = (name: 'rate' | 'ratePremium' | 'day' | 'dayPremium'): number => (local && tunnel[name] === schema.tunnel[name].fallback ? 0 : tunnel[name])
  const allowance = (premium: boolean): Allowance => ({ rate: limit(premium ? 'ratePremium' : 'rate'), day: limit(premium ? 'dayPremium' : 'day'), premium })
  const sessions = tunnelNode({
    node: tunnel.node,
    tokens: tokensFor(tunnel.node),
    tickets,
    meters,
    allowanceOf: ({ premium }) => allowance(premium),
    now,
    lives: sessionLives,
    rules: {
      allow: tunnel.allow,
      deny: tunnel.deny,
      ports: tunnel.ports,
      listen: tunnel.listen.length === 0 && local ? loopback : tunnel.listen,
      own,
    },
    caps: { sockets: tunnel.sockets, listeners: tunnel.listeners, udp: tunnel.udp },
    sessions: tunnel.sessions,
    hold: tunnel.hold,
    connect: tunnel.connect,
    idle: tunnel.idle,
  })
  return { sessions, meters, tickets, lanes: openLanes(), own, keyOf, tokensFor, allowance }
}
