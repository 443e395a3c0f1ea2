/** The part of Node's `url` that clients of servers use: the classes of the web platform, and the older `parse` told by them. */
const { URL, URLSearchParams } = globalThis
export { URL, URLSearchParams }

/** A url as `parse` tells it; what it does not have is `null`. */
export interface ParsedUrl {
  readonly href: string
  readonly protocol: string | null
  readonly slashes: boolean | null
  readonly auth: string | null
  readonly host: string | null
  readonly port: string | null
  readonly hostname: string | null
  readonly hash: string | null
  readonly search: string | null
  readonly query: string | Record<string, string> | null
  readonly pathname: string | null
  readonly path: string | null
}

const orNull = (text: string): string | null => (text === '' ? null : text)
const base = 'none://none'

/** The parts of a url, or of a path with a query; with `asQuery` the query by name. */
export function parse(text: string, asQuery = false): ParsedUrl {
  const isWhole = URL.canParse(text)
  const { href, protocol, username, password, host, hostname, port, hash, search, searchParams, pathname } = new URL(text, isWhole ? undefined : base)
  const auth = `${decodeURIComponent(username)}${password === '' ? '' : `:${decodeURIComponent(password)}`}`
  return {
    href: isWhole ? href : href.slice(base.length),
    protocol: isWhole ? protocol : null,
    slashes: isWhole && href.startsWith(`${protocol}//`) ? true : null,
    auth: orNull(auth),
    host: isWhole ? host : null,
    port: orNull(port),
    hostname: isWhole ? hostname : null,
    hash: orNull(hash),
    search: orNull(search),
    query: asQuery ? Object.fromEntries(searchParams) : orNull(search.slice(1)),
    pathname: orNull(pathname),
    path: orNull(`${pathname}${search}`),
  }
}

/** The text of a url. */
export const format = (url: URL | { readonly href: string }): string => url.href
/** A reference as seen from a url. */
export const resolve = (from: string, to: string): string => new URL(to, from).href

/** A host name as it goes over the wire; empty for what is none. */
export const domainToASCII = (domain: string): string => (URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : '')

export * as default from './url.ts'
