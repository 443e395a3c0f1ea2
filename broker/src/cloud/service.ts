import type { cloud } from '@deputy/contract/cloud'
import type { Served } from '@deputy/contract/shape'
import type { Tally } from '../tunnel/bytes.ts'
import type { TunnelLink } from '../tunnel/link.ts'
import { noting } from '../tunnel/refused.ts'
import { lookupName } from './dns.ts'
import { fetchApart, fetchThrough } from './fetch.ts'

/** What they stand on. */
export interface CloudNeeds {
  readonly link: TunnelLink
  /** Counts the bodies of fetches. */
  readonly tally: Tally
  /** Called when the quota refused something. */
  readonly spent: () => void
}

/** `cloud.fetch` and `cloud.dns` for one app. Like a fetch of the page itself they ask nobody; they need an account. */
export const cloudService = ({ link, tally, spent }: CloudNeeds): Pick<Served<typeof cloud>, 'dns' | 'fetch' | 'fetchApart'> => ({
  dns: { lookup: (host, options) => lookupName(link, host, options) },
  fetch: async (input, init) => noting(await fetchThrough({ link, tally }, input, init), spent),
  fetchApart: async (input, init) => noting(await fetchApart({ link, tally }, input, init), spent),
})
