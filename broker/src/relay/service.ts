import { listNodes } from '@deputy/contract/api-tunnel'
import type { relay } from '@deputy/contract/prompts'
import type { Served } from '@deputy/contract/shape'
import type { AppIdentity } from '../app-identity.ts'
import type { Prompts } from '../prompts.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { TunnelLink } from '../tunnel/link.ts'

/** What the namespace stands on. */
export interface RelayNeeds {
  readonly app: AppIdentity
  readonly sessions: Pick<Sessions, 'call'>
  readonly link: Pick<TunnelLink, 'choose' | 'node'>
  readonly prompts: Pick<Prompts, 'node'>
}

/** `relay`: the person picks the node of the app's tunnel (PRM-2). The text is empty when they picked none, or nobody could be asked. */
export function relayService({ app, sessions, link, prompts }: RelayNeeds): Served<typeof relay> {
  return {
    prompt: async () => {
      const outcome = await sessions.call(listNodes, {})
      if (outcome.kind !== 'answer') return ''
      const { nodes } = outcome.value
      const now = await link.node()
      const chosen = nodes.some(({ id }) => id === now) ? now : (nodes[0]?.id ?? null)
      const picked = await prompts.node({ app, nodes, chosen, signal: new AbortController().signal })
      if (picked === null || !nodes.some(({ id }) => id === picked)) return ''
      await link.choose(picked)
      return picked
    },
  }
}
