import { createHash } from 'node:crypto'
import type { RouteInput } from '@deputy/contract/api'
import type { beatNode, registerNode, tunnelNode } from '@deputy/contract/api-tunnel'
import type { Received } from '@deputy/contract/shape'
import type { Config } from '../config/schema.ts'
import { equal } from '../signer.ts'

/** A node as clients are told of it. */
export type PublicNode = Received<typeof tunnelNode>
/** How busy a node is. */
export interface NodeLoad {
  /** Share of its time, in thousandths. */
  readonly load: number
  readonly sessions: number
}
/** Which node somebody wants; see the route `openTunnel`. */
export interface Wanted {
  readonly node?: string | undefined
  readonly only?: boolean | undefined
  readonly avoid?: readonly string[] | undefined
}

/** The nodes there are. It lives in memory: a process that starts anew hears of each node within one beat. */
export interface Registry {
  /** The node a header of authorization proves the secret of; null for none. */
  nodeBy(authorization: string | undefined): string | null
  /** Those that may be handed out, the least loaded first. */
  healthy(): PublicNode[]
  /** A node for somebody, or null when there is none. */
  choose(wanted: Wanted): PublicNode | null
  /** Whether a node may have lived before this registry did, and has not been heard of yet. */
  awaits(node: string): boolean
  /** A process takes the name of a node; `false` when the node stands in the configuration with another origin. */
  register(id: string, said: RouteInput<typeof registerNode>): boolean
  /** A sign of life. `unknown` when the process is not registered, `replaced` when another one is. */
  beat(id: string, said: RouteInput<typeof beatNode>): 'taken' | 'unknown' | 'replaced'
}

/** What the registry stands on. */
export interface RegistryNeeds {
  readonly config: Pick<Config['tunnel'], 'nodes' | 'silence'>
  /** The node within the server, where it is handed out. */
  readonly embedded: (PublicNode & { load(): NodeLoad }) | null
  /** Milliseconds of a clock that is never set. */
  readonly clock?: () => number
  /** From 0 to 1. */
  readonly random?: () => number
}

interface Registered {
  readonly instance: string
  readonly title: string
  state: 'starting' | 'open' | 'draining' | 'gone'
  load: number
  sessions: number
  /** Tokens handed out since it told its load. */
  handedOut: number
  heardAt: number
}
type Known = PublicNode & NodeLoad & { readonly state: Registered['state'] }

/** What proves a node's secret: kept in the configuration in place of it. The secret is 32 random bytes, so a plain hash will do. */
export const nodeSecretHash = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

const bearer = /^Bearer ([a-z0-9-]{1,64})\.([A-Za-z0-9_-]{43})$/
const nobody = nodeSecretHash('')
/** Loads that differ by less than this are the same: the number of sessions then says more. */
const loadStep = 100

/** Keeps what is known of the nodes of the configuration. */
export function openRegistry({ config, embedded, clock = () => performance.now(), random = Math.random }: RegistryNeeds): Registry {
  const entries = new Map(config.nodes.map(entry => [entry.id, entry]))
  const registered = new Map<string, Registered>()
  const begunAt = clock()

  const known = (): Known[] => [
    ...(embedded === null ? [] : [{ id: embedded.id, title: embedded.title, origin: embedded.origin, state: 'open' as const, ...embedded.load() }]),
    ...[...registered].flatMap(([id, { title, state, load, sessions, handedOut, heardAt }]) => {
      const origin = entries.get(id)?.origin
      if (origin === undefined || clock() - heardAt >= config.silence) return []
      return [{ id, title, origin, state, load, sessions: sessions + handedOut }]
    }),
  ]
  const handed = ({ id, title, origin }: Known): PublicNode => ({ id, title, origin })
  const open = (): Known[] => known().filter(({ state }) => state === 'open')
  const byLoad = (one: Known, other: Known): number =>
    Math.abs(one.load - other.load) >= loadStep ? one.load - other.load : one.sessions - other.sessions || one.load - other.load
  const drawn = (of: Known[]): Known | undefined => {
    const first = of[Math.floor(random() * of.length)]
    const rest = of.filter(one => one !== first)
    const second = rest[Math.floor(random() * rest.length)]
    return first !== undefined && second !== undefined && byLoad(second, first) < 0 ? second : first
  }
  const find = ({ node, only = false, avoid = [] }: Wanted): Known | undefined => {
    if (only) return known().find(({ id, state }) => id === node && (state === 'open' || state === 'draining'))
    const all = open()
    const others = all.filter(({ id }) => !avoid.includes(id))
    return others.find(({ id }) => id === node) ?? drawn(others) ?? all.find(({ id }) => id === node) ?? drawn(all)
  }

  return {
    nodeBy: authorization => {
      const [, id = '', secret = ''] = bearer.exec(authorization ?? '') ?? []
      const entry = entries.get(id)
      // Compared for an unknown name too, so that the time tells nothing of which names there are.
      const proved = equal(nodeSecretHash(secret), entry?.hash ?? nobody)
      return proved && entry !== undefined ? id : null
    },
    healthy: () => open().toSorted(byLoad).map(handed),
    choose: wanted => {
      const found = find(wanted)
      if (found === undefined) return null
      const entry = registered.get(found.id)
      if (entry !== undefined) entry.handedOut += 1
      return handed(found)
    },
    awaits: node => entries.has(node) && !registered.has(node) && clock() - begunAt < config.silence,
    register: (id, { instance, title, origin }) => {
      if (entries.get(id)?.origin !== origin) return false
      registered.set(id, { instance, title, state: 'starting', load: 0, sessions: 0, handedOut: 0, heardAt: clock() })
      return true
    },
    beat: (id, { instance, state, load, sessions }) => {
      const entry = registered.get(id)
      if (entry === undefined) return 'unknown'
      if (entry.instance !== instance) return 'replaced'
      Object.assign(entry, { state, load, sessions, handedOut: 0, heardAt: clock() })
      return 'taken'
    },
  }
}
