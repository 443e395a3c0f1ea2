import { fs } from './fs.ts'
import type { Refusal } from './refusals.ts'
import {
  blob,
  boolean,
  buffer,
  byteSource,
  bytes,
  call,
  fail,
  handle,
  integer,
  either,
  list,
  nothing,
  nullable,
  number,
  object,
  oneOf,
  optional,
  promise,
  request,
  response,
  signal,
  string,
  tuple,
  url,
  type Fail,
  type Received,
} from './shape.ts'

/** Why the tunnel refuses a fetch, a lookup or a socket; the upper-case codes are those of Node. */
export const tunnelErrorCodes = [
  'invalid',
  'denied',
  'quota',
  'unavailable',
  'timeout',
  'aborted',
  'EACCES',
  'EADDRINUSE',
  'EADDRNOTAVAIL',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'EMSGSIZE',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'ETUNNEL',
] as const
export type TunnelErrorCode = (typeof tunnelErrorCodes)[number]

/** Refusals of the tunnel that do not come from the network itself. */
export const tunnelRefusals = {
  badAddress: { code: 'invalid', message: 'cloud: the address is malformed' },
  badAnswer: { code: 'unavailable', message: 'cloud: the site does not speak HTTP or has no valid certificate' },
  badUrl: { code: 'invalid', message: 'cloud: the url cannot be fetched' },
  blocked: { code: 'EACCES', message: 'cloud: the address is not reachable through the tunnel' },
  inUse: { code: 'EADDRINUSE', message: 'cloud: the address is in use' },
  lost: { code: 'ETUNNEL', message: 'cloud: the tunnel was lost' },
  needsAccount: { code: 'denied', message: 'cloud: the tunnel needs an account' },
  notAllowed: { code: 'denied', message: 'cloud: the person did not allow the app to use the network' },
  notFound: { code: 'ENOTFOUND', message: 'cloud: the host was not found' },
  quota: { code: 'quota', message: 'cloud: the quota is used up' },
  redirect: { code: 'invalid', message: 'cloud: the url redirects where the request may not follow' },
  timeout: { code: 'timeout', message: 'cloud: the remote host did not answer in time' },
  tooMany: { code: 'denied', message: 'cloud: too many sockets' },
  unavailable: { code: 'unavailable', message: 'cloud: the tunnel is unavailable' },
} as const satisfies Record<string, Refusal<TunnelErrorCode>>

/** Header of a response that names the node of the tunnel session; absent from a spread request's. */
export const NODE_HEADER = 'svc-node'

export const addressLookupResult = /* @__PURE__ */ object({ address: /* @__PURE__ */ string({ max: 253 }), family: /* @__PURE__ */ oneOf(0, 4, 6) })
export type AddressLookupResult = Received<typeof addressLookupResult>

/** `all` asks for the list; without it one address is answered, or none. */
export const dnsLookupOptions = /* @__PURE__ */ object({
  all: /* @__PURE__ */ optional(boolean),
  family: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf(0, 4, 6)),
})
export type DnsLookupOptions = Received<typeof dnsLookupOptions>
/** A list when `all` is true, else one address or none. */
export type DnsLookup = <All extends boolean = false>(
  hostname: string,
  options?: Omit<DnsLookupOptions, 'all'> & { readonly all?: All },
) => Promise<(All extends true ? AddressLookupResult[] : AddressLookupResult | undefined) | Fail<TunnelErrorCode>>

/** What to fetch: text, a `URL` or a `Request`. */
export const proxyFetchInput = /* @__PURE__ */ either(/* @__PURE__ */ string({ max: 65_536 }), url, request)
export type ProxyFetchInput = string | URL | Request

const word = /* @__PURE__ */ optional(/* @__PURE__ */ string({ max: 256 }))
/**
 * The platform's request init as it crosses: headers as pairs, and `spread`, which sends the request through any healthy
 * node instead of the session's own.
 */
