import { isIP } from 'node:net'

/** Where the node may bind listeners and UDP sockets. */
export interface Places {
  /** The address to bind for what was asked: exactly that one, or the node's first of the family where any will do. */
  bindable(asked: string, port: number): { readonly address: string } | { readonly code: 'EACCES' | 'EADDRNOTAVAIL' | 'EINVAL' }
}

const any: Readonly<Record<string, 4 | 6>> = { '0.0.0.0': 4, '::': 6 }
const firstFree = 1024

/** Places by the addresses the operator gave. A named bind is exact or refused, so that an app never listens elsewhere than it believes. */
export function placesOf(addresses: readonly string[]): Places {
  return {
    bindable: (asked, port) => {
      if (port !== 0 && port < firstFree) return { code: 'EACCES' }
      const name = asked === 'localhost' ? '127.0.0.1' : asked
      const family = asked === '' ? 0 : (any[name] ?? null)
      if (family === null) {
        if (isIP(name) === 0) return { code: 'EINVAL' }
        return addresses.includes(name) ? { address: name } : { code: 'EADDRNOTAVAIL' }
      }
      if (addresses.length === 0) return { code: 'EACCES' }
      const found = family === 0 ? addresses[0] : addresses.find(address => isIP(address) === family)
      return found === undefined ? { code: 'EADDRNOTAVAIL' } : { address: found }
    },
  }
}
