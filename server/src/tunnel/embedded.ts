import { schema } from '../config/schema.ts'
import type { Services } from '../services.ts'
import { openMeters, type Allowance, type Meters } from './meters.ts'
import { tunnelNode } from './node.ts'
import type { Sessions } from './sessions.ts'
import { openTickets, type Tickets } from './tickets.ts'
import { tokensBy, type Tokens } from './token.ts'

/** The node that runs in this process, and what the API says of it. */
export interface EmbeddedNode {
  readonly sessions: Sessions
  readonly meters: Meters
  readonly tokens: Tokens
  readonly tickets: Tickets
  allowance(premium: boolean): Allowance
}

const loopback = ['127.0.0.1', '::1']

type Needs = Pick<Services, 'config' | 'origins' | 'rows' | 'clock' | 'signerFor' | 'sessionLives'>

/** Opens the node of this process. */
export function embeddedNode({ config: { tunnel, server }, origins, rows, clock, signerFor, sessionLives }: Needs): EmbeddedNode {
  const tickets = openTickets()
  const tokens = tokensBy(signerFor('tunnel'))
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
    tokens,
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
      own: Object.values<string | null>({ ...origins }).flatMap(origin => (origin === null ? [] : [new URL(origin).hostname])),
    },
    caps: { sockets: tunnel.sockets, listeners: tunnel.listeners, udp: tunnel.udp },
    sessions: tunnel.sessions,
    hold: tunnel.hold,
    connect: tunnel.connect,
    idle: tunnel.idle,
  })
  return { sessions, meters, tokens, tickets, allowance }
}
