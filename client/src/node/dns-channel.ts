import { isIP, isIPv4, isIPv6 } from './address.ts'
import type { NamedServers, Patience } from './dns-named-servers.ts'
import { wireName, type Kind } from './dns-names.ts'
import { readServers, toldServer, type NameServer } from './dns-servers.ts'
import { codeOf, mustBeInteger, mustBeString, nodeError, shown } from './errors.ts'
import { addressesOf } from './lookup.ts'

/** How a resolver asks. */
export interface ResolverOptions {
  /** Milliseconds the first question to a server waits, twice as many each time after; -1 for two seconds. */
  readonly timeout?: number | undefined
  /** How often each server is asked. */
  readonly tries?: number | undefined
  /** Milliseconds a question waits at most; 0 for no bound. */
  readonly maxTimeout?: number | undefined
}

const most = 2 ** 31 - 1
/** What stands for the look-up of the node. */
const ofNode: readonly NameServer[] = [{ address: '127.0.0.1', family: 4, port: 53 }]
const isOfNode = (servers: readonly NameServer[]): boolean => servers.map(toldServer).join() === ofNode.map(toldServer).join()

/** Asks the servers that were named over the tunnel, and until then the look-up of the node (LIB-13). */
export class DnsChannel {
  readonly #patience: Patience
  #servers = ofNode
  #named: Promise<NamedServers> | undefined
  readonly #pending = new Set<AbortController>()

  constructor(options?: ResolverOptions | null) {
    const { timeout = -1, tries = 4, maxTimeout = 0 } = options ?? {}
    mustBeInteger('options.timeout', timeout, -1, most)
    mustBeInteger('options.tries', tries, 1, most)
    mustBeInteger('options.maxTimeout', maxTimeout, 0, 2 ** 32 - 1)
    this.#patience = { timeout: timeout === -1 ? 2000 : timeout, tries, maxTimeout: maxTimeout || most }
  }

  getServers(): string[] {
    return this.#servers.map(toldServer)
  }
  setServers(servers: unknown): void {
    const read = readServers(servers)
    if (this.#pending.size > 0) {
      throw nodeError('ERR_DNS_SET_SERVERS_FAILED', `c-ares failed to set servers: "There are pending queries." [${shown(servers)}]`)
    }
    this.#servers = read
    this.#named = undefined
  }
  /** Ends every query with ECANCELLED, the oldest first. */
  cancel(): void {
    for (const query of [...this.#pending]) query.abort()
  }

  #askable(): Promise<NamedServers> {
    this.#named ??= import('./dns-named-servers.ts').then(module => new module.NamedServers(this.#servers, this.#patience))
    return this.#named
  }

  /** Answers a query in Node's shapes. @throws Node's errors of names, with the call and the name */
  query(name: string, kind: Kind, withTtl = false): Promise<unknown> {
    const syscall = `query${kind === 'AAAA' ? 'Aaaa' : kind.charAt(0) + kind.slice(1).toLowerCase()}`
    return this.#told(syscall, name, async signal => {
      const asked = wireName(name)
      if (/(?:^|\.)onion$/i.test(asked)) throw nodeError('ENOTFOUND', 'not asked about in the open')
      if (!isOfNode(this.#servers)) return (await this.#askable()).query(asked, kind, withTtl, signal)
      if ((kind !== 'A' && kind !== 'AAAA') || withTtl) throw nodeError('ENOTIMP', 'the node tells addresses alone')
      const family = kind === 'A' ? 4 : 6
      if (asked === '' || (isIP(asked) !== 0 && isIP(asked) !== family)) throw nodeError('ENOTFOUND', 'no such name')
      return (await addressesOf(asked, family)).map(({ address }) => address)
    })
  }

  /** The names of an address. @throws as `query`, and at once EINVAL for what is no address */
  reverse(address: string, syscall = 'getHostByAddr'): Promise<string[]> {
    if (isIP(address) === 0) throw Object.assign(new Error(`${syscall} EINVAL ${address}`), { errno: -22, code: 'EINVAL', syscall, hostname: address })
    return this.#told(syscall, address, async signal => {
      if (/^127\.|^::1$/.test(address)) return ['localhost']
      if (isOfNode(this.#servers)) throw nodeError('ENOTIMP', 'the node tells addresses alone')
      return (await this.#askable()).reverse(address, signal)
    })
  }

  async #told<T>(syscall: string, hostname: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const query = new AbortController()
    this.#pending.add(query)
    const cancelled = new Promise<never>((_, reject) => {
      query.signal.addEventListener('abort', () => reject(nodeError('ECANCELLED', 'ECANCELLED')), { once: true })
    })
    try {
      return await Promise.race([run(query.signal), cancelled])
    } catch (error) {
      const code = codeOf(error)
      const { cause } = error as Error
      const words = `${syscall} ${code}${hostname === '' ? '' : ` ${hostname}`}`
      throw Object.assign(new Error(words, cause === undefined ? {} : { cause }), { errno: undefined, code, syscall, hostname })
    } finally {
      this.#pending.delete(query)
    }
  }
}

let standard = new DnsChannel()
/** What the module's own functions ask. */
export const standardChannel = (): DnsChannel => standard
/** Has the module's own functions ask others from now on; what was asked already goes on. */
export function setStandardServers(servers: unknown): void {
  const next = new DnsChannel()
  next.setServers(servers)
  standard = next
}

/** What all resolvers share. */
export abstract class ResolverBase {
  protected abstract readonly channel: DnsChannel
  /** Ends every query with ECANCELLED. */
  cancel(): void {
    this.channel.cancel()
  }
  /** The servers that are asked; `127.0.0.1` stands for the look-up of the node. */
  getServers(): string[] {
    return this.channel.getServers()
  }
  /** Names the servers to ask: addresses, with ports where they are not 53. */
  setServers(servers: readonly string[]): void {
    this.channel.setServers(servers)
  }
  /** Checked and passed over: the node asks from its own address. */
  setLocalAddress(ipv4: string, ipv6?: string): void {
    mustBeString('ipv4', ipv4)
    if (ipv6 !== undefined) mustBeString('ipv6', ipv6)
    const bad = (words: string): Error => nodeError('ERR_INVALID_ARG_VALUE', words, TypeError)
    for (const address of [ipv4, ipv6]) if (address !== undefined && isIP(address) === 0) throw bad('Invalid IP address.')
    if (ipv6 === undefined) return
    if (isIPv4(ipv4) && isIPv4(ipv6)) throw bad('Cannot specify two IPv4 addresses.')
    if (isIPv6(ipv4) && isIPv6(ipv6)) throw bad('Cannot specify two IPv6 addresses.')
  }
}
