import type { RequestOptions, ResponseListener } from './http-client.ts'

/** The forms of `request`: a url, options, or both. */
export type RequestArguments<O extends RequestOptions = RequestOptions> =
  | [url: string | URL, listener?: ResponseListener]
  | [options: O, listener?: ResponseListener]
  | [url: string | URL, options: O, listener?: ResponseListener]

/** Brings the forms into one. */
export function readRequest<O extends RequestOptions>(of: RequestArguments<O>): { readonly options: O; readonly listener: ResponseListener | undefined } {
  const listener = (of as readonly unknown[]).find((value): value is ResponseListener => typeof value === 'function')
  const [first, second] = of
  const parts = typeof first === 'string' ? partsOf(new URL(first)) : first instanceof URL ? partsOf(first) : first
  return { options: { ...parts, ...(typeof second === 'object' ? second : {}) } as O, listener }
}

const partsOf = ({ protocol, hostname, port, pathname, search, username, password }: URL): RequestOptions => ({
  ...{ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), path: `${pathname}${search}` },
  ...(port === '' ? {} : { port }),
  ...(username === '' && password === '' ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
})
