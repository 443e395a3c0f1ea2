import { DnsChannel, ResolverBase, setStandardServers, standardChannel, type ResolverOptions } from './node/dns-channel.ts'
import { lookupAll, noAddress, readLookup, type LookupOptions } from './node/dns-lookup.ts'
import type { Kind } from './node/dns-names.ts'
import { kindOf, serviceOf, wantsTtl } from './node/dns-query.ts'
import type { AnyRecord, CaaRecord, MxRecord, NaptrRecord, RecordWithTtl, SoaRecord, SrvRecord, TlsaRecord } from './node/dns-records.ts'
import { missing, mustBeString } from './node/errors.ts'
import type { LookupAddress } from './node/lookup.ts'

export { getDefaultResultOrder, setDefaultResultOrder, type LookupOptions, type Order } from './node/dns-lookup.ts'
export * from './node/dns-codes.ts'
export type { ResolverOptions } from './node/dns-channel.ts'
export type * from './node/dns-records.ts'
export type { LookupAddress } from './node/lookup.ts'

/** The first address of a name, or all of them with `all` (LIB-13). */
export function lookup(hostname: string, options: LookupOptions & { readonly all: true }): Promise<LookupAddress[]>
export function lookup(hostname: string, options?: number | LookupOptions): Promise<LookupAddress>
export function lookup(hostname: string, options?: number | LookupOptions): Promise<LookupAddress | LookupAddress[]> {
  const asked = readLookup(hostname, options)
  return lookupAll(asked).then(found => (asked.all ? found : (found[0] ?? (noAddress(asked) as unknown as LookupAddress))))
}

abstract class Asking extends ResolverBase {
  #ask<T>(name: string, kind: Kind, options?: unknown): Promise<T> {
    mustBeString('name', name)
    return this.channel.query(name, kind, wantsTtl(options)) as Promise<T>
  }
  /** Records of the kind that is named, addresses without one. */
  resolve(name: string, type: string = 'A'): Promise<unknown> {
    mustBeString('name', name)
    return this.#ask(name, kindOf(type))
  }
  resolve4(name: string, options: { readonly ttl: true }): Promise<RecordWithTtl[]>
  resolve4(name: string, options?: { readonly ttl?: boolean }): Promise<string[]>
  resolve4(name: string, options?: { readonly ttl?: boolean }): Promise<string[] | RecordWithTtl[]> {
    return this.#ask(name, 'A', options)
  }
  resolve6(name: string, options: { readonly ttl: true }): Promise<RecordWithTtl[]>
  resolve6(name: string, options?: { readonly ttl?: boolean }): Promise<string[]>
  resolve6(name: string, options?: { readonly ttl?: boolean }): Promise<string[] | RecordWithTtl[]> {
    return this.#ask(name, 'AAAA', options)
  }
  resolveAny(name: string): Promise<AnyRecord[]> {
    return this.#ask(name, 'ANY')
  }
  resolveCaa(name: string): Promise<CaaRecord[]> {
    return this.#ask(name, 'CAA')
  }
  resolveCname(name: string): Promise<string[]> {
    return this.#ask(name, 'CNAME')
  }
  resolveMx(name: string): Promise<MxRecord[]> {
    return this.#ask(name, 'MX')
  }
  resolveNaptr(name: string): Promise<NaptrRecord[]> {
    return this.#ask(name, 'NAPTR')
  }
  resolveNs(name: string): Promise<string[]> {
    return this.#ask(name, 'NS')
  }
  resolvePtr(name: string): Promise<string[]> {
    return this.#ask(name, 'PTR')
  }
  resolveSoa(name: string): Promise<SoaRecord> {
    return this.#ask(name, 'SOA')
  }
  resolveSrv(name: string): Promise<SrvRecord[]> {
    return this.#ask(name, 'SRV')
  }
  resolveTlsa(name: string): Promise<TlsaRecord[]> {
    return this.#ask(name, 'TLSA')
  }
  resolveTxt(name: string): Promise<string[][]> {
    return this.#ask(name, 'TXT')
  }
  /** The names of an address. */
  reverse(address: string): Promise<string[]> {
    mustBeString('name', address)
    return new Promise(resolve => resolve(this.channel.reverse(address)))
  }
}

/** Asks servers of names of its own, once they are set. */
export class Resolver extends Asking {
  protected override readonly channel: DnsChannel
  constructor(options?: ResolverOptions) {
    super()
    this.channel = new DnsChannel(options)
  }
}
class Standard extends Asking {
  protected override get channel(): DnsChannel {
    return standardChannel()
  }
}
const standard = new Standard()
const bound = <K extends keyof Asking>(name: K): Asking[K] => standard[name].bind(standard) as Asking[K]

/** Records of the kind that is named, addresses without one. */
export const resolve = bound('resolve')
/** IPv4 addresses. */
export const resolve4 = bound('resolve4')
/** IPv6 addresses. */
export const resolve6 = bound('resolve6')
export const resolveAny = bound('resolveAny')
export const resolveCaa = bound('resolveCaa')
export const resolveCname = bound('resolveCname')
export const resolveMx = bound('resolveMx')
export const resolveNaptr = bound('resolveNaptr')
export const resolveNs = bound('resolveNs')
export const resolvePtr = bound('resolvePtr')
export const resolveSoa = bound('resolveSoa')
export const resolveSrv = bound('resolveSrv')
export const resolveTlsa = bound('resolveTlsa')
export const resolveTxt = bound('resolveTxt')
/** The names of an address. */
export const reverse = bound('reverse')
/** The servers that are asked; `127.0.0.1` stands for the look-up of the node. */
export const getServers = bound('getServers')
/** Names the servers to ask from now on. */
export const setServers = (servers: readonly string[]): void => setStandardServers(servers)
/** The name of an address and of what is commonly served at a port. */
export function lookupService(...of: [address: string, port: number]): Promise<{ hostname: string; service: string }> {
  if (of.length !== 2) throw missing('"address" and "port" arguments')
  return serviceOf(...of)()
}

// Many import the module as a whole.
export * as default from './dns-promises.ts'
