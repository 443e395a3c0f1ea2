import { quotaState } from './cloud.ts'
import { boolean, either, integer, list, nullable, object, oneOf, optional, string, tuple, type Received } from './shape.ts'

/** Version of the tunnel's protocol; a node refuses another. */
export const TUNNEL_VERSION = 1
/** Path of a node's WebSocket below its origin. */
export const TUNNEL_PATH = '/v1/tunnel'
/** Path below a node's origin of the bodies that wait behind tickets, for clients that do not ask for them `apart`. */
export const TUNNEL_BODIES = '/v1/tunnel/bodies/'
/** Path of a node where a ticket is exchanged for its body: the text of a POST. An empty one is answered 204, which shows that the node can be reached. */
export const TUNNEL_BODY = '/v1/tunnel/body'
/** Path below a node's origin of lanes: answers that stream the messages of a session which has much to receive. */
export const TUNNEL_LANES = '/v1/tunnel/lanes'
/** WebSocket subprotocol of a tunnel. */
export const TUNNEL_PROTOCOL = 'deputy-tunnel'

const address = /* @__PURE__ */ string({ max: 253 })
const host = /* @__PURE__ */ string({ min: 1, max: 253 })
const port = /* @__PURE__ */ integer({ min: 0, max: 65_535 })
const family = /* @__PURE__ */ oneOf('IPv4', 'IPv6')
const secret = /* @__PURE__ */ string({ min: 16, max: 128 })
const code = /* @__PURE__ */ string({ max: 32 })
const message = /* @__PURE__ */ optional(/* @__PURE__ */ string({ max: 256 }))

/** Where one end of a socket is. */
export const endpoint = /* @__PURE__ */ object({ address, family, port })
export type Endpoint = Received<typeof endpoint>

/** First message of a client. `resume` names a session of the same token's account and app, and how many messages of it have arrived. */
export const helloFrame = /* @__PURE__ */ object({
  version: /* @__PURE__ */ integer(),
  token: /* @__PURE__ */ string({ max: 2048 }),
  resume: /* @__PURE__ */ optional(/* @__PURE__ */ object({ session: secret, secret, received: /* @__PURE__ */ integer() })),
})
/** The node's answer. `resumed` false with `resume` asked for: the old session is gone and its streams are lost. */
export const welcomeFrame = /* @__PURE__ */ object({
  session: secret,
  secret,
  resumed: boolean,
  received: /* @__PURE__ */ integer(),
  node: /* @__PURE__ */ string({ max: 64 }),
  /** How long the node keeps the session after its carrier was lost, in ms. */
  hold: /* @__PURE__ */ integer(),
  /** Whether the node has lanes. */
  lanes: /* @__PURE__ */ optional(boolean),
})
export type Welcome = Received<typeof welcomeFrame>
/** The node's answer to a hello it does not take; the carrier closes after it. */
export const refusedFrame = /* @__PURE__ */ object({ code, message: /* @__PURE__ */ string({ max: 256 }) })
/**
 * Of lanes. Empty from the client: it asks for one; with `ticket` the node's answer; empty from the node: the first message of the lane; with `ready`: the
 * client hears it; with `turn`: the node's next message comes by the other way, the lane or the WebSocket.
 */
export const laneFrame = /* @__PURE__ */ object({
  ticket: /* @__PURE__ */ optional(secret),
  ready: /* @__PURE__ */ optional(boolean),
  turn: /* @__PURE__ */ optional(boolean),
})
/** The node will close soon: new streams belong on another one. */
export const goawayFrame = /* @__PURE__ */ object({ reason: /* @__PURE__ */ string({ max: 256 }) })
/** What the account may still use; told when it changes much. */
export const quotaFrame = quotaState

/** A stream ended before its time. `code` is Node's where there is one. */
export const resetFrame = /* @__PURE__ */ object({ code, message })