export const proxyFetchInit = /* @__PURE__ */ object({
  body: /* @__PURE__ */ optional(
    /* @__PURE__ */ nullable(
      /* @__PURE__ */ either(/* @__PURE__ */ string({ max: 2 ** 26 }), /* @__PURE__ */ bytes(), /* @__PURE__ */ buffer(), blob, byteSource),
    ),
  ),
  cache: word,
  credentials: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf('include', 'omit', 'same-origin')),
  duplex: word,
  headers: /* @__PURE__ */ optional(/* @__PURE__ */ list(/* @__PURE__ */ tuple(/* @__PURE__ */ string({ max: 65_536 }), 2), { max: 512 })),
  integrity: word,
  keepalive: /* @__PURE__ */ optional(boolean),
  method: word,
  mode: word,
  priority: word,
  redirect: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf('error', 'follow', 'manual')),
  referrer: /* @__PURE__ */ optional(/* @__PURE__ */ string()),
  referrerPolicy: word,
  signal: /* @__PURE__ */ optional(/* @__PURE__ */ nullable(signal)),
  spread: /* @__PURE__ */ optional(boolean),
})
/** What an app passes: the platform's request init and `spread`. */
export interface ProxyFetchInit extends RequestInit {
  readonly spread?: boolean
}
/** Fetch through the tunnel. */
export type ProxyFetch = (input: ProxyFetchInput, init: ProxyFetchInit) => Promise<Response | Fail<TunnelErrorCode>>

export const quotaState = /* @__PURE__ */ object({
  bytesPerSecond: /* @__PURE__ */ number(),
  limitBytes: /* @__PURE__ */ number(),
  overQuota: boolean,
  premium: boolean,
  remaining: /* @__PURE__ */ number(),
  usedBytes: /* @__PURE__ */ number(),
})
export type Quota = Received<typeof quotaState>

/** The tunnel use of the account, metered. */
export const quota = /* @__PURE__ */ call([], quotaState)

/**
 * The answer to a fetch whose body the app reads from the node by itself, which takes a process less. The ticket is the text of a POST to `from`, good once and
 * for seconds, for bytes the app is given anyway.
 */
export const responseApart = /* @__PURE__ */ handle({
  /** Bytes of the body, where the site said. */
  length: /* @__PURE__ */ nullable(/* @__PURE__ */ integer()),
  from: /* @__PURE__ */ string({ max: 2048 }),
  /** Settles once the node has sent all of it, or with why it did not. */
  over: /* @__PURE__ */ promise(/* @__PURE__ */ either(/* @__PURE__ */ fail(tunnelErrorCodes), /* @__PURE__ */ object({ bytes: /* @__PURE__ */ integer() }))),
  /** Lets the broker read it, for an app that cannot; the ticket is not used then. */
  read: /* @__PURE__ */ call([], byteSource),
  /** The response without its body. */
  response,
  ticket: /* @__PURE__ */ string({ max: 256 }),
})
export type ResponseApart = Received<typeof responseApart>

/** Proxied fetch, DNS lookup and file storage. */
export const cloud = {
  dns: {
    lookup: /* @__PURE__ */ call(
      [/* @__PURE__ */ string({ max: 1024 }), /* @__PURE__ */ optional(dnsLookupOptions)],
      /* @__PURE__ */ either(/* @__PURE__ */ list(addressLookupResult, { max: 1024 }), addressLookupResult, nothing),
      { codes: tunnelErrorCodes },
    ),
  },
  // The answer starts with the response's head, which a slow site may take minutes to send.
  fetch: /* @__PURE__ */ call([proxyFetchInput, proxyFetchInit], response, { codes: tunnelErrorCodes, deadline: 300_000 }),
  fetchApart: /* @__PURE__ */ call([proxyFetchInput, proxyFetchInit], /* @__PURE__ */ either(response, responseApart), {
    codes: tunnelErrorCodes,
    deadline: 300_000,
    since: 4,
  }),
  fs,
}
