import { numberOf } from './address.ts'
import { mustBeInteger, mustBeString, wrongType, wrongValue } from './errors.ts'
import { SocketAddress } from './socket-address.ts'

type Family = 'ipv4' | 'ipv6'
type Kind = 'Address' | 'Subnet' | 'Range'
interface Rule {
  readonly kind: Kind
  readonly family: Family
  readonly first: bigint
  readonly last: bigint
  readonly text: string
}

const mapped = 0xffffn << 32n
const kinds: readonly Kind[] = ['Address', 'Subnet', 'Range']

/** Addresses, ranges and networks to tell others by. */
export class BlockList {
  /** Networks that are nobody's on the Internet. */
  static readonly PRIVATE_RANGES: readonly string[] = Object.freeze([
    ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '127.0.0.0/8', '::1/128', '169.254.0.0/16', 'fe80::/10', 'fc00::/7'],
  ])
  #rules: Rule[] = []

  static isBlockList(value: unknown): value is BlockList {
    return value instanceof BlockList
  }

  addAddress(address: string | SocketAddress, family: Family = 'ipv4'): void {
    const rule = addressRule(address, family)
    if (!this.#rules.some(({ text }) => text === rule.text)) this.#rules.unshift(rule)
  }

  /** Adds all of them, or none where one is wrong. */
  addAddresses(addresses: readonly (string | SocketAddress)[], family: Family = 'ipv4'): void {
    mustBeList('addresses', addresses)
    const read = addresses.map((address, at) => readAddress(address, family, `addresses[${at}]`))
    for (const address of read) this.addAddress(address)
  }

  addRange(start: string | SocketAddress, end: string | SocketAddress, family: Family = 'ipv4'): void {
    const rule = rangeRule(start, end, family)
    if (rule.first > rule.last) throw wrongValue('start', start, 'must come before end')
    this.#rules.unshift(rule)
  }

  addSubnet(network: string | SocketAddress, prefix: number, family: Family = 'ipv4'): void {
    this.#rules.unshift(subnetRule(network, prefix, family))
  }

  /** Adds a network by its address and prefix, `10.0.0.0/8`. */
  addCIDR(cidr: string): void {
    this.addSubnet(...readCidr(cidr))
  }

  addCIDRs(cidrs: readonly string[]): void {
    mustBeList('cidrs', cidrs)
    const read = cidrs.map((cidr, at) => {
      mustBeString(`cidrs[${at}]`, cidr)
      return readCidr(cidr)
    })
    for (const network of read) this.addSubnet(...network)
  }

  removeAddress(address: string | SocketAddress, family: Family = 'ipv4'): void {
    this.#remove(addressRule(address, family))
  }

  removeRange(start: string | SocketAddress, end: string | SocketAddress, family: Family = 'ipv4'): void {
    this.#remove(rangeRule(start, end, family))
  }

  removeSubnet(network: string | SocketAddress, prefix: number, family: Family = 'ipv4'): void {
    this.#remove(subnetRule(network, prefix, family))
  }

  removeCIDR(cidr: string): void {
    this.removeSubnet(...readCidr(cidr))
  }

  /** Of rules that say the same, the newest. */
  #remove({ text }: Rule): void {
    const at = this.#rules.findIndex(rule => rule.text === text)
    if (at >= 0) this.#rules.splice(at, 1)
  }

  clear(): void {
    this.#rules = []
  }

  /** Whether a rule covers the address; an IPv4 address in IPv6 clothes is covered by the rules of IPv4 as well. */
  check(address: string | SocketAddress, family: Family = 'ipv4'): boolean {
    let read: SocketAddress
    try {
      read = readAddress(address, family, 'address')
    } catch (error) {
      // What is no address is covered by nothing.
      if (typeof address === 'string' && typeof family === 'string') return false
      throw error
    }
    const number = numberOf(read.address)
    return this.#rules.some(rule => {
      const other = rule.family === read.family ? number : read.family === 'ipv6' ? number - mapped : number + mapped
      return other >= rule.first && other <= rule.last
    })
  }

  get size(): number {
    return this.#rules.length
  }

  /** The rules in words: addresses, networks, ranges, of each the newest first. */
  get rules(): string[] {
    return kinds.flatMap(kind => this.#rules.flatMap(rule => (rule.kind === kind ? [rule.text] : [])))
  }

  toJSON(): string[] {
    return this.rules
  }

  /** Adds rules in the words of `rules`, as a list or as its JSON; other words are passed over. */
  fromJSON(data: string | readonly string[]): void {
    const list: unknown = typeof data === 'string' ? JSON.parse(data) : data
    if (!Array.isArray(list) || !list.every(one => typeof one === 'string')) throw wrongType('data', 'of type string or string[]', list)
    for (const words of list) {
      const [, kind, digit, text = ''] = /^(Address|Subnet|Range): IPv([46]) (\S+)$/.exec(words) ?? []
      const family: Family = digit === '6' ? 'ipv6' : 'ipv4'
      const [first = '', last = ''] = text.split(/[/-]/)
      try {
        if (kind === 'Address') this.addAddress(first, family)
        if (kind === 'Subnet') this.addSubnet(first, Number(last), family)
        if (kind === 'Range') this.addRange(first, last, family)
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'ERR_INVALID_ADDRESS') throw error
      }
    }
  }
}

function mustBeList(name: string, list: unknown): void {
  if (!Array.isArray(list)) throw wrongType(name, 'an instance of Array', list)
}

function readAddress(address: string | SocketAddress, family: Family, name: string): SocketAddress {
  if (SocketAddress.isSocketAddress(address)) return address
  mustBeString(name, address)
  mustBeString('family', family)
  return new SocketAddress({ address, family })
}

function readCidr(cidr: unknown): [network: string, prefix: number, family: Family] {
  mustBeString('cidr', cidr)
  const at = cidr.lastIndexOf('/')
  if (at < 0) throw wrongValue('cidr', cidr, 'must contain a prefix length (e.g. "10.0.0.0/8")')
  const digits = cidr.slice(at + 1)
  if (!/^-?(?:0|[1-9]\d*)$/.test(digits)) throw wrongValue('cidr', cidr, 'prefix length must be a valid integer')
  const network = cidr.slice(0, at)
  return [network, Number(digits), network.includes(':') ? 'ipv6' : 'ipv4']
}

const named = ({ family }: SocketAddress): string => (family === 'ipv4' ? 'IPv4' : 'IPv6')

function addressRule(address: string | SocketAddress, family: Family): Rule {
  const read = readAddress(address, family, 'address')
  const number = numberOf(read.address)
  return { kind: 'Address', family: read.family, first: number, last: number, text: `Address: ${named(read)} ${read.address}` }
}

function rangeRule(start: string | SocketAddress, end: string | SocketAddress, family: Family): Rule {
  const [first, last] = [readAddress(start, family, 'start'), readAddress(end, family, 'end')]
  const text = `Range: ${named(first)} ${first.address}-${last.address}`
  return { kind: 'Range', family: first.family, first: numberOf(first.address), last: numberOf(last.address), text }
}

function subnetRule(network: string | SocketAddress, prefix: number, family: Family): Rule {
  const read = readAddress(network, family, 'network')
  const bits = read.family === 'ipv4' ? 32 : 128
  mustBeInteger('prefix', prefix, 0, bits)
  const free = (1n << BigInt(bits - prefix)) - 1n
  const first = numberOf(read.address) & ~free
  return { kind: 'Subnet', family: read.family, first, last: first | free, text: `Subnet: ${named(read)} ${read.address}/${prefix + 0}` }
}
