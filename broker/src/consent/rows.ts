import type { ConsentCategory, FrameConsentRequest } from '@deputy/contract/consent'
import type { PermissionDescriptor, PermissionRegistry, PermissionSeverity } from '@deputy/contract/permissions'

/**
 * What a row of the consent card asks for, and what a grant carries: a whole category, one critical key, or the sockets of the tunnel,
 * which the broker asks for itself and which no host bounds.
 */
export type Subject = { readonly category: ConsentCategory } | { readonly key: string } | typeof sockets

/** The subject of TCP, UDP and listeners. */
export const sockets = { group: 'sockets' } as const
const socketKeys: ReadonlySet<string> = new Set(['net.tcp', 'net.udp', 'net.listen'])
/** Whether a grant of the sockets carries the permission. */
export const isOfSockets = (key: string): boolean => socketKeys.has(key)

/** One row of the consent card. */
export interface ConsentRow {
  readonly subject: Subject
  /** Canonical host names, sorted, each once. */
  readonly hosts: readonly string[]
  /** The attachment an answer `once` is bound to. */
  readonly attach?: string
  readonly severity: PermissionSeverity
  /** What the row allows, for the person to read. */
  readonly permissions: readonly PermissionDescriptor[]
}

/** The subject as one text, e.g. `category:network` or `key:frame.evaluate`. */
export const subjectName = (subject: Subject): string =>
  'key' in subject ? `key:${subject.key}` : 'group' in subject ? `group:${subject.group}` : `category:${subject.category}`

/** What tells two rows apart: rows of one name are one question. */
export const rowName = ({ subject, hosts, attach }: ConsentRow): string =>
  JSON.stringify([subjectName(subject), 'group' in subject ? [] : hosts, attach ?? null])

/** The host as the browser would resolve it, or undefined where it is none: lower case, punycode, no port, no path. */
function canonicalHost(host: string): string | undefined {
  const wildcard = host.startsWith('*.')
  const name = wildcard ? host.slice(2) : host
  if (!/^[^\s/?#@:%\\]+$|^\[[0-9a-fA-F:.]+\]$/.test(name) || !URL.canParse(`http://${name}`)) return undefined
  const { hostname } = new URL(`http://${name}`)
  return wildcard ? `*.${hostname}` : hostname
}

/** The canonical host of a socket's address; an IPv6 address stands in brackets, and none means any. */
export const hostOfAddress = (address: string): string | undefined =>
  canonicalHost(address === '' ? '0.0.0.0' : address.includes(':') && !address.startsWith('[') ? `[${address}]` : address)

/** The row that asks for the tunnel's sockets, with the host that was wanted first. */
export function socketsRow(host: string, registry: PermissionRegistry): ConsentRow {
  const permissions = registry.descriptors.filter(({ scope }) => isOfSockets(scope))
  return { subject: sockets, hosts: [host], severity: maxSeverity(permissions), permissions }
}

/** The severity of a card is that of its strongest row. */
export const maxSeverity = (rows: readonly { readonly severity: PermissionSeverity }[]): PermissionSeverity =>
  rows.reduce<PermissionSeverity>((most, { severity }) => (severity > most ? severity : most), 0)

/**
 * What a request of an app asks (CNS-2, CNS-3, CNS-6), or undefined where it is refused unasked: no hosts, a name that is no host,
 * or a key that is not critical. A category row carries its category's permissions but the critical ones, which have rows of their
 * own; a category of nothing but critical ones carries them all.
 */
export function consentRow(request: FrameConsentRequest, registry: PermissionRegistry): ConsentRow | undefined {
  const hosts = request.hosts.map(canonicalHost)
  if (hosts.length === 0 || hosts.includes(undefined)) return undefined
  const named = [...new Set(hosts as string[])].toSorted()
  if ('key' in request) {
    const descriptor = registry.get(request.key)
    if (descriptor === undefined || !registry.isCritical(request.key)) return undefined
    return {
      subject: { key: request.key },
      hosts: named,
      severity: 4,
      permissions: [descriptor],
      ...(request.attach === undefined ? {} : { attach: request.attach }),
    }
  }
  const category = 'scope' in request ? 'network' : request.category
  const permissions = carriedBy(category, registry).filter(({ severity }) => severity > 0)
  const severity = Math.max(1, ...permissions.map(permission => permission.severity)) as PermissionSeverity
  return { subject: { category }, hosts: named, severity, permissions }
}

/** The permissions a grant of the category carries. */
export function carriedBy(category: ConsentCategory, registry: PermissionRegistry): readonly PermissionDescriptor[] {
  const mild = registry.inCategory(category)
  return mild.length > 0 ? mild : registry.descriptors.filter(descriptor => descriptor.category === category)
}

/** Whether a granted host covers the one that is needed: the same, or below a `*.` one. */
export const coversHost = (granted: string, needed: string): boolean =>
  granted === needed || (granted.startsWith('*.') && (needed.endsWith(granted.slice(1)) || needed === granted.slice(2)))
