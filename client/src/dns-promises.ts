import { lookupAll, readLookup, type LookupOptions } from './node/dns-lookup.ts'
import { query, queryAddresses, reverseOf, serviceOf } from './node/dns-query.ts'
import { mustBeString } from './node/errors.ts'
import type { LookupAddress } from './node/lookup.ts'

export { getDefaultResultOrder, setDefaultResultOrder, type LookupOptions, type Order } from './node/dns-lookup.ts'
export * from './node/dns-codes.ts'
export type { LookupAddress } from './node/lookup.ts'

/** The first address of a name, or all of them with `all` (LIB-13). */
export function lookup(hostname: string, options: LookupOptions & { readonly all: true }): Promise<LookupAddress[]>
export function lookup(hostname: string, options?: number | LookupOptions): Promise<LookupAddress>
export async function lookup(hostname: string, options?: number | LookupOptions): Promise<LookupAddress | LookupAddress[]> {
  const asked = readLookup(hostname, options)
  const found = await lookupAll(asked)
  return asked.all ? found : (found[0] ?? ({ address: null, family: asked.family === 6 ? 6 : 4 } as unknown as LookupAddress))
}

/** Addresses of the family of `A`, or of `AAAA`; other kinds of records are refused with ENOTIMP. */
export const resolve = async (hostname: string, type = 'A'): Promise<string[]> => query(hostname, type)()
/** IPv4 addresses. */
export async function resolve4(hostname: string, options?: { readonly ttl?: boolean }): Promise<string[]> {
  mustBeString('name', hostname)
  return queryAddresses(hostname, 'A', options)
}
/** IPv6 addresses. */
export async function resolve6(hostname: string, options?: { readonly ttl?: boolean }): Promise<string[]> {
  mustBeString('name', hostname)
  return queryAddresses(hostname, 'AAAA', options)
}
const refused = (type: string) => async (hostname: string) => query(hostname, type)() as Promise<never>
export const resolveAny = refused('ANY')
export const resolveCaa = refused('CAA')
export const resolveCname = refused('CNAME')
export const resolveMx = refused('MX')
export const resolveNaptr = refused('NAPTR')
export const resolveNs = refused('NS')
export const resolvePtr = refused('PTR')
export const resolveSoa = refused('SOA')
export const resolveSrv = refused('SRV')
export const resolveTlsa = refused('TLSA')
export const resolveTxt = refused('TXT')
/** Refused with ENOTIMP. */
export const reverse = async (address: string): Promise<string[]> => reverseOf(address)()
/** Refused with ENOTIMP. */
export const lookupService = async (address: string, port: number): Promise<{ hostname: string; service: string }> => serviceOf(address, port)()
/** None: the node's resolver is not the app's to choose. */
export const getServers = (): string[] => []

// Many import the module as a whole.
export * as default from './dns-promises.ts'
