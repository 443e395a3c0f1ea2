import type { Members, Remote } from '@deputy/contract/shape'
import { brokerLink, isDedicatedWorker, isLinked, pageLink, PATIENCE, wants } from './broker.ts'
import { useBrokerOrigin } from './configure.ts'

/**
 * A part of the broker's tree that only pages pay for which import it. Named before the first call it comes over the page's one
 * link; named later, as by a dynamic import, over a link of its own to the same frame. Answers how to reach it: what the broker does not serve is `undefined`.
 */
export function further<M extends Members>(members: M): () => Promise<Partial<Remote<M>>> {
  if (!isLinked() || isDedicatedWorker()) {
    Object.assign(wants, members)
    return async () => (await brokerLink().within(PATIENCE)) as Partial<Remote<M>>
  }
  let own: ReturnType<typeof pageLink<M>> | undefined
  return async () => {
    own ??= pageLink(useBrokerOrigin(), members)
    return own.within(PATIENCE)
  }
}
