import { mustBeString, nodeError, outOfRange, wrongType } from './errors.ts'
import { mustBeBoolean, mustBeInteger, validateHeaderName } from './http-checks.ts'
import type { RequestOptions, ResponseListener } from './http-client.ts'

/** The forms of `request`: a url, options, or both. */
export type RequestArguments<O extends RequestOptions = RequestOptions> =
  | [url: string | URL, listener?: ResponseListener]
  | [options: O, listener?: ResponseListener]
  | [url: string | URL, options: O, listener?: ResponseListener]

/** Brings the forms into one. @throws ERR_INVALID_URL */
export function readRequest<O extends RequestOptions>(of: readonly unknown[]): { readonly options: O; readonly listener: ResponseListener | undefined } {
  const [first, second] = of
  const listener = of.slice(0, 3).find((value): value is ResponseListener => typeof value === 'function')
  const parts = typeof first === 'string' ? partsOf(urlOf(first)) : isUrl(first) ? partsOf(first) : undefined
  const given = parts === undefined ? first : second
  return { options: { ...parts, ...(typeof given === 'object' ? given : {}) } as O, listener }
}

// Urls of another realm are urls as well.
function isUrl(value: unknown): value is URL {
  const { href, protocol, auth, path } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  return Boolean(href) && Boolean(protocol) && auth === undefined && path === undefined
}

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw Object.assign(nodeError('ERR_INVALID_URL', 'Invalid URL', TypeError), { input: text })
  return new URL(text)
}

const partsOf = ({ href, protocol, hostname, port, pathname, search, hash, username, password, ...own }: URL): RequestOptions => ({
  ...own,
  ...{ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), hash, search, pathname, path: `${pathname}${search}`, href },
  ...(port === '' ? {} : { port: Number(port) }),
  ...(username === '' && password === '' ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
})

const mostOfTimer = 2 ** 31 - 1

/** Milliseconds of a timer. @throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE */
export function durationOf(value: unknown, name: string): number {
  if (typeof value !== 'number') throw wrongType(name, 'of type number', value)
  if (value < 0 || !Number.isFinite(value)) throw outOfRange(name, 'a non-negative finite number', value)
  return Math.min(value, mostOfTimer)
}

/** The method of a request. @throws ERR_INVALID_ARG_TYPE, ERR_INVALID_HTTP_TOKEN */
export function methodOf(method: unknown): string {
  if (method === undefined || method === null || method === '') return 'GET'
  mustBeString('options.method', method)
  validateHeaderName(method, 'Method')
  return method.toUpperCase()
}

/** The path of a request. @throws ERR_UNESCAPED_CHARACTERS */
export function pathOf(path: RequestOptions['path']): string {
  const text = String(path || '/')
  if (/[^\x21-\xff]/.test(text)) throw nodeError('ERR_UNESCAPED_CHARACTERS', 'Request path contains unescaped characters', TypeError)
  return text
}

/** A host, where one is named. @throws ERR_INVALID_ARG_TYPE */
export function hostOf(host: unknown, name: 'host' | 'hostname'): string | undefined {
  if (host !== null && host !== undefined && typeof host !== 'string') throw wrongType(`options.${name}`, 'of type string or one of undefined or null', host)
  return host || undefined
}

/** A host as `Host` names it: IPv6 in brackets, the port where it is not the usual one. */
export function namedHost(host: string, port: number | string, usual: number | string | undefined): string {
  const name = /^[^[].*:.*:|^:.*:/.test(host) ? `[${host}]` : host
  return Number(port) === Number(usual) ? name : `${name}:${port}`
}

/** @throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE for what the reader of the answer cannot follow */
export function checkReading({ maxHeaderSize, insecureHTTPParser, joinDuplicateHeaders }: RequestOptions): void {
  if (maxHeaderSize !== undefined) mustBeInteger('maxHeaderSize', maxHeaderSize, 0)
  if (insecureHTTPParser !== undefined) mustBeBoolean('options.insecureHTTPParser', insecureHTTPParser)
  if (joinDuplicateHeaders !== undefined) mustBeBoolean('options.joinDuplicateHeaders', joinDuplicateHeaders)
}
