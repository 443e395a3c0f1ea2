import { route } from './api.ts'
import { quotaState } from './cloud.ts'
import { boolean, integer, list, nullable, object, oneOf, optional, string } from './shape.ts'

const none = /* @__PURE__ */ object({})
/** A tunnel node: its id, what the person reads, and the origin of its WebSocket and tickets. */
export const tunnelNode = /* @__PURE__ */ object({ id: string({ min: 1, max: 64 }), title: string({ max: 100 }), origin: string({ max: 300 }) })

/** The nodes that are healthy, the least loaded first. */
export const listNodes = /* @__PURE__ */ route('tunnel', 'nodes', 'session', 'read', none, object({ nodes: list(tunnelNode, { max: 1000 }) }))
/**
 * A token for one node, bound to (account, app, node), good for opening or resuming a session until it expires. `node` is taken if it is
 * healthy, else the least loaded of two that are; those in `avoid`, where the caller found nobody, only for want of another. With `only` it is
 * that node, also one about to stop, or `not-found`: whoever resumes a session must come to the node that holds it.
 */
export const openTunnel = /* @__PURE__ */ route(
  'tunnel',
  'open',
  'app',
  'read',
  object({ node: optional(string({ max: 64 })), only: optional(boolean), avoid: optional(list(string({ max: 64 }), { max: 64 })) }),
  object({ node: tunnelNode, token: string({ max: 2048 }), expiresAt: integer() }),
)
/** What the account may use of the tunnel and has used today. */
export const readTunnelQuota = /* @__PURE__ */ route('tunnel', 'quota', 'session', 'read', none, quotaState)
/** Bytes per day and app of the last 30 days (UTC), oldest first, for the account page. */
export const readTunnelUse = /* @__PURE__ */ route(
  'tunnel',
  'use',
  'account',
  'read',
  none,
  object({ days: list(object({ day: string({ max: 10 }), app: string({ max: 300 }), sent: integer(), received: integer() }), { max: 10_000 }) }),
)

const account = /* @__PURE__ */ string({ min: 1, max: 64 })
const instance = /* @__PURE__ */ string({ min: 16, max: 64 })
const moved = /* @__PURE__ */ integer({ max: 2 ** 50 })

/** What one app of an account moved through a node. */
export const tunnelUse = /* @__PURE__ */ object({ account, app: string({ min: 1, max: 300 }), sent: moved, received: moved })
/** What a node reports to have passed. Its number rises by one with each report of an instance; one that was counted before is not counted again. */
export const tunnelReport = /* @__PURE__ */ object({ sequence: integer({ min: 1 }), uses: list(tunnelUse, { max: 256 }) })
/** What an account may use at a node: bytes a second (0 is unlimited), and bytes until the next word of the API (null is unlimited). */
export const tunnelGrant = /* @__PURE__ */ object({ account, rate: integer(), premium: boolean, lease: nullable(integer()) })

/**
 * A node comes up. `instance` names its process; a second one in the same name takes over from the first. It learns the key of the tokens it
 * is to take, which is that node's own, the broker's origin, the host names that are the platform's, and how many ms apart its beats are to be.
 */
export const registerNode = /* @__PURE__ */ route(
  'tunnel',
  'register',
  'node',
  'write',
  object({ instance, version: integer(), title: string({ min: 1, max: 100 }), origin: string({ max: 300 }) }),
  object({ key: string({ min: 43, max: 43 }), broker: string({ max: 300 }), own: list(string({ max: 300 }), { max: 1100 }), every: integer({ min: 1 }) }),
)
/**
 * A node's sign of life, with its load (share of its time, in thousandths), what it holds, a report of use, and some of the sessions of the API
 * it acts for. The answer says which of these are over and what the accounts of the others may use. `not-found`: the node must register (again).
 * `conflict`: another process has taken over.
 */
export const beatNode = /* @__PURE__ */ route(
  'tunnel',
  'beat',
  'node',
  'write',
  object({
    instance,
    state: oneOf('open', 'draining', 'gone'),
    load: integer({ max: 1000 }),
    sessions: integer({ max: 2 ** 32 }),
    sockets: integer({ max: 2 ** 32 }),
    report: optional(tunnelReport),
    held: list(string({ max: 64 }), { max: 500 }),
  }),
  object({ now: integer(), ended: list(string({ max: 64 }), { max: 500 }), grants: list(tunnelGrant, { max: 500 }) }),
)
