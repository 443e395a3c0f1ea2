import { DnsChannel, ResolverBase, setStandardServers, standardChannel, type ResolverOptions } from './node/dns-channel.ts'
import { lookupAll, mustBeHostname, noAddress, readLookup, type LookupOptions } from './node/dns-lookup.ts'
import type { Kind } from './node/dns-names.ts'
import { kindOf, serviceOf, wantsTtl } from './node/dns-query.ts'
import type { AnyRecord, CaaRecord, MxRecord, NaptrRecord, RecordWithTtl, SoaRecord, SrvRecord, TlsaRecord } from './node/dns-records.ts'
import { missing, mustBeFunction, mustBeString, type NodeError } from './node/errors.ts'
import type { LookupCallback } from './node/lookup.ts'
import { nextTick } from './node/ticks.ts'

export * as promises from './dns-promises.ts'
export { ADDRCONFIG, ALL, getDefaultResultOrder, setDefaultResultOrder, V4MAPPED, type LookupOptions, type Order } from './node/dns-lookup.ts'
export * from './node/dns-codes.ts'
export type { ResolverOptions } from './node/dns-channel.ts'
export type * from './node/dns-records.ts'
export type { LookupAddress, LookupCallback } from './node/lookup.ts'

type Told<T> = (error: NodeError | null, found: T) => void
type WithTtl = [options: { readonly ttl: true }, callback: Told<RecordWithTtl[]>]
type Plain = [callback: Told<string[]>] | [options: { readonly ttl?: boolean }, callback: Told<string[]>]
const none = undefined as unknown

function tell<T>(callback: Told<T>, answered: Promise<T>): void {
  answered.then(
    found => nextTick(callback, null, found),
    (error: NodeError) => nextTick(callback, error, none as T),
  )
}

/** The first address of a name and its family, or the list of all with `all` (LIB-13). */
export function lookup(hostname: string, callback: LookupCallback): void
export function lookup(hostname: string, options: number | LookupOptions | undefined, callback: LookupCallback): void
export function lookup(hostname: string, options: unknown, last?: LookupCallback): void {
  mustBeHostname(hostname)
  const callback = (typeof options === 'function' ? options : last) as LookupCallback
  mustBeFunction('callback', callback)
  const asked = readLookup(hostname, typeof options === 'function' ? undefined : options)
  lookupAll(asked).then(
    found => {
      if (asked.all) return nextTick(() => callback(null, found))
      const { address, family } = found[0] ?? noAddress(asked)
      nextTick(() => callback(null, address as string, family))
    },
    (error: NodeError) => nextTick(() => callback(error, none as string)),
  )
}

abstract class Asking extends ResolverBase {
  #ask<T>(name: string, kind: Kind, callback: Told<T> | undefined, options?: unknown): void {
    mustBeString('name', name)
    mustBeFunction('callback', callback)
    tell(callback as Told<unknown>, this.channel.query(name, kind, wantsTtl(options)))
  }
  /** Records of the kind that is named, addresses without one. */
  resolve(name: string, callback: Told<string[]>): void
  resolve<T>(name: string, type: string, callback: Told<T>): void
  resolve(name: string, type: unknown, callback?: Told<never>): void {
    if (typeof type === 'function') return this.#ask(name, 'A', type as Told<never>)
    this.#ask(name, kindOf(type), callback)
  }
  resolve4(name: string, ...of: WithTtl): void
  resolve4(name: string, ...of: Plain): void
  resolve4(name: string, ...of: unknown[]): void {
    this.#ask(name, 'A', of.at(-1) as Told<never>, of.length > 1 ? of[0] : undefined)
  }
  resolve6(name: string, ...of: WithTtl): void
  resolve6(name: string, ...of: Plain): void
  resolve6(name: string, ...of: unknown[]): void {
    this.#ask(name, 'AAAA', of.at(-1) as Told<never>, of.length > 1 ? of[0] : undefined)
  }
  resolveAny(name: string, ...of: [callback: Told<AnyRecord[]>]): void {
    this.#ask(name, 'ANY', of.at(-1))
  }
  resolveCaa(name: string, ...of: [callback: Told<CaaRecord[]>]): void {
    this.#ask(name, 'CAA', of.at(-1))
  }
  resolveCname(name: string, ...of: [callback: Told<string[]>]): void {
    this.#ask(name, 'CNAME', of.at(-1))
  }
  resolveMx(name: string, ...of: [callback: Told<MxRecord[]>]): void {
    this.#ask(name, 'MX', of.at(-1))
  }
  resolveNaptr(name: string, ...of: [callback: Told<NaptrRecord[]>]): void {
    this.#ask(name, 'NAPTR', of.at(-1))
  }
  resolveNs(name: string, ...of: [callback: Told<string[]>]): void {
    this.#ask(name, 'NS', of.at(-1))
  }
  resolvePtr(name: string, ...of: [callback: Told<string[]>]): void {
    this.#ask(name, 'PTR', of.at(-1))
  }
  resolveSoa(name: string, ...of: [callback: Told<SoaRecord>]): void {
    this.#ask(name, 'SOA', of.at(-1))
  }
  resolveSrv(name: string, ...of: [callback: Told<SrvRecord[]>]): void {
    this.#ask(name, 'SRV', of.at(-1))
  }
  resolveTlsa(name: string, ...of: [callback: Told<TlsaRecord[]>]): void {
    this.#ask(name, 'TLSA', of.at(-1))
  }
  resolveTxt(name: string, ...of: [callback: Told<string[][]>]): void {
    this.#ask(name, 'TXT', of.at(-1))
  }
  /** The names of an address. */
  reverse(address: string, callback: Told<string[]>): void {
    mustBeString('name', address)
    mustBeFunction('callback', callback)
    tell(callback, this.channel.reverse(address))
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
export function lookupService(...of: [address: string, port: number, callback: (error: NodeError | null, hostname?: string, service?: string) => void]): void {
  const [address, port, callback] = of
  if (of.length !== 3) throw missing('"address", "port", and "callback" arguments')
  const run = serviceOf(address, port)
  mustBeFunction('callback', callback)
  run().then(
    ({ hostname, service }) => nextTick(callback, null, hostname, service),
    (error: NodeError) => nextTick(callback, error),
  )
}

// Many import the module as a whole.
export * as default from './dns.ts'