/** Opens a TCP connection; data may follow at once. */
export const openFrame = /* @__PURE__ */ object({ host, port })
/** It is connected. */
export const openedFrame = /* @__PURE__ */ object({ local: endpoint, remote: endpoint })
/** Settings of a TCP or UDP socket, as `setOption` takes them. */
export const optionFrame = /* @__PURE__ */ object({
  noDelay: /* @__PURE__ */ optional(boolean),
  keepAlive: /* @__PURE__ */ optional(boolean),
  keepAliveInitialDelay: /* @__PURE__ */ optional(/* @__PURE__ */ integer()),
  broadcast: /* @__PURE__ */ optional(boolean),
  ttl: /* @__PURE__ */ optional(/* @__PURE__ */ integer()),
  multicastTtl: /* @__PURE__ */ optional(/* @__PURE__ */ integer()),
  multicastLoopback: /* @__PURE__ */ optional(boolean),
  recvBufferSize: /* @__PURE__ */ optional(/* @__PURE__ */ integer()),
  sendBufferSize: /* @__PURE__ */ optional(/* @__PURE__ */ integer()),
})
/** Listens; the stream lives as long as the listener, its `fin` stops listening. */
export const listenFrame = /* @__PURE__ */ object({ address, port })
/** It listens. */
export const listeningFrame = /* @__PURE__ */ object({ local: endpoint })
/** Opened by the node: a connection to the listener of that stream. */
export const incomingFrame = /* @__PURE__ */ object({ listener: /* @__PURE__ */ integer(), local: endpoint, remote: endpoint })
/** Binds a UDP socket. */
export const bindFrame = /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('udp4', 'udp6'), address, port })
/** It is bound. */
export const boundFrame = /* @__PURE__ */ object({ local: endpoint })
/** Sets the one remote end of a UDP socket. */
export const connectFrame = /* @__PURE__ */ object({ address: host, port })
/** It is set, or was refused. */
export const connectedFrame = /* @__PURE__ */ either(/* @__PURE__ */ object({ remote: endpoint, local: endpoint }), /* @__PURE__ */ object({ code, message }))
/** Resolves a name; the answer ends the stream. */
export const resolveFrame = /* @__PURE__ */ object({ host: /* @__PURE__ */ string({ max: 1024 }), family: /* @__PURE__ */ oneOf(0, 4, 6) })
/** Its addresses, in the order of the resolver. */
export const resolvedFrame = /* @__PURE__ */ object({
  addresses: /* @__PURE__ */ list(/* @__PURE__ */ object({ address, family: /* @__PURE__ */ oneOf(4, 6) }), { max: 1024 }),
})
const headers = /* @__PURE__ */ list(/* @__PURE__ */ tuple(/* @__PURE__ */ string({ max: 65_536 }), 2), { max: 1024 })
/** Fetches; the body follows as data, `fin` ends it. With `apart` the stream stays as long as a body that is read by its ticket. */
export const requestFrame = /* @__PURE__ */ object({
  method: /* @__PURE__ */ string({ min: 1, max: 32 }),
  url: /* @__PURE__ */ string({ max: 65_536 }),
  headers,
  redirect: /* @__PURE__ */ oneOf('error', 'follow', 'manual'),
  body: boolean,
  apart: /* @__PURE__ */ optional(boolean),
})
/** The head of the response; its body follows as data, decoded, or is to be read from `ticket`. */
export const responseFrame = /* @__PURE__ */ object({
  status: /* @__PURE__ */ integer({ min: 100, max: 599 }),
  statusText: /* @__PURE__ */ string({ max: 1024 }),
  headers,
  url: /* @__PURE__ */ string({ max: 65_536 }),
  redirected: boolean,
  /** Good once for a body too large for the tunnel itself. */
  ticket: /* @__PURE__ */ nullable(/* @__PURE__ */ string({ max: 256 })),
  /** The ticket is exchanged by POST, also by the app's own pages, and the stream tells of its body: `passed`, then `fin` or `reset`. */
  apart: /* @__PURE__ */ optional(boolean),
})
export type TunnelRequest = Received<typeof requestFrame>
export type TunnelResponse = Received<typeof responseFrame>
