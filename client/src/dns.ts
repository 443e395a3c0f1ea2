import { lookupAll, readLookup, type LookupOptions } from './node/dns-lookup.ts'
import { query, queryAddresses, reverseOf, serviceOf } from './node/dns-query.ts'
import { mustBeFunction, mustBeString, type NodeError } from './node/errors.ts'
import type { LookupCallback } from './node/lookup.ts'
import { nextTick } from './node/ticks.ts'

export * as promises from './dns-promises.ts'
export { ADDRCONFIG, ALL, getDefaultResultOrder, setDefaultResultOrder, V4MAPPED, type LookupOptions, type Order } from './node/dns-lookup.ts'
export * from './node/dns-codes.ts'
export type { LookupAddress, LookupCallback } from './node/lookup.ts'

type Answer<T> = (error: NodeError | null, found: T) => void
const none = undefined as unknown

function told<T>(answer: unknown, run: () => Promise<T>): void {
  mustBeFunction('callback', answer)
  const callback = answer as Answer<T>
  run().then(
    found => nextTick(callback, null, found),
    (error: NodeError) => nextTick(callback, error, none as T),
  )
}

/** The first address of a name and its family, or the list of all with `all` (LIB-13). */
export function lookup(hostname: string, callback: LookupCallback): void
export function lookup(hostname: string, options: number | LookupOptions | undefined, callback: LookupCallback): void
export function lookup(hostname: string, options: unknown, last?: LookupCallback): void {
  const callback = (typeof options === 'function' ? options : last) as LookupCallback
  mustBeFunction('callback', callback)
  const asked = readLookup(hostname, typeof options === 'function' ? undefined : options)
  lookupAll(asked).then(
    found => {
      if (asked.all) return nextTick(() => callback(null, found))
      const first = found[0]
      nextTick(() => callback(null, first?.address ?? (null as unknown as string), first?.family ?? (asked.family === 6 ? 6 : 4)))
    },
    (error: NodeError) => nextTick(() => callback(error, none as string)),
  )
}

/** Addresses of the family of `A`, or of `AAAA`; other kinds of records are refused with ENOTIMP. */
export function resolve(hostname: string, ...of: [callback: Answer<string[]>] | [type: string, callback: Answer<string[]>]): void {
  told(of.at(-1), query(hostname, of.length === 2 ? of[0] : 'A'))
}
/** IPv4 addresses. */
export function resolve4(hostname: string, ...of: [callback: Answer<string[]>] | [options: { readonly ttl?: boolean }, callback: Answer<string[]>]): void {
  mustBeString('name', hostname)
  told(of.at(-1), () => queryAddresses(hostname, 'A', of[0]))
}
/** IPv6 addresses. */
export function resolve6(hostname: string, ...of: [callback: Answer<string[]>] | [options: { readonly ttl?: boolean }, callback: Answer<string[]>]): void {
  mustBeString('name', hostname)
  told(of.at(-1), () => queryAddresses(hostname, 'AAAA', of[0]))
}
const refused = (type: string) => (hostname: string, callback: Answer<never>) => told(callback, query(hostname, type) as () => Promise<never>)
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
export const reverse = (address: string, callback: Answer<string[]>): void => told(callback, reverseOf(address))
/** Refused with ENOTIMP. */
export const lookupService = (address: string, port: number, callback: (error: NodeError | null, hostname?: string, service?: string) => void): void =>
  told(callback as Answer<string>, serviceOf(address, port))
/** None: the node's resolver is not the app's to choose. */
export const getServers = (): string[] => []

// Many import the module as a whole.
export * as default from './dns.ts'
