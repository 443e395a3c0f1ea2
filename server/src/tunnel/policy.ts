import { lookup } from 'node:dns/promises'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { isPublicAddress } from '../well-known/addresses.ts'

/** An address a connection may go to. */
export interface Target {
  readonly address: string
  readonly family: 4 | 6
}
/** Why a target is refused: by policy, whatever the reason, or because the name has no address. */
export type NoTarget = { readonly code: 'EACCES' | 'ENOTFOUND' | 'EAI_AGAIN' | 'EINVAL' }

/** What the node may reach and where it may listen. */
export interface Policy {
  /**
   * The checked addresses of a host, resolved once: connect to these and never to the name. One that is forbidden among several forbids them
   * all. Without a port, places that are allowed by their port are forbidden; `any` asks whether some port of it is allowed, to tell an address.
   */
  targets(host: string, family?: 0 | 4 | 6, port?: number | 'any'): Promise<readonly Target[] | NoTarget>
  /** Whether an address may be reached: asked again for what a socket is really connected to. */
  mayReach(address: string, port?: number | 'any'): boolean
  /** Whether a port may be connected to. */
  mayConnect(port: number): boolean
  /** Whether some place is allowed by this port. */
  hasPlaces(port: number): boolean
  /** Allows a place that somebody listens at here. Answers the end of it. */
  admit(address: string, port: number): () => void
}

/** What a policy is made of. */
export interface PolicyRules {
  /** Networks (`10.0.0.0/8`) and places (`127.0.0.1:6379`, `[::1]:6379`) that may be reached although they are not public. */
  readonly allow: readonly string[]
  /** Networks that may not be reached although they are public. */
  readonly deny: readonly string[]
  /** Ports that may not be connected to. */
  readonly ports: readonly number[]
  /** Host names of the platform itself, which its own apps reach without the tunnel. */
  readonly own: readonly string[]
}

/**
 * Networks as a list; an address without `/bits` is a network of one.
 * @throws {TypeError} naming the one that is none.
 */
export function networks(of: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of of) {
    const [address = '', bits] = text.split('/')
    const most = isIPv6(address) ? 128 : 32
    const length = bits === undefined ? most : Number(bits)
    if (isIP(address) === 0 || !Number.isInteger(length) || length < 0 || length > most) throw new TypeError(`${text} is no network such as 10.0.0.0/8`)
    list.addSubnet(address, length, most === 128 ? 'ipv6' : 'ipv4')
  }
  return list
}

const place = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/

/** The ports of places such as `127.0.0.1:6379` by their address, and what is left: networks. */
function placesIn(of: readonly string[]): { readonly places: Map<string, number[]>; readonly rest: readonly string[] } {
  const places = new Map<string, number[]>()
  const rest = of.filter(text => {
    const [, six, four, digits] = place.exec(text) ?? []
    const address = six ?? four ?? ''
    const port = Number(digits)
    if (isIP(address) === 0 || isIPv6(address) !== (six !== undefined) || port === 0 || port > 65_535) return true
    places.set(address, [...(places.get(address) ?? []), port])
    return false
  })
  return { places, rest }
}

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** A policy by rules. */
export function policyOf({ allow, deny, ports, own }: PolicyRules): Policy {
  const { places, rest } = placesIn(allow)
  const allowed = networks(rest)
  const denied = networks(deny)
  const refusedPorts = new Set(ports)
  const ownNames = new Set(own.map(name => name.toLowerCase()))
  const within = (list: BlockList, address: string): boolean => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

  const mayReach = (address: string, port?: number | 'any'): boolean => {
    // An IPv4 address in IPv6 clothes is what the socket layer connects to as IPv4.
    const plain = mapped.exec(address)?.[1] ?? address
    if (isIP(plain) === 0 || plain.includes('%') || within(denied, plain)) return false
    const ports = places.get(plain) ?? []
    if (port === 'any' ? ports.length > 0 : port !== undefined && ports.includes(port)) return true
    return within(allowed, plain) || (plain === address && isPublicAddress(plain))
  }

  return {
    mayReach,
    mayConnect: port => port > 0 && port < 65_536 && !refusedPorts.has(port),
    hasPlaces: port => [...places.values()].some(ports => ports.includes(port)),
    admit: (address, port) => {
      places.set(address, [...(places.get(address) ?? []), port])
      return () => {
        const left = [...(places.get(address) ?? [])]
        left.splice(left.indexOf(port), 1)
        places.set(address, left)
      }
    },
    targets: async (host, family = 0, port) => {
      const bare = host.replace(/^\[|\]$/g, '')
      if (isIP(bare) !== 0) {
        if (!mayReach(bare, port)) return { code: 'EACCES' }
        return family !== 0 && isIP(bare) !== family ? { code: 'ENOTFOUND' } : [{ address: bare, family: isIPv6(bare) ? 6 : 4 }]
      }
      const name = domainToASCII(bare.replace(/\.$/, ''))
      // An address in another spelling, which each library reads its own way.
      if (isIP(name) !== 0 || /(?:^|\.)(?:0x[0-9a-f]*|\d+)$/.test(name)) return { code: 'EINVAL' }
      if (name === '' || name.length > 253 || /[^a-z0-9._-]/.test(name)) return { code: 'EINVAL' }
      if (ownNames.has(name)) return { code: 'EACCES' }
      try {
        // Names below localhost are this machine by definition, whatever a resolver knows of them.
        const found =
          name === 'localhost' || name.endsWith('.localhost')
            ? [{ address: '127.0.0.1', family: 4 }]
            : await lookup(name, { all: true, order: 'verbatim', family })
        if (found.length === 0) return { code: 'ENOTFOUND' }
        if (!found.every(({ address }) => mayReach(address, port))) return { code: 'EACCES' }
        return found.map(({ address }) => ({ address, family: isIPv6(address) ? 6 : 4 }) as const)
      } catch (error) {
        return { code: (error as NodeJS.ErrnoException).code === 'EAI_AGAIN' ? 'EAI_AGAIN' : 'ENOTFOUND' }
      }
    },
  }
}
