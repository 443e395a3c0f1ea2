import { originOf } from '@deputy/contract/identity'
import { list, object, string } from '@deputy/contract/shape'
import { fits, parse } from '@deputy/contract/validate'
import type { Clock } from '../clock.ts'
import type { Fetched } from './fetch.ts'

/** What a site says of itself at `/.well-known/deputy.json`: the app it is, and all origins of that app. */
export const siteStatement = /* @__PURE__ */ object({
  app: /* @__PURE__ */ string({ min: 1, max: 300 }),
  origins: /* @__PURE__ */ list(/* @__PURE__ */ string({ max: 300 }), { max: 100 }),
})

const keptFor = 3_600_000
// A site that could not be reached is asked again soon.
const unreachableFor = 10_000
const kept = 10_000

type Statement = { readonly app: string; readonly origins: readonly string[] } | 'none' | 'unreachable'

/** Tells whether two apps are one: each of the two origins lists the other under one id. */
export function sameAppCheck({ clock, fetchSite }: { clock: Clock; fetchSite: (url: URL) => Promise<Fetched> }) {
  const known = new Map<string, { until: number; statement: Promise<Statement> }>()
  const statementOf = (origin: string): Promise<Statement> => {
    const now = clock.now()
    const found = known.get(origin)
    if (found !== undefined && found.until > now) return found.statement
    const statement = fetchSite(new URL('/.well-known/deputy.json', origin)).then((fetched): Statement => {
      if (fetched === 'unreachable' || fetched === 'none') return fetched
      return fits(siteStatement, fetched.value) ? parse(siteStatement, fetched.value) : 'none'
    })
    const entry = { until: now + keptFor, statement }
    known.delete(origin)
    known.set(origin, entry)
    const [oldest] = known.keys()
    if (known.size > kept && oldest !== undefined) known.delete(oldest)
    void statement.then(value => {
      if (value === 'unreachable') entry.until = now + unreachableFor
    })
    return statement
  }
  return async (one: string, other: string): Promise<'same' | 'different' | 'unknown'> => {
    if (one === other) return 'same'
    const [left, right] = [originOf(one), originOf(other)]
    if (left === null || right === null) return 'different'
    const [ofLeft, ofRight] = await Promise.all([statementOf(left), statementOf(right)])
    // One site that denies it is enough, whatever the other would say.
    if (ofLeft === 'none' || ofRight === 'none') return 'different'
    if (ofLeft !== 'unreachable' && !ofLeft.origins.includes(right)) return 'different'
    if (ofRight !== 'unreachable' && !ofRight.origins.includes(left)) return 'different'
    if (ofLeft === 'unreachable' || ofRight === 'unreachable') return 'unknown'
    return ofLeft.app === ofRight.app ? 'same' : 'different'
  }
}
