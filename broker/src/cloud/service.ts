import type { cloud } from '@deputy/contract/cloud'
import type { Served } from '@deputy/contract/shape'
import type { TunnelLink } from '../tunnel/link.ts'
import { lookupName } from './dns.ts'
import { fetchThrough } from './fetch.ts'

/** `cloud.fetch` and `cloud.dns` for one app. Like a fetch of the page itself they ask nobody; they need an account. */
export const cloudService = (link: TunnelLink): Pick<Served<typeof cloud>, 'dns' | 'fetch'> => ({
  dns: { lookup: (host, options) => lookupName(link, host, options) },
  fetch: (input, init) => fetchThrough(link, input, init),
})
