import { forkedLink, type StandingLink } from '@deputy/channel'
import type { Members, Remote } from '@deputy/contract/shape'
import { brokerLink, isDedicatedWorker, isLinked, pageLink, PATIENCE, wants } from './broker.ts'
import { useBrokerOrigin } from './configure.ts'

/**
 * A part of the broker's tree that only pages pay for which import it. Named before the first call it comes over the realm's one
 * link; named later, as by a dynamic import, over a link of its own. Answers how to reach it: what the broker does not serve is `undefined`.
 */
export function further<M extends Members>(members: M): () => Promise<Partial<Remote<M>>> {
  const mayBeLate = isLinked()
  let own: StandingLink<M> | undefined
  if (!mayBeLate || isDedicatedWorker()) want(members)
  return async () => {
    if (!mayBeLate) return (await brokerLink().within(PATIENCE)) as Partial<Remote<M>>
    if (isDedicatedWorker()) {
      // Whether the relayed link was opened before or after this part was named shows in what came over it.
      const tree = (await brokerLink().within(PATIENCE)) as Partial<Remote<M>>
      if (Object.keys(members).every(name => tree[name as keyof M] !== undefined)) return tree
      own ??= forkedLink(brokerLink(), members)
    }
    own ??= pageLink(useBrokerOrigin(), members)
    return own.within(PATIENCE)
  }
}

/** Joins what is wanted with what already is: two parts may each want a piece of one namespace. */
function want(members: Members): void {
  const all: Record<string, unknown> = wants
  for (const [name, part] of Object.entries(members)) all[name] = name in all ? { ...(all[name] as Members), ...(part as Members) } : part
}
