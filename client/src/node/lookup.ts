import { isRefusal } from '@deputy/contract/refusals'
import { isIP, isLoopback } from './address.ts'
import { backend } from './backend.ts'
import { lookupError, type NodeError } from './errors.ts'

/** An address a name has. */
export interface LookupAddress {
  address: string
  family: 4 | 6
}
/** What tells the outcome of a look-up: a list with `all`, else one address and its family. */
export type LookupCallback = (error: NodeError | null, address: string | LookupAddress[], family?: number) => void
/** A look-up an app brings itself, as `lookup` of the options of a socket. */
export type LookupFunction = (
  hostname: string,
  options: { readonly all?: boolean | undefined; readonly family?: number | undefined; readonly hints?: number | undefined },
  callback: LookupCallback,
) => void

/** The addresses of a name; an address is its own, and `localhost` is this page. @throws {NodeError} ENOTFOUND and what the tunnel refuses */
export async function addressesOf(hostname: string, family: 0 | 4 | 6 = 0): Promise<LookupAddress[]> {
  const kind = isIP(hostname)
  if (kind !== 0) return [{ address: hostname, family: kind }]
  if (isLoopback(hostname)) {
    const both: LookupAddress[] = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]
    return both.filter(one => family === 0 || one.family === family).slice(0, 1)
  }
  const found = await backend().lookup(hostname, { all: true, family })
  if (isRefusal(found)) throw lookupError(hostname, found)
  if (found.length === 0) throw lookupError(hostname)
  return found.map(({ address }) => ({ address, family: isIP(address) === 6 ? 6 : 4 }))
}

/** Asks an app's own look-up for one address. */
export function askLookup(lookup: LookupFunction, hostname: string, family: number): Promise<LookupAddress> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { family, all: false }, (error, found, kind) => {
      if (error) return reject(error)
      const one = Array.isArray(found) ? found[0] : { address: found, family: kind === 6 ? (6 as const) : (4 as const) }
      if (one === undefined || isIP(one.address) === 0) return reject(lookupError(hostname))
      resolve(one)
    })
  })
}
