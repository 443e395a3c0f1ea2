import { registerNode } from '@deputy/contract/api-tunnel'
import { TUNNEL_VERSION } from '@deputy/contract/tunnel-wire'
import { handler, refuse } from '../http/handler.ts'

/** A node comes up. */
export const register = handler(registerNode, async (said, { node, config, origins, tunnelNodes, tunnel, log }) => {
  if (said.version !== TUNNEL_VERSION) return refuse('invalid', `the server speaks version ${TUNNEL_VERSION} of the tunnel`)
  if (!tunnelNodes.register(node, said)) return refuse('invalid', 'the node stands in the configuration of the server with another origin')
  log.info('tunnel-node-registered', { node })
  return { key: tunnel.keyOf(node), broker: origins.broker, own: [...tunnel.own], every: config.tunnel.beat }
})
