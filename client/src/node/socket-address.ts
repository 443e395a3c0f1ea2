import { isIPv4, isIPv6 } from './address.ts'
import { nodeError, portOf, wrongType, wrongValue } from './errors.ts'

/** What a `SocketAddress` is made of. */
export interface SocketAddressInit {
  readonly address?: string
  readonly family?: 'ipv4' | 'ipv6'
  readonly flowlabel?: number
  readonly port?: number
}

/** An address with its port and family. */
export class SocketAddress {
  readonly address: string
  readonly family: 'ipv4' | 'ipv6'
  readonly flowlabel: number
  readonly port: number

  constructor(options: SocketAddressInit = {}) {
    if (typeof options !== 'object' || options === null) throw wrongType('options', 'of type object', options)
    const family = String(options.family ?? 'ipv4').toLowerCase()
    if (family !== 'ipv4' && family !== 'ipv6') throw wrongValue('options.family', options.family)
    const address = options.address ?? (family === 'ipv4' ? '127.0.0.1' : '::')
    if (typeof address !== 'string') throw wrongType('options.address', 'of type string', address)
    if (!(family === 'ipv4' ? isIPv4 : isIPv6)(address)) throw nodeError('ERR_INVALID_ADDRESS', 'Invalid socket address')
    this.address = address
    this.family = family
    this.flowlabel = family === 'ipv6' ? (options.flowlabel ?? 0) : 0
    this.port = portOf(options.port ?? 0, 'options.port')
  }

  static isSocketAddress(value: unknown): value is SocketAddress {
    return value instanceof SocketAddress
  }

  /** Reads `address:port` or `[address]:port`; undefined for what is neither. */
  static parse(text: string): SocketAddress | undefined {
    const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
    const port = Number(digits ?? 0)
    if (port > 65_535) return undefined
    if (bracketed !== undefined) return isIPv6(bracketed) ? new SocketAddress({ address: bracketed, family: 'ipv6', port }) : undefined
    return plain !== undefined && isIPv4(plain) ? new SocketAddress({ address: plain, port }) : undefined
  }

  toJSON(): SocketAddressInit {
    const { address, port, family, flowlabel } = this
    return { address, port, family, flowlabel }
  }
}
