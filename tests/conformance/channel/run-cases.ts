import type { StandingLink } from '@deputy/channel'
import { channelCases } from './cases.ts'
import type { peer } from './peer.ts'

/** How one case went; `error` only when it failed. */
export interface Result {
  readonly name: string
  readonly error?: string
}

/** Runs every case one after another over a standing link. */
export async function runCases(link: StandingLink<typeof peer>): Promise<Result[]> {
  const remote = await link.within(10_000)
  const results: Result[] = []
  for (const { name, run } of channelCases) {
    const current = link.current()
    if (current === undefined) return [...results, { name, error: 'the link is gone' }]
    const failed = await run({ remote, link: current }).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? `${error.message}\n${error.stack}` : String(error)),
    )
    results.push(failed === undefined ? { name } : { name, error: failed })
  }
  return results
}
