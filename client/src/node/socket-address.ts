import { isIPv4, isIPv6, plainAddress } from './address.ts'
import { mustBeInteger, mustBeString, nodeError, portOf, wrongType, wrongValue } from './errors.ts'

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
    const { family: asked = 'ipv4', flowlabel = 0, port = 0 } = options
    const family = String(asked).toLowerCase()
    if (family !== 'ipv4' && family !== 'ipv6') throw wrongValue('options.family', asked)
    const { address = family === 'ipv4' ? '127.0.0.1' : '::' } = options
    mustBeString('options.address', address)
    this.port = portOf(port, 'options.port')
    mustBeInteger('options.flowlabel', flowlabel, 0, 2 ** 32 - 1)
    if (!(family === 'ipv4' ? isIPv4 : isIPv6)(address) || address.includes('%')) throw nodeError('ERR_INVALID_ADDRESS', 'Invalid socket address')
    this.address = plainAddress(address)
    this.family = family
    this.flowlabel = family === 'ipv6' ? flowlabel : 0
  }

  static isSocketAddress(value: unknown): value is SocketAddress {
    return value instanceof SocketAddress
  }

  /** Reads an address with or without a port, as a host of a URL is read; undefined for what is neither. */
  static parse(text: string): SocketAddress | undefined {
    mustBeString('input', text)
    if (!URL.canParse(`http://${text}`)) return undefined
    const { hostname, port } = new URL(`http://${text}`)
    if (isIPv4(hostname)) return new SocketAddress({ address: hostname, port: Number(port) })
    return hostname.startsWith('[') ? new SocketAddress({ address: hostname.slice(1, -1), family: 'ipv6', port: Number(port) }) : undefined
  }

  toJSON(): SocketAddressInit {
    const { address, port, family, flowlabel } = this
    return { address, port, family, flowlabel }
  }
}
