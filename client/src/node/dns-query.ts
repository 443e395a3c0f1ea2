import { isIP } from './address.ts'
import { notImplemented } from './dns-lookup.ts'
import { codeOf, lookupError, mustBeString, portOf, wrongType, wrongValue } from './errors.ts'
import { addressesOf } from './lookup.ts'

const offered = { A: ['queryA', 4], AAAA: ['queryAaaa', 6] } as const
const others = ['ANY', 'CAA', 'CNAME', 'MX', 'NAPTR', 'NS', 'PTR', 'SOA', 'SRV', 'TLSA', 'TXT']

/** Addresses of one family. @throws {NodeError} ENODATA, ENOTFOUND, and ENOTIMP for `ttl`, which the node does not tell */
export async function queryAddresses(hostname: string, type: 'A' | 'AAAA', options: unknown): Promise<string[]> {
  const [syscall, family] = offered[type]
  if ((options as { ttl?: unknown } | undefined)?.ttl === true) throw notImplemented(syscall, hostname)
  if (isIP(hostname) !== 0) {
    if (isIP(hostname) !== family) throw lookupError(hostname, 'ENOTFOUND', syscall)
    return [hostname]
  }
  try {
    return (await addressesOf(hostname, family)).map(({ address }) => address)
  } catch (error) {
    throw Object.assign(new Error(`${syscall} ${codeOf(error)} ${hostname}`), { code: codeOf(error), syscall, hostname })
  }
}

/** Checks the arguments of `resolve` and answers the query. @throws ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE; rejects with ENOTIMP */
export function query(hostname: unknown, type: unknown): () => Promise<string[]> {
  mustBeString('name', hostname)
  if (typeof type !== 'string') throw wrongType('rrtype', 'of type string', type)
  if (type === 'A' || type === 'AAAA') return () => queryAddresses(hostname, type, undefined)
  if (!others.includes(type)) throw wrongValue('rrtype', type)
  return () => Promise.reject(notImplemented(`query${type[0]}${type.slice(1).toLowerCase()}`, hostname))
}

/** Answers of `lookupService` and `reverse`, which the node does not give. @throws ERR_INVALID_ARG_VALUE, ERR_SOCKET_BAD_PORT */
export function serviceOf(address: unknown, port: unknown): () => Promise<never> {
  if (isIP(address) === 0) throw wrongValue('address', address)
  portOf(port)
  return () => Promise.reject(notImplemented('getnameinfo', String(address)))
}

/** The refusal of `reverse`. */
export function reverseOf(address: unknown): () => Promise<never> {
  mustBeString('name', address)
  if (isIP(address) === 0)
    throw Object.assign(new Error(`getHostByAddr EINVAL ${address}`), { code: 'EINVAL', errno: -22, syscall: 'getHostByAddr', hostname: address })
  return () => Promise.reject(notImplemented('getHostByAddr', address))
}
