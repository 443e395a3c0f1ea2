import type { cloud } from '@deputy/contract/cloud'
import type { Served } from '@deputy/contract/shape'
import type { TunnelLink } from '../tunnel/link.ts'
import { refused } from '../tunnel/refused.ts'
import { lookupName } from './dns.ts'
import { fetchThrough } from './fetch.ts'

/** Whether the person lets the app fetch from a host, asked at the first need. */
export type MayFetch = (url: string) => Promise<boolean>

/** `cloud.fetch` and `cloud.dns` for one app. */
export const cloudService = ({ link, mayFetch }: { readonly link: TunnelLink; readonly mayFetch: MayFetch }): Pick<Served<typeof cloud>, 'dns' | 'fetch'> => ({
  dns: { lookup: (host, options) => lookupName(link, host, options) },
  fetch: async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    return (await mayFetch(url)) ? fetchThrough(link, input, init) : refused('notAllowed')
  },
})
