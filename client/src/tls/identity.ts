import { isIP, numberOf } from '../node/address.ts'
import { nodeError } from '../node/errors.ts'
import type { PeerCertificate } from './certificate.ts'

const unrooted = (name: string): string => name.replace(/\.$/, '')
const labelsOf = (name: string): string[] =>
  unrooted(name)
    .replaceAll(/[A-Z]/g, letter => letter.toLowerCase())
    .split('.')

/** Whether a pattern of a certificate is of a name: whole, or with `*` as the left-most label. */
function fits(labels: readonly string[], pattern: string, isWildcardFine: boolean): boolean {
  if (pattern === '') return false
  const parts = labelsOf(pattern)
  if (parts.length !== labels.length || parts.includes('')) return false
  // What is not written in printable ASCII is no name of a host.
  if (parts.some(part => !/^[\x21-\x7e]+$/.test(part))) return false
  for (let index = labels.length - 1; index > 0; index--) if (labels[index] !== parts[index]) return false
  const [first = ''] = parts
  const [label = ''] = labels
  if (!first.includes('*') || first.includes('xn--')) return first === label
  return isWildcardFine && labels.length > 2 && first === '*'
}

const canonical = (address: string): string => (isIP(address) === 6 ? new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1) : address)

/** Splits `subjectaltname` at its commas, but for those within quotes. */
function split(names: string): string[] {
  const found: string[] = []
  let rest = names
  while (rest !== '') {
    const [part = ''] = /^(?:[^,"]|"(?:[^"\\]|\\.)*")*/.exec(rest) ?? []
    if (part.length < rest.length && !rest.startsWith(', ', part.length))
      throw nodeError('ERR_TLS_CERT_ALTNAME_FORMAT', 'Invalid subject alternative name string')
    found.push(part.replaceAll(/"(?:[^"\\]|\\.)*"/g, quoted => JSON.parse(quoted) as string))
    rest = rest.slice(part.length + 2)
  }
  return found
}

/** Whether a certificate is of a host, as Node judges it: its alternative names, and the common name where there are none. Answers the fault. */
export function checkServerIdentity(hostname: string, certificate: PeerCertificate): Error | undefined {
  const name = unrooted(String(hostname))
  const { subject, subjectaltname } = certificate
  const patterns: string[] = []
  const addresses: string[] = []
  for (const part of subjectaltname === undefined ? [] : split(subjectaltname)) {
    if (part.startsWith('DNS:')) patterns.push(part.slice(4))
    else if (part.startsWith('IP Address:')) addresses.push(canonical(part.slice(11)))
  }
  let reason: string | undefined
  const family = isIP(name)
  if (family !== 0) {
    const address = numberOf(name)
    if (!addresses.some(other => isIP(other) === family && numberOf(other) === address))
      reason = `IP: ${name} is not in the cert's list: ${addresses.join(', ')}`
  } else if (patterns.length > 0 || subject?.CN !== undefined) {
    const labels = labelsOf(name)
    if (patterns.length > 0) {
      if (!patterns.some(pattern => fits(labels, pattern, true))) reason = `Host: ${name}. is not in the cert's altnames: ${subjectaltname ?? ''}`
    } else {
      const common = subject?.CN ?? ''
      const isFit = Array.isArray(common) ? common.some(one => fits(labels, one, true)) : fits(labels, common, true)
      if (!isFit) reason = `Host: ${name}. is not cert's CN: ${String(common)}`
    }
  } else reason = 'Cert does not contain a DNS name'
  if (reason === undefined) return undefined
  const message = `Hostname/IP does not match certificate's altnames: ${reason}`
  return Object.assign(nodeError('ERR_TLS_CERT_ALTNAME_INVALID', message), { reason, host: name, cert: certificate })
}
