import { mustBeFunction, nodeError, outOfRange } from './errors.ts'
import { mustBeBoolean, mustBeInteger } from './http-checks.ts'
import type { IncomingMessage, IncomingSocket } from './http-incoming.ts'
import type { OutgoingOptions } from './http-outgoing.ts'
import type { Answered, ServerResponse } from './http-response.ts'
import type { ServerOptions } from './server.ts'

/** How a server of HTTP behaves; times in milliseconds, 0 for no limit. */
export interface HttpServerOptions extends ServerOptions {
  /** How long a connection stays between two requests. */
  readonly keepAliveTimeout?: number | undefined
  /** How much longer it stays than is told to the client. */
  readonly keepAliveTimeoutBuffer?: number | undefined
  /** How long a head may take. */
  readonly headersTimeout?: number | undefined
  /** How long a whole request may take. */
  readonly requestTimeout?: number | undefined
  /** How often both are looked at. */
  readonly connectionsCheckingInterval?: number | undefined
  readonly requireHostHeader?: boolean | undefined
  readonly joinDuplicateHeaders?: boolean | undefined
  readonly rejectNonStandardBodyWrites?: boolean | undefined
  readonly maxHeaderSize?: number | undefined
  /** Takes messages that two readers may read in two ways. */
  readonly insecureHTTPParser?: boolean | undefined
  readonly httpValidation?: 'strict' | 'relaxed' | 'insecure' | undefined
  readonly uniqueHeaders?: readonly (string | readonly string[])[] | undefined
  readonly shouldUpgradeCallback?: ((request: IncomingMessage) => boolean) | undefined
  readonly optimizeEmptyRequests?: boolean | undefined
  readonly IncomingMessage?: (new (socket?: IncomingSocket) => IncomingMessage) | undefined
  readonly ServerResponse?: (new (request: Answered, options?: OutgoingOptions) => ServerResponse) | undefined
}

const validations: readonly unknown[] = ['strict', 'relaxed', 'insecure']

/** The options that a server keeps, with those that were not said. @throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE */
export function readServerOptions(of: HttpServerOptions) {
  const number = (name: keyof HttpServerOptions, usual: number): number => {
    const value = of[name]
    if (value === undefined) return usual
    mustBeInteger(name, value, 0)
    return value
  }
  const flag = <T extends boolean | undefined>(name: keyof HttpServerOptions, usual: T): boolean | T => {
    const value = of[name]
    if (value === undefined) return usual
    mustBeBoolean(`options.${name}`, value)
    return value
  }
  const maxHeaderSize = of.maxHeaderSize === undefined ? undefined : number('maxHeaderSize', 0)
  const insecureHTTPParser = flag('insecureHTTPParser', undefined)
  const { httpValidation, shouldUpgradeCallback } = of
  if (httpValidation !== undefined && !validations.includes(httpValidation)) {
    const said = typeof httpValidation === 'string' ? `'${String(httpValidation)}'` : String(httpValidation)
    throw nodeError(
      'ERR_INVALID_ARG_VALUE',
      `The property 'options.httpValidation' must be one of: 'strict', 'relaxed', 'insecure'. Received ${said}`,
      TypeError,
    )
  }
  const requestTimeout = number('requestTimeout', 300_000)
  const headersTimeout = number('headersTimeout', Math.min(60_000, requestTimeout))
  if (requestTimeout > 0 && headersTimeout > requestTimeout) throw outOfRange('headersTimeout', '<= requestTimeout', of.headersTimeout)
  const kept = {
    ...{ maxHeaderSize, insecureHTTPParser, httpValidation, requestTimeout, headersTimeout },
    keepAliveTimeout: number('keepAliveTimeout', 5000),
    keepAliveTimeoutBuffer: number('keepAliveTimeoutBuffer', 1000),
    connectionsCheckingInterval: number('connectionsCheckingInterval', 30_000),
    requireHostHeader: flag('requireHostHeader', true),
    joinDuplicateHeaders: flag('joinDuplicateHeaders', undefined),
    rejectNonStandardBodyWrites: flag('rejectNonStandardBodyWrites', false),
  }
  if (shouldUpgradeCallback !== undefined) mustBeFunction('options.shouldUpgradeCallback', shouldUpgradeCallback)
  return { ...kept, optimizeEmptyRequests: flag('optimizeEmptyRequests', false) }
}

/** The names of `uniqueHeaders`, in lower case. */
export function uniqueNames(names: unknown): ReadonlySet<string> | null {
  return Array.isArray(names) ? new Set((names as unknown[]).map(name => (Array.isArray(name) ? name.join('; ') : String(name)).toLowerCase())) : null
}
