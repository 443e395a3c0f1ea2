import { listNodes, openTunnel } from '@deputy/contract/api-tunnel'
import { handler, refuse } from '../http/handler.ts'
import { grantOf } from './grants.ts'

/** The nodes there are. */
export const nodes = handler(listNodes, async (_input, { tunnelNodes }) => ({ nodes: tunnelNodes.healthy() }))

/** A token for a node. */
export const open = handler(openTunnel, async (wanted, { session, config, clock, premiumOf, tunnel, tunnelNodes }) => {
  const node = tunnelNodes.choose(wanted)
  // A server that has just started does not take from anybody the node that holds their session.
  if (node === null && wanted.only === true && !tunnelNodes.awaits(wanted.node ?? '')) return refuse('not-found', 'there is no such node')
  if (node === null) return refuse('unavailable', 'no node is up')
  const premium = await premiumOf(session.account)
  if (premium === null) return refuse('unauthorized', 'the session is unknown or over')
  const expiresAt = clock.now() + config.tunnel.token
  const grant = grantOf(tunnel.allowance(premium), await tunnel.meters.usedToday(session.account), config.tunnel.lease)
  const holder = { account: session.account, app: session.app, node: node.id, session: session.id, premium, grant: { rate: grant.rate, lease: grant.lease } }
  return { node, token: tunnel.tokensFor(node.id).issue(holder, expiresAt), expiresAt }
})
