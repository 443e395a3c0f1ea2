import { isIP } from './address.ts'
import { BlockList } from './block-list.ts'
import { readLookup } from './dns-lookup.ts'
import { mustBeFunction, mustBeNumber, mustBeString, nodeError, outOfRange, portOf, unsupported, wrongType, wrongValue } from './errors.ts'
import type { LookupFunction } from './lookup.ts'
import type { SocketHandle } from './tcp-handle.ts'

/** How a socket behaves from its beginning. */
export interface SocketOptions {
  readonly allowHalfOpen?: boolean | undefined
  readonly highWaterMark?: number | undefined
  readonly readableHighWaterMark?: number | undefined
  readonly writableHighWaterMark?: number | undefined
  readonly readable?: boolean | undefined
  readonly writable?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly noDelay?: boolean | undefined
  readonly keepAlive?: boolean | undefined
  readonly keepAliveInitialDelay?: number | undefined
  readonly blockList?: BlockList | undefined
  /** Where bytes are put instead of being told by `data`. */
  readonly onread?: OnRead | undefined
  /** What another socket holds of its connection, or what stands for it. */
  readonly handle?: SocketHandle | null | undefined
  /** Not offered: ENOTSUP. */
  readonly fd?: number | undefined
}

/** Takes what arrives in buffers of the app's own; `callback` answers `false` to have no more until the socket is resumed. */
export interface OnRead {
  readonly buffer: Uint8Array | (() => Uint8Array)
  callback(bytes: number, buffer: Uint8Array): boolean | void
}

/** Where a socket connects to. */
export interface ConnectOptions extends SocketOptions {
  readonly port?: number | string | undefined
  readonly host?: string | undefined
  readonly path?: string | null | undefined
  readonly family?: number | 'IPv4' | 'IPv6' | undefined
  readonly hints?: number | undefined
  readonly lookup?: LookupFunction | undefined
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  /** Whether the addresses of a name are tried one after the other; as the default of the module says. */
  readonly autoSelectFamily?: boolean | undefined
  /** Milliseconds an address has before the next one is tried. */
  readonly autoSelectFamilyAttemptTimeout?: number | undefined
  /** Milliseconds of silence after which the socket emits `timeout`. */
  readonly timeout?: number | undefined
}

/** The three forms of `connect`: options, a path, a port with a host. */
export type ConnectArguments =
  | [options: ConnectOptions, listener?: () => void]
  | [path: string, listener?: () => void]
  | [port: number | string, listener?: () => void]
  | [port: number | string, host?: string, listener?: () => void]

/** Brings the forms of `connect` and `listen` into one: options, and who is told. */
export function normalizeArgs<O extends object>(of: readonly unknown[]): [options: O, listener: (() => void) | null] {
  const [first, second] = of
  const last = of.at(-1)
  const isPath = typeof first === 'string' && !(Number(first) >= 0)
  const options =
    typeof first === 'object' && first !== null ? first : isPath ? { path: first } : { port: first, ...(typeof second === 'string' ? { host: second } : {}) }
  return [(of.length === 0 ? {} : options) as O, typeof last === 'function' ? (last as () => void) : null]
}

/** Checks what a socket is made with. @throws ERR_INVALID_ARG_VALUE, ERR_INVALID_ARG_TYPE, ENOTSUP */
export function checkSocket(options: SocketOptions): void {
  const { fd, keepAliveInitialDelay, blockList } = options
  for (const mode of ['objectMode', 'readableObjectMode', 'writableObjectMode']) {
    const value = (options as Record<string, unknown>)[mode]
    if (value) throw wrongValue(`options.${mode}`, value, 'is not supported')
  }
  if (keepAliveInitialDelay !== undefined) mustBeNumber('options.keepAliveInitialDelay', keepAliveInitialDelay)
  checkBlockList(blockList)
  checkSignal(options.signal)
  if (fd === undefined) return
  mustBeNumber('options.fd', fd, 0, 2 ** 31 - 1)
  throw unsupported('open')
}

