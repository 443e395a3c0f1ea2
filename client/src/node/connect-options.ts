import type { LookupFunction } from './lookup.ts'
import { isIP } from './address.ts'
import { mustBeFunction, mustBeString, nodeError, portOf, unsupported, wrongType } from './errors.ts'
import type { BlockList } from './block-list.ts'

/** How a socket behaves from its beginning. */
export interface SocketOptions {
  readonly allowHalfOpen?: boolean | undefined
  readonly highWaterMark?: number | undefined
  readonly readable?: boolean | undefined
  readonly writable?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly noDelay?: boolean | undefined
  readonly keepAlive?: boolean | undefined
  readonly keepAliveInitialDelay?: number | undefined
  readonly blockList?: BlockList | undefined
  /** Not offered: ENOTSUP. */
  readonly onread?: unknown
}

/** Where a socket connects to. */
export interface ConnectOptions extends SocketOptions {
  readonly port?: number | string | undefined
  readonly host?: string | undefined
  readonly path?: string | undefined
  readonly family?: number | undefined
  readonly hints?: number | undefined
  readonly lookup?: LookupFunction | undefined
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  /** Milliseconds of silence after which the socket emits `timeout`. */
  readonly timeout?: number | undefined
}

/** The three forms of `connect`: options, a path, a port with a host. */
export type ConnectArguments =
  | [options: ConnectOptions, listener?: () => void]
  | [path: string, listener?: () => void]
  | [port: number | string, listener?: () => void]
  | [port: number | string, host?: string, listener?: () => void]

/** One form of them all. */
export interface Connect {
  readonly options: ConnectOptions
  readonly listener: (() => void) | undefined
}

const isDigits = (value: unknown): boolean => typeof value === 'string' && /^\d+$/.test(value.trim())

/** Brings the forms of `connect` into one. */
export function readConnect(of: readonly unknown[]): Connect {
  const last = of.at(-1)
  const listener = typeof last === 'function' ? (last as () => void) : undefined
  const [first, second] = of
  if (typeof first === 'object' && first !== null) return { options: first, listener }
  if (typeof first === 'string' && !isDigits(first)) return { options: { path: first }, listener }
  return { options: { port: first as number, ...(typeof second === 'string' ? { host: second } : {}) }, listener }
}

/** Where to connect, checked as Node checks it. */
export function readTarget(options: ConnectOptions): { readonly host: string; readonly port: number } {
  const { port, host, path, lookup, localAddress, localPort, family } = options
  if (path !== undefined) {
    mustBeString('options.path', path)
    throw unsupported('connect', path)
  }
  if (port === undefined) throw nodeError('ERR_MISSING_ARGS', 'The "options" or "port" or "path" argument must be specified', TypeError)
  if (typeof port !== 'number' && typeof port !== 'string') throw wrongType('options.port', 'of type number or string', port)
  if (host !== undefined && host !== null) mustBeString('options.host', host)
  if (lookup !== undefined) mustBeFunction('options.lookup', lookup)
  if (family !== undefined && typeof family !== 'number') throw wrongType('options.family', 'of type number', family)
  if (localAddress !== undefined && isIP(localAddress) === 0) {
    throw nodeError('ERR_INVALID_IP_ADDRESS', `Invalid IP address: ${String(localAddress)}`, TypeError)
  }
  if (localPort !== undefined && typeof localPort !== 'number') throw wrongType('options.localPort', 'of type number', localPort)
  return { host: host || 'localhost', port: portOf(port, 'Port') }
}
