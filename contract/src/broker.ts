import { account } from './account.ts'
import { cloud, quota } from './cloud.ts'
import { connect } from './connect.ts'
import { frameConsent } from './consent.ts'
import { overlay } from './overlay.ts'
import { packages } from './packages.ts'
import { installPrompt, relay } from './prompts.ts'
import { rooms } from './rooms.ts'
import { shell } from './shell.ts'
import type { RemotePart, Served, ServedPart } from './shape.ts'
import { storage } from './storage.ts'
import { webvpn } from './webvpn.ts'

/** Every namespace of the broker, each under the one name it has on all sides. */
export const namespaces = { account, cloud, quota, webvpn, connect, storage, rooms, packages, frameConsent, installPrompt, relay, overlay, shell }
type Namespaces = typeof namespaces

/** The flat members older consumers call, each the very operation at the path beside it. */
export const aliases = {
  dnsLookup: ['cloud', 'dns', 'lookup'],
  proxyFetch: ['cloud', 'fetch'],
  webVpnTcpSocket: ['webvpn', 'tcpSocket'],
  webVpnTcpSocketListener: ['webvpn', 'tcpSocketListener'],
  webVpnUdpSocket: ['webvpn', 'udpSocket'],
  showInstallPrompt: ['installPrompt', 'show'],
  hideInstallPrompt: ['installPrompt', 'hide'],
  setOverlayHost: ['overlay', 'setHost'],
} as const
type Aliases = typeof aliases

type At<M, P extends readonly string[]> = P extends readonly [infer Head extends keyof M, ...infer Rest extends readonly string[]] ? At<M[Head], Rest> : M
type Flat<T> = { [K in keyof T]: T[K] }
/** The calls of the flat members. */
export type AliasMembers = { readonly [K in keyof Aliases]: At<Namespaces, Aliases[K]> }

const at = (tree: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (node, name) => (typeof node === 'object' && node !== null && Object.hasOwn(node, name) ? (node as Record<string, unknown>)[name] : undefined),
    tree,
  )

const flat = (tree: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(aliases)
      .map(([name, path]) => [name, at(tree, path)] as const)
      .filter(([, member]) => member !== undefined),
  )

/** The whole interface of the broker: the namespaces and the flat members. */
export const broker = /* @__PURE__ */ (() => ({ ...namespaces, ...flat(namespaces) }))() as Flat<Namespaces & AliasMembers>
export type Broker = typeof broker

/** A broker that serves some of the operations; the others are absent and told so by presence. */
export type ServedNamespaces = ServedPart<Namespaces>

/** The served tree with the flat members of every operation it serves: the same functions under both names. */
export const withAliases = <S extends object>(served: S): S & Partial<Served<AliasMembers>> => ({ ...served, ...flat(served) })

/** What an app holds of a broker; any member may be missing, so look before calling. */
export type RemoteBroker = RemotePart<Broker>
