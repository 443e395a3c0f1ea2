import type { Session } from '@deputy/tunnel'
import type { Allowance, Meters } from './meters.ts'
import { placesOf } from './places.ts'
import { policyOf } from './policy.ts'
import { tunnelSessions, type Sessions } from './sessions.ts'
import type { Tickets } from './tickets.ts'
import { upstreamOf } from './upstream.ts'
import { streamsOf, type Caps, type Open } from './streams.ts'
import type { Holder, Tokens } from './token.ts'

/** What a node stands on. */
export interface NodeNeeds {
  readonly node: string
  readonly tokens: Tokens
  readonly meters: Meters
  readonly allowanceOf: (holder: Holder) => Allowance
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly lives: (session: string) => Promise<boolean>
  readonly tickets: Tickets
  readonly rules: {
    readonly allow: readonly string[]
    readonly deny: readonly string[]
    readonly ports: readonly string[]
    /** Addresses that may be bound. */
    readonly listen: readonly string[]
    /** Host names of the platform itself. */
    readonly own: readonly string[]
  }
  readonly caps: Caps
  readonly sessions: number
  readonly hold: number
  readonly connect: number
  readonly idle: number
}

/** A tunnel node: sockets, listeners and lookups for the sessions that hold a token of it. */
export function tunnelNode({ node, tokens, meters, allowanceOf, now, lives, tickets, rules, caps, sessions, hold, connect, idle }: NodeNeeds): Sessions {
  const policy = policyOf({ ...rules, ports: rules.ports.map(Number) })
  const places = placesOf(rules.listen)
  const open = new Map<string, Open>()
  const openOf = (account: string): Open => {
    let found = open.get(account)
    if (found === undefined) open.set(account, (found = { sockets: 0, listeners: 0, udp: 0 }))
    return found
  }
  return tunnelSessions({
    node,
    tokens,
    now,
    hold,
    most: sessions,
    lives,
    streamsFor: async (holder: Holder, session: () => Session) =>
      streamsOf({
        policy,
        tickets,
        upstream: upstreamOf(policy, connect),
        places,
        meter: await meters.meter(holder.account, holder.app, allowanceOf(holder)),
        caps,
        opened: openOf(holder.account),
        session,
        connectTime: connect,
        idleTime: idle,
      }),
  })
}
