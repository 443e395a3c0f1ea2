import { isIP } from './address.ts'
import { mustBeString, wrongType, wrongValue } from './errors.ts'
import { addressesOf, type LookupAddress } from './lookup.ts'

/** In which order addresses of both families are told. */
export type Order = 'ipv4first' | 'ipv6first' | 'verbatim'

/** How a name is looked up. */
export interface LookupOptions {
  readonly family?: number | 'IPv4' | 'IPv6' | undefined
  readonly hints?: number | undefined
  readonly all?: boolean | undefined
  readonly order?: Order | undefined
  readonly verbatim?: boolean | undefined
}

let standard: Order = 'verbatim'

/** The order used where none is asked for. */
export const getDefaultResultOrder = (): Order => standard
/** Sets the order used where none is asked for. @throws ERR_INVALID_ARG_VALUE */
export function setDefaultResultOrder(order: Order): void {
  mustBeOrder('dnsOrder', order)
  standard = order
}

/** What was asked for, checked as Node checks it. */
export interface Lookup {
  readonly hostname: string
  readonly family: 0 | 4 | 6
  readonly all: boolean
  readonly order: Order
}

/** What is no text has no address, but for a truthy one. @throws ERR_INVALID_ARG_TYPE */
export function mustBeHostname(hostname: unknown): void {
  if (hostname) mustBeString('hostname', hostname)
}

/** What is told of a name that is none. */
export const noAddress = ({ family }: Lookup): { readonly address: null; readonly family: 4 | 6 } => ({ address: null, family: family === 6 ? 6 : 4 })

/** Reads the arguments of `lookup`. @throws ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE */
export function readLookup(hostname: unknown, given: unknown): Lookup {
  mustBeHostname(hostname)
  if (given !== undefined && given !== null && typeof given !== 'number' && typeof given !== 'object')
    throw wrongType('options', 'of type number or object', given)
  const options: LookupOptions = typeof given === 'number' ? { family: given } : (given ?? {})
  const { all = false, hints, verbatim, order } = options
  if (typeof all !== 'boolean') throw wrongType('options.all', 'of type boolean', all)
  if (hints !== undefined && hints !== null && typeof hints !== 'number') throw wrongType('options.hints', 'of type number', hints)
  if (((hints ?? 0) & ~(ADDRCONFIG | ALL | V4MAPPED)) !== 0) throw wrongValue('hints', hints)
  if (order !== undefined) mustBeOrder('options.order', order)
  if (verbatim !== undefined && typeof verbatim !== 'boolean') throw wrongType('options.verbatim', 'of type boolean', verbatim)
  return {
    hostname: typeof hostname === 'string' ? hostname : '',
    family: familyOf(typeof given === 'number' ? 'family' : 'options.family', options.family),
    all,
    order: order ?? (verbatim === undefined ? standard : verbatim ? 'verbatim' : 'ipv4first'),
  }
}

/** Node's hints; the node's resolver has its own. */
export const ADDRCONFIG = 32
export const ALL = 16
export const V4MAPPED = 8

function familyOf(name: string, family: unknown): 0 | 4 | 6 {
  if (family === 'IPv4') return 4
  if (family === 'IPv6') return 6
  if (family === undefined || family === null || family === 0) return 0
  if (family === 4 || family === 6) return family
  throw wrongValue(name, family, 'must be one of: 0, 4, 6')
}

function mustBeOrder(name: string, order: unknown): void {
  if (order !== 'ipv4first' && order !== 'ipv6first' && order !== 'verbatim')
    throw wrongValue(name, order, "must be one of: 'verbatim', 'ipv4first', 'ipv6first'")
}

/** The addresses of a name in the order asked for; an empty name has none. @throws {NodeError} ENOTFOUND */
export async function lookupAll({ hostname, family, order }: Lookup): Promise<LookupAddress[]> {
  if (hostname === '') return []
  const kind = isIP(hostname)
  const found = await addressesOf(hostname, kind === 0 ? family : 0)
  if (order === 'verbatim') return found
  const first = order === 'ipv4first' ? 4 : 6
  return found.toSorted((a, b) => Number(b.family === first) - Number(a.family === first))
}
