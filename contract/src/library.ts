import type { Fail } from './shape.ts'
import type { PermissionScope } from './permissions.ts'

/** What a goto of the library takes. */
export interface GotoOptions {
  readonly domains?: readonly string[]
  readonly waitUntil?: 'documentstart' | 'load'
}
/** How an external page is attached; `Element` is the page's iframe element. */
export interface AttachFrameOptions<Element = unknown> {
  readonly domains?: readonly string[]
  readonly iframe: Element
  readonly lockdown?: boolean
  readonly syncCookies?: boolean
}
/** What every Frame has beside its locators. */
export interface FrameNavigation {
  goto(url: string, options?: GotoOptions): Promise<void>
  url(): string
}
/** An attached page: a locator object that can be sent elsewhere. */
export type Frame<Locator = object> = Locator & FrameNavigation
/** What a Frame is built on. */
export interface FrameBackend<Executor = unknown, Gate = unknown> extends FrameNavigation {
  readonly executor: Executor
  readonly gate?: Gate
}

export interface CookieDetails {
  readonly name: string
  readonly url: string
}
export interface SiteCookie {
  readonly name: string
  readonly value: string
}

/** One change of a request header; `value` belongs to `set`. */
export interface HeaderOperation {
  readonly header: string
  readonly operation: 'set' | 'remove'
  readonly value?: string
}
export interface RequestHeaderRule {
  readonly domains: readonly string[]
  readonly reason?: string
  readonly requestHeaders: readonly HeaderOperation[]
}

/** One permission asked for; `scope` narrows it, mostly to a site, and `reason` is the app's own words. */
export interface PermissionRequest {
  readonly key: PermissionScope
  readonly reason?: string
  readonly scope?: string
}
export interface PermissionGrant {
  readonly allow: boolean
  readonly key: PermissionScope
  readonly scope: string
}

export type HeaderPairs = readonly (readonly [string, string])[]
/** The platform's request init, and the app's own words on why. */
export interface FetchInit extends RequestInit {
  readonly reason?: string
}
/** A fetch of the library as a backend gets it. */
export interface ProxyFetchRequest {
  readonly body: ArrayBuffer | null
  readonly credentials: 'include' | 'omit'
  readonly headers: HeaderPairs
  readonly method: string
  readonly reason?: string
  readonly redirect: 'error' | 'follow' | 'manual'
  readonly signal?: AbortSignal
  readonly unsafeHeaders?: HeaderPairs
  readonly url: string
}

/**
 * Headers the platform forbids a page to set which a backend may set for it. Headers that frame the message or name the
 * connection (host, content-length, transfer-encoding, connection, upgrade and their like) are never among them.
 */
export const FORGEABLE_HEADERS: readonly string[] = [
  'accept-charset',
  'accept-encoding',
  'access-control-request-headers',
  'access-control-request-method',
  'cookie',
  'date',
  'dnt',
  'origin',
  'referer',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
  'sec-gpc',
  'user-agent',
]

/** Functions of the library, by the names apps import. */
export const libraryFunctions = [
  'attachFrame',
  'connect',
  'connectButtonUrl',
  'fetch',
  'promptInstall',
  'promptRelay',
  'relayWorker',
  'cookies.get',
  'permissions.request',
  'setRequestHeaderRule',
  'removeRequestHeaderRule',
  'createFrame',
  'createVideoElementHandle',
  'box',
  'revive',
  'isType',
  'setMissingExtensionHandler',
  'waitForExtensionExposure',
  'isExtensionExposed',
  'assertAttachableFrameUrl',
  'assertFetchableUrl',
  'assertForgeableHeaders',
  'assertOneCookieIdentity',
  'assertLockdownApplicable',
  'hasForgedCookie',
  'isBlockedFetchUrl',
  'isBlockedFrameUrl',
  'isLocalNetworkUrl',
] as const
export type LibraryFunction = (typeof libraryFunctions)[number]

/** Namespaces the library re-exports. */
export const libraryNamespaces = ['account', 'cloud', 'desktop', 'dgram', 'dns', 'extension', 'fs', 'http', 'net', 'opfs', 'packages'] as const
export type LibraryNamespace = (typeof libraryNamespaces)[number]

/** What the library's frame checks read of an attachment. */
export interface LockdownSubject {
  readonly domains: readonly string[]
  readonly lockdown: boolean
  readonly src: string
}

/** The answer of a refusable call without its refusals: what the library hands on after throwing those. */
export type Granted<T> = Exclude<T, Fail>
