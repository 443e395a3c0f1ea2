import { fetchValues, learn, readApart, reaches } from '@deputy/channel'
import {
  cloud,
  quota as quotaCall,
  tunnelRefusals,
  type AddressLookupResult,
  type DnsLookupOptions,
  type ProxyFetchInit,
  type Quota,
  type ResponseApart,
  type TunnelErrorCode,
} from '@deputy/contract/cloud'
import { relay } from '@deputy/contract/prompts'
import { isRefusal } from '@deputy/contract/refusals'
import type { Fail, Sent } from '@deputy/contract/shape'
import { further } from './further.ts'

export type { AddressLookupResult, DnsLookupOptions, ProxyFetchInit, Quota, TunnelErrorCode } from '@deputy/contract/cloud'

/** A refused call of the tunnel. Branch on `code`, never on the message. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError'
  readonly code: TunnelErrorCode
  constructor(code: TunnelErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

const tree = further({ cloud: { dns: cloud.dns, fetch: cloud.fetch, fetchApart: cloud.fetchApart }, quota: quotaCall, relay })

/** The answer without its refusals. @throws {TunnelError} */
function granted<T>(answer: T): Exclude<T, Fail> {
  if (isRefusal(answer)) throw new TunnelError(answer.error as TunnelErrorCode, answer.message)
  return answer as Exclude<T, Fail>
}

/** A member the broker serves. @throws {TunnelError} `unavailable` where it is too old to serve it (VER-2). */
function there<T>(member: T | undefined): T {
  if (member !== undefined) return member
  throw new TunnelError('unavailable', `${tunnelRefusals.unavailable.message}: this broker does not serve it`)
}

type WireInit = Sent<typeof cloud.fetch.args extends readonly [unknown, infer Init] ? Init : never>

/** The init in what crosses: headers as pairs, a body as bytes or as a stream, and its content type where the platform would name one. */
async function crossing(input: string | URL | Request, { body = null, headers, signal, spread, ...rest }: ProxyFetchInit): Promise<WireInit> {
  const plain = body === null || typeof body === 'string' || body instanceof Blob || body instanceof ReadableStream
  const read = plain ? null : new Response(body as BodyInit)
  const type = read?.headers.get('content-type') ?? null
  let pairs = headers === undefined ? undefined : Array.isArray(headers) ? headers : [...new Headers(headers)]
  if (type !== null) {
    pairs ??= input instanceof Request ? [...input.headers] : []
    if (!pairs.some(([name]) => name.toLowerCase() === 'content-type')) pairs = [...pairs, ['content-type', type]]
  }
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name, value]) => value !== undefined && name !== 'window')),
    ...(body === null ? {} : { body: read === null ? body : new Uint8Array(await read.arrayBuffer()) }),
    ...(pairs === undefined ? {} : { headers: pairs }),
    ...(spread === undefined ? {} : { spread }),
    signal: signal ?? (input instanceof Request ? input.signal : null),
  } as WireInit
}

/**
 * Fetches any http or https url through the tunnel (NET-1), as the platform's fetch does where it can; `spread` lets the request take any healthy node
 * (NET-3). @throws {TunnelError} and, once the signal fires, its reason.
 */
export async function fetch(input: string | URL | Request, init: ProxyFetchInit = {}): Promise<Response> {
  learn(fetchValues)
  const wire = await crossing(input, init)
  const { signal } = wire
  signal?.throwIfAborted()
  const served = (await tree()).cloud
  const answer = await (served?.fetchApart ?? there(served?.fetch))(input, wire)
  if (isRefusal(answer) && answer.error === 'aborted') signal?.throwIfAborted()
  const found = granted(answer)
  if (found instanceof Response) return found
  const { url, redirected, status, statusText, headers } = found.response
  const response = new Response(await bodyOf(found), { status, statusText, headers })
  return Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } })
}

/** The platform's own, as it was before anybody put another in its place. */
const load = globalThis.fetch
/** Which nodes this realm can talk to, found out once for each. */
const near = new Map<string, Promise<boolean>>()

/** A long body, read from the node by this realm, or by the broker where this one cannot. */
async function bodyOf(apart: ResponseApart): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { from } = apart
  if (!near.has(from)) near.set(from, reaches(load, from))
  if ((await near.get(from)) === false) return apart.read()
  const body = await readApart(apart, load)
  if (body !== undefined) return body
  // Asked anew before the next one: it may have been the ticket, or the moment.
  near.delete(from)
  return apart.read()
}

/** Resolves a name at the node (NET-4): one address or none, or a list with `all`. @throws {TunnelError} */
async function lookup(host: string, options: DnsLookupOptions & { readonly all: true }): Promise<AddressLookupResult[]>
async function lookup(host: string, options?: DnsLookupOptions & { readonly all?: false | undefined }): Promise<AddressLookupResult | undefined>
async function lookup(host: string, options: DnsLookupOptions = {}): Promise<AddressLookupResult[] | AddressLookupResult | undefined> {
  return granted(await there((await tree()).cloud?.dns.lookup)(host, options)) as AddressLookupResult[] | AddressLookupResult | undefined
}
export const dns = { lookup }

/** What the account may use of the tunnel and has used today (NET-11). Where nothing limits, a limit is the largest safe whole number. */
export async function quota(): Promise<Quota> {
  return there((await tree()).quota)()
}

/** Lets the person choose the node (PRM-2): its id, or null where they chose none. */
export async function promptRelay(): Promise<string | null> {
  return (await there((await tree()).relay).prompt()) || null
}
