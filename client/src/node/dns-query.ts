import { isIP } from './address.ts'
import { standardChannel } from './dns-channel.ts'
import { kinds, type Kind } from './dns-names.ts'
import { codeOf, mustBeString, portOf, wrongType, wrongValue } from './errors.ts'

/** Checks the kind of records that `resolve` names. @throws ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE */
export function kindOf(type: unknown): Kind {
  if (typeof type !== 'string') throw wrongType('rrtype', 'of type string', type)
  if (!Object.hasOwn(kinds, type)) throw wrongValue('rrtype', type)
  return type as Kind
}

/** Whether the time that addresses hold is asked for. */
export const wantsTtl = (options: unknown): boolean => Boolean((options as { readonly ttl?: unknown } | null | undefined)?.ttl)

const services: Readonly<Record<number, string>> = {
  ...{ 21: 'ftp', 22: 'ssh', 23: 'telnet', 25: 'smtp', 53: 'domain', 80: 'http', 110: 'pop3', 119: 'nntp', 123: 'ntp', 143: 'imap2', 161: 'snmp' },
  ...{ 389: 'ldap', 443: 'https', 465: 'submissions', 587: 'submission', 636: 'ldaps', 853: 'domain-s', 993: 'imaps', 995: 'pop3s', 6667: 'ircd' },
}

/** Checks the arguments of `lookupService` and answers it. @throws ERR_INVALID_ARG_VALUE, ERR_SOCKET_BAD_PORT; rejects with ENOTFOUND */
export function serviceOf(address: unknown, port: unknown): () => Promise<{ hostname: string; service: string }> {
  mustBeString('address', address)
  if (isIP(address) === 0) throw wrongValue('address', address)
  const number = portOf(port)
  return async () => {
    const names = await standardChannel()
      .reverse(address, 'getnameinfo')
      .catch((error: unknown) => {
        // A system that cannot ask knows no name either.
        const code = ['ENODATA', 'ENOTIMP'].includes(codeOf(error)) ? 'ENOTFOUND' : codeOf(error)
        throw Object.assign(error as Error, { code, message: `getnameinfo ${code} ${address}` })
      })
    return { hostname: names[0] ?? address, service: services[number] ?? String(number) }
  }
}
