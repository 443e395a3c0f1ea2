import type { Members } from '@deputy/contract/shape'
import { openBareLink } from './link.ts'
import { forkLink } from './marshal/fork.ts'
import { standLink, type StandingLink } from './standing-link.ts'
import { portTransport } from './transport.ts'

/**
 * A further link to the peer of a standing one, under the same identity, for what that one does not want: another part of the tree,
 * asked for later. It ends with the link it came from, and is made anew with it.
 */
export function forkedLink<Wanted extends Members>(through: Pick<StandingLink, 'onLink'>, wants: Wanted): StandingLink<Wanted> {
  const standing = standLink(wants, () => forget())
  const forget = through.onLink(link => {
    forkLink(link).then(
      ({ port }) => standing.attach(openBareLink({ transport: portTransport(port), wants })),
      // A peer that gives none is waited for like one that is away.
      () => undefined,
    )
  })
  return standing
}