/** @throws ERR_INVALID_ARG_TYPE unless it is a list, or none */
export function checkBlockList(list: unknown): void {
  if (list && !BlockList.isBlockList(list)) throw wrongType('options.blockList', 'an instance of net.BlockList', list)
}

/** @throws ERR_INVALID_ARG_TYPE unless it is a signal, or none */
export function checkSignal(signal: unknown): void {
  if (signal !== undefined && (typeof signal !== 'object' || signal === null || !('aborted' in signal)))
    throw wrongType('options.signal', 'an instance of AbortSignal', signal)
}

/** Where to connect: a path, or a host and a port. */
export interface Target {
  readonly path?: string
  readonly host: string
  readonly port: number
  /** Milliseconds for each address of several; undefined where only one is tried. */
  readonly each: number | undefined
}

const usual = { isSelecting: true, each: 250 }
/** Whether the addresses of a name are tried one after the other where the options do not say. */
export const getDefaultAutoSelectFamily = (): boolean => usual.isSelecting
/** @throws ERR_INVALID_ARG_TYPE */
export const setDefaultAutoSelectFamily = (on: boolean): void => void (usual.isSelecting = mustBeBoolean('value', on))
export const getDefaultAutoSelectFamilyAttemptTimeout = (): number => usual.each
/** @throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE */
export const setDefaultAutoSelectFamilyAttemptTimeout = (milliseconds: number): void => void (usual.each = attemptTimeout('value', milliseconds))

function mustBeBoolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw wrongType(name, 'of type boolean', value)
  return value
}

function attemptTimeout(name: string, value: unknown): number {
  if (typeof value === 'number' && !Number.isInteger(value)) throw outOfRange(name, 'an integer', value)
  mustBeNumber(name, value, 1, 2 ** 31 - 1)
  return Math.max(10, value)
}

/** Where to connect, checked as Node checks it. @throws ERR_MISSING_ARGS, ERR_SOCKET_BAD_PORT, ERR_INVALID_ARG_TYPE and the like */
export function readTarget(options: ConnectOptions): Target {
  const { port, host, path, lookup, localAddress, localPort, family, autoSelectFamily, autoSelectFamilyAttemptTimeout: each } = options
  if (port === undefined && (path === undefined || path === null)) {
    throw nodeError('ERR_MISSING_ARGS', 'The "options" or "port" or "path" argument must be specified', TypeError)
  }
  if (path) {
    mustBeString('options.path', path)
    return { path, host: '', port: 0, each: undefined }
  }
  if (host !== undefined && host !== null) mustBeString('options.host', host)
  if (localAddress && isIP(localAddress) === 0) throw nodeError('ERR_INVALID_IP_ADDRESS', `Invalid IP address: ${String(localAddress)}`, TypeError)
  if (localPort) mustBeNumber('options.localPort', localPort)
  if (port !== undefined && typeof port !== 'number' && typeof port !== 'string') throw wrongType('options.port', 'one of type number or string', port)
  const isSelecting =
    autoSelectFamily === undefined || autoSelectFamily === null ? usual.isSelecting : mustBeBoolean('options.autoSelectFamily', autoSelectFamily)
  const wait = each === undefined || each === null ? usual.each : attemptTimeout('options.autoSelectFamilyAttemptTimeout', each)
  const target = { host: host || 'localhost', port: port === undefined ? 0 : portOf(port), each: undefined }
  if (isIP(target.host) !== 0) return target
  if (lookup !== undefined && lookup !== null) mustBeFunction('options.lookup', lookup)
  else readLookup(target.host, { family, hints: options.hints })
  return { ...target, each: isSelecting && familyOf(family) === undefined && !localAddress ? wait : undefined }
}

/** The one family that is asked for, if any. */
export const familyOf = (family: unknown): 4 | 6 | undefined => (family === 4 || family === 'IPv4' ? 4 : family === 6 || family === 'IPv6' ? 6 : undefined)
