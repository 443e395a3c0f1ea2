import { isRefusal } from '@deputy/contract/refusals'
import type { Fail } from '@deputy/contract/shape'
import { isIP, isLoopback } from './address.ts'
import { backend } from './backend.ts'
import { codeOf, lookupError, type NodeError } from './errors.ts'

/** Node's hint `ADDRCONFIG`: families that the machine has. */
const ofTheMachine = 32

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
  if (isRefusal(found)) throw unknownName(hostname, found)
  if (found.length === 0) throw lookupError(hostname)
  return found.map(({ address }) => ({ address, family: isIP(address) === 6 ? 6 : 4 }))
}

/** What is told of a name that could not be resolved; one that cannot be a name is unknown. */
export const unknownName = (hostname: string, of: Fail): NodeError => lookupError(hostname, codeOf(of) === 'EINVAL' ? 'ENOTFOUND' : of)

/** Asks an app's own look-up, at once, for one address or all; `hear` is told each. */
export function askLookup(
  lookup: LookupFunction,
  host: string,
  { family, hints }: { readonly family?: number | 'IPv4' | 'IPv6' | undefined; readonly hints?: number | undefined },
  all: boolean,
  hear: (error: unknown, one?: Partial<LookupAddress>) => void,
): Promise<LookupAddress[]> {
  const number = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family
  const own = hints || (number === 4 || number === 6 ? 0 : ofTheMachine)
  return new Promise((resolve, reject) => {
    lookup(host, { family: number, hints: own, ...(all ? { all } : {}) }, (error, found, kind) => {
      const list = Array.isArray(found) ? found : [{ address: found, family: kind as 4 | 6 }]
      if (error) {
        hear(error, all ? undefined : list[0])
        return reject(error)
      }
      for (const one of list) hear(null, one)
      resolve(list)
    })
  })
}
