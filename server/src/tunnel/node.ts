import type { Session } from '@deputy/tunnel'
import type { Allowance, Meters } from './meters.ts'
import { placesOf } from './places.ts'
import { policyOf } from './policy.ts'
import { tunnelSessions, type Sessions } from './sessions.ts'
import type { Tickets } from './tickets.ts'
import { upstreamOf } from './upstream.ts'
import { streamsOf, type Caps, type Open, type Streams } from './streams.ts'
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

/** The sessions of a node, and what they are doing. */
export interface NodeSessions extends Sessions {
  /** The sessions of the API it acts for. */
  readonly holders: readonly string[]
  /** Sockets, listeners and requests that are open. */
  readonly sockets: number
}

/** A tunnel node: sockets, listeners and lookups for the sessions that hold a token of it. */
export function tunnelNode({ node, tokens, meters, allowanceOf, now, lives, tickets, rules, caps, sessions, hold, connect, idle }: NodeNeeds): NodeSessions {
  const policy = policyOf({ ...rules, ports: rules.ports.map(Number) })
  const places = placesOf(rules.listen)
  const open = new Map<string, Open>()
  const openOf = (account: string): Open => {
    let found = open.get(account)
    if (found === undefined) open.set(account, (found = { sockets: 0, listeners: 0, udp: 0 }))
    return found
  }
  const holding = new Map<Streams, string>()
  const all = tunnelSessions({
    node,
    tokens,
    now,
    hold,
    most: sessions,
    lives,
    streamsFor: async (holder: Holder, session: () => Session) => {
      const streams = streamsOf({
        policy,
        tickets,
        reader: holder.app.replace(/^web:/, ''),
        upstream: upstreamOf(policy, connect),
        places,
        meter: await meters.meter(holder.account, holder.app, allowanceOf(holder)),
        caps,
        opened: openOf(holder.account),
        session,
        connectTime: connect,
        idleTime: idle,
      })
      const close = (): void => {
        holding.delete(watched)
        streams.close()
      }
      const watched: Streams = { ...streams, close }
      holding.set(watched, holder.session)
      return watched
    },
  })
  return {
    ...all,
    get size() {
      return all.size
    },
    get holders() {
      return [...new Set(holding.values())]
    },
    get sockets() {
      return [...open.values()].reduce((sum, { sockets, listeners, udp }) => sum + sockets + listeners + udp, 0)
    },
  }
}
