import { isIP, numberOf } from './address.ts'
import { mustBeNumber, nodeError, outOfRange, wrongType, wrongValue } from './errors.ts'
import { SocketAddress } from './socket-address.ts'

type Family = 'ipv4' | 'ipv6'
interface Rule {
  readonly family: Family
  readonly first: bigint
  readonly last: bigint
  readonly text: string
}

const mapped = 0xffffn << 32n

/** Addresses, ranges and networks to tell others by. */
export class BlockList {
  readonly #rules: Rule[] = []

  static isBlockList(value: unknown): value is BlockList {
    return value instanceof BlockList
  }

  addAddress(address: string | SocketAddress, family: Family = 'ipv4'): void {
    const { text, number, kind } = read(address, family, 'address')
    this.#rules.unshift({ family: kind, first: number, last: number, text: `Address: ${named(kind)} ${text}` })
  }

  addRange(start: string | SocketAddress, end: string | SocketAddress, family: Family = 'ipv4'): void {
    const first = read(start, family, 'start')
    const last = read(end, family, 'end')
    if (first.number > last.number) throw wrongValue('start', start, `must come before ${last.text}`)
    this.#rules.unshift({ family: first.kind, first: first.number, last: last.number, text: `Range: ${named(first.kind)} ${first.text}-${last.text}` })
  }

  addSubnet(network: string | SocketAddress, prefix: number, family: Family = 'ipv4'): void {
    const { text, number, kind } = read(network, family, 'network')
    const bits = kind === 'ipv4' ? 32 : 128
    mustBeNumber('prefix', prefix, 0, bits)
    if (!Number.isInteger(prefix)) throw outOfRange('prefix', 'an integer', prefix)
    const free = (1n << BigInt(bits - prefix)) - 1n
    const first = number & ~free
    this.#rules.unshift({ family: kind, first, last: first | free, text: `Subnet: ${named(kind)} ${text}/${prefix}` })
  }

  /** Whether a rule covers the address; an IPv4 address in IPv6 clothes is covered by the rules of IPv4 as well. */
  check(address: string | SocketAddress, family: Family = 'ipv4'): boolean {
    if (typeof address !== 'string' && !SocketAddress.isSocketAddress(address)) throw wrongType('address', 'of type string', address)
    if (typeof address === 'string' && isIP(address) !== (family === 'ipv4' ? 4 : 6)) return false
    const { number, kind } = read(address, family, 'address')
    return this.#rules.some(rule => {
      const other = rule.family === kind ? number : kind === 'ipv6' ? number - mapped : number + mapped
      return other >= rule.first && other <= rule.last
    })
  }

  /** The rules in words, the newest first. */
  get rules(): readonly string[] {
    return this.#rules.map(({ text }) => text)
  }
}

const named = (family: Family): string => (family === 'ipv4' ? 'IPv4' : 'IPv6')

function read(address: string | SocketAddress, family: Family, name: string): { readonly text: string; readonly number: bigint; readonly kind: Family } {
  if (SocketAddress.isSocketAddress(address)) return { text: address.address, number: numberOf(address.address), kind: address.family }
  if (typeof address !== 'string') throw wrongType(name, 'of type string or an instance of SocketAddress', address)
  if (typeof family !== 'string') throw wrongType('family', 'of type string', family)
  const kind = String(family).toLowerCase()
  if (kind !== 'ipv4' && kind !== 'ipv6') throw wrongValue('family', family)
  if (isIP(address) !== (kind === 'ipv4' ? 4 : 6)) throw nodeError('ERR_INVALID_ADDRESS', 'Invalid address')
  return { text: address, number: numberOf(address), kind }
}
