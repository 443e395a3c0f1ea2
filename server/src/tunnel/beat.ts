import type { RouteOutput } from '@deputy/contract/api'
import { beatNode } from '@deputy/contract/api-tunnel'
import { handler, refuse } from '../http/handler.ts'
import type { Services } from '../services.ts'
import { grantOf } from './grants.ts'

const dayLength = 86_400_000

/** A node's sign of life: its use is counted, and it hears what has changed for those it acts for. */
export const beat = handler(beatNode, async (said, { node, tunnelNodes, tunnel, rows, clock, ...services }) => {
  const taken = tunnelNodes.beat(node, said)
  if (taken === 'unknown') return refuse('not-found', 'the node has not registered')
  if (taken === 'replaced') return refuse('conflict', 'another process has registered as this node')
  const now = clock.now()
  const { report, held, instance } = said
  // The day is the server's: a node whose clock is wrong writes into no other.
  if (report !== undefined && (await rows.write('recordTunnelReport', { node, instance, day: Math.floor(now / dayLength), ...report })))
    await Promise.all([...new Set(report.uses.map(({ account }) => account))].map(account => tunnel.meters.refresh(account)))
  return { now, ...(await wordOf(held, { ...services, tunnel, rows, clock })) }
})

type Word = Omit<RouteOutput<typeof beatNode>, 'now'>

/** Which of these sessions are over, and what the accounts of the others may use at the node. */
async function wordOf(
  held: readonly string[],
  { rows, clock, tunnel, premiumOf, config }: Pick<Services, 'rows' | 'clock' | 'tunnel' | 'premiumOf' | 'config'>,
): Promise<Word> {
  if (held.length === 0) return { ended: [], grants: [] }
  const living = await rows.read.selectFrom('sessions').select(['id', 'account']).where('id', 'in', held).where('expires_at', '>', clock.now()).execute()
  const lives = new Set(living.map(({ id }) => id))
  const accounts = [...new Set(living.map(({ account }) => account))]
  const grants = await Promise.all(
    accounts.map(async account => {
      const premium = await premiumOf(account)
      if (premium === null) return []
      return [{ account, ...grantOf(tunnel.allowance(premium), await tunnel.meters.usedToday(account), config.tunnel.lease) }]
    }),
  )
  return { ended: held.filter(id => !lives.has(id)), grants: grants.flat() }
}
