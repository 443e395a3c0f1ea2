import type { Members } from '@deputy/contract/shape'
import { ChannelError } from './errors.ts'
import { defaultLimits, weigh } from './limits.ts'
import { openBareLink, type Link, type LinkOptions } from './link.ts'
import { learn } from './marshal/compile.ts'
import type { Bound } from './marshal/context.ts'
import { fetchValues } from './marshal/fetch-values.ts'
import { FORK, forkCall } from './marshal/fork.ts'

/**
 * Opens a link over a transport, with every kind of value and every guard. Both sides call it; the first message of each is its
 * welcome.
 */
export function openLink<Offered extends Members = Record<never, never>, Wanted extends Members = Record<never, never>>(
  options: LinkOptions<Offered, Wanted>,
): Link<Wanted> {
  learn(fetchValues)
  const { fork, limits } = options
  return openBareLink(options, { weigh, extend: fork && forker(fork, limits?.forks ?? defaultLimits.forks) })
}

/** Serves ports for further links of the same peer; they end with the link they came from. */
function forker(fork: NonNullable<LinkOptions<Members, Members>['fork']>, most: number): (bound: Map<string, Bound>, closed: Promise<unknown>) => void {
  let open = 0
  return (bound, closed) => {
    const run = () => {
      if (open >= most) throw new ChannelError('limit', 'too many links are forked from this one')
      const { port1, port2 } = new MessageChannel()
      const link = fork(port1)
      open++
      void Promise.race([link.closed, closed]).then(() => {
        open--
        link.close()
      })
      return { port: port2, end: () => link.close() }
    }
    bound.set(FORK, { codec: forkCall, run })
  }
}
