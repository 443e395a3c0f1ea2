import { listNodes, openTunnel } from '@deputy/contract/api-tunnel'
import { handler, refuse } from '../http/handler.ts'

/** The nodes there are. */
export const nodes = handler(listNodes, async (_input, { config, origins }) => ({
  nodes: [{ id: config.tunnel.node, title: config.tunnel.title, origin: origins.api }],
}))

/** A token for a node. */
export const open = handler(openTunnel, async ({ node }, { session, config, origins, clock, profileOf, tunnel }) => {
  if (node !== undefined && node !== config.tunnel.node) return refuse('not-found', 'there is no such node')
  const profile = await profileOf(session.account)
  if (profile === null) return refuse('unauthorized', 'the session is unknown or over')
  const expiresAt = clock.now() + config.tunnel.token
  const holder = { account: session.account, app: session.app, node: config.tunnel.node, session: session.id, premium: profile.premium }
  return { node: { id: config.tunnel.node, title: config.tunnel.title, origin: origins.api }, token: tunnel.tokens.issue(holder, expiresAt), expiresAt }
})
