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
  readonly sessions: Pick<Sessions, 'call' | 'onChange'>
  readonly link: Pick<TunnelLink, 'choose' | 'chosen'>
  readonly prompts: Pick<Prompts, 'node'>
}

/** `relay`: the person picks the node of the app's tunnel (PRM-2). The text is empty when they picked none, or nobody could be asked. */
export function relayService({ app, sessions, link, prompts }: RelayNeeds): Served<typeof relay> {
  // A node belongs to the account that chose it.
  sessions.onChange(({ switched }) => {
    if (switched && link.chosen !== null) link.choose(null)
  })
  return {
    prompt: async () => {
      const outcome = await sessions.call(listNodes, {})
      if (outcome.kind !== 'answer') return ''
      const { nodes } = outcome.value
      const picked = await prompts.node({ app, nodes, chosen: link.chosen ?? nodes[0]?.id ?? null, signal: new AbortController().signal })
      if (picked === null || !nodes.some(({ id }) => id === picked)) return ''
      if (picked !== link.chosen) link.choose(picked)
      return picked
    },
  }
}
