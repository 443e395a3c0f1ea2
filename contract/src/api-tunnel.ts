import { route } from './api.ts'
import { quotaState } from './cloud.ts'
import { integer, list, object, optional, string } from './shape.ts'

const none = /* @__PURE__ */ object({})
/** A tunnel node: its id, what the person reads, and the origin of its WebSocket and tickets. */
export const tunnelNode = /* @__PURE__ */ object({ id: string({ min: 1, max: 64 }), title: string({ max: 100 }), origin: string({ max: 300 }) })

/** The nodes that are healthy, nearest choice first. */
export const listNodes = /* @__PURE__ */ route('tunnel', 'nodes', 'session', 'read', none, object({ nodes: list(tunnelNode, { max: 1000 }) }))
/** A token for one node, bound to (account, app, node), good for opening or resuming a session until it expires. */
export const openTunnel = /* @__PURE__ */ route(
  'tunnel',
  'open',
  'app',
  'read',
  object({ node: optional(string({ max: 64 })) }),
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
