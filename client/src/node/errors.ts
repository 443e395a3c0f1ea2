import type { Fail } from '@deputy/contract/shape'

/** An error as Node's network modules make it. */
export interface NodeError extends Error {
  code: string
  errno?: number
  syscall?: string
  address?: string
  port?: number
  hostname?: string
}

// Numbers of Linux, negated as libuv has them.
const numbers: Readonly<Record<string, number>> = {
  EACCES: -13,
  EADDRINUSE: -98,
  EADDRNOTAVAIL: -99,
  EBADF: -9,
  ECANCELED: -125,
  ECONNABORTED: -103,
  ECONNREFUSED: -111,
  ECONNRESET: -104,
  EDQUOT: -122,
  EHOSTUNREACH: -113,
  EINVAL: -22,
  EMSGSIZE: -90,
  ENETDOWN: -100,
  ENETUNREACH: -101,
  ENOENT: -2,
  ENOTFOUND: -3008,
  ENOTSUP: -95,
  EPIPE: -32,
  ETIMEDOUT: -110,
}
const told: Readonly<Record<string, string>> = {
  aborted: 'ECANCELED',
  denied: 'EACCES',
  invalid: 'EINVAL',
  quota: 'EDQUOT',
  timeout: 'ETIMEDOUT',
  unavailable: 'ENETDOWN',
}

/** Node's code of what the tunnel refused or a stream failed with. */
export function codeOf(of: unknown): string {
  const { error, code } = (typeof of === 'object' && of !== null ? of : {}) as { error?: unknown; code?: unknown }
  const said = typeof error === 'string' ? error : typeof code === 'string' ? code : 'ECONNRESET'
  return told[said] ?? said
}

/** What a failed system call is told as: code, number, call and where it went; `cause` is the tunnel's own word. */
export function systemError(
  syscall: string,
  of: Fail | Error | string,
  where: { readonly address?: string | undefined; readonly port?: number | undefined } = {},
): NodeError {
  const code = typeof of === 'string' ? of : codeOf(of)
  const { address, port } = where
  const place = address === undefined ? '' : port !== undefined && port > 0 ? ` ${address}:${port}` : ` ${address}`
  const error = Object.assign(new Error(`${syscall} ${code}${place}`, typeof of === 'string' ? {} : { cause: of }), {
    errno: numbers[code] ?? -1,
    code,
    syscall,
  }) as NodeError
  if (address !== undefined) error.address = address
  if (port !== undefined && port > 0) error.port = port
  return error
}

/** A name that could not be resolved. */
export function lookupError(hostname: string, of: Fail | Error | string = 'ENOTFOUND', syscall = 'getaddrinfo'): NodeError {
  const code = typeof of === 'string' ? of : codeOf(of)
  const error = Object.assign(new Error(`${syscall} ${code} ${hostname}`), { errno: numbers[code] ?? -1, code, syscall, hostname })
  return error
}

/** An error of Node's own table, by its code. */
export function nodeError(code: string, message: string, make: new (message: string) => Error = Error): NodeError {
  return Object.assign(new make(message), { code })
}

/** A value as Node's errors show it, as far as plain ones go. */
export function shown(value: unknown, isInner = false): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return String(value)
  if (isInner) return Array.isArray(value) ? '[Array]' : '[Object]'
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Array.isArray(value) ? value.map(one => shown(one, true)) : Object.entries(value).map(([name, one]) => `${name}: ${shown(one, true)}`)
  return parts.length === 0 ? `${open}${close}` : `${open} ${parts.join(', ')} ${close}`
}
const cut = (text: string, most: number, kept: number): string => (text.length > most ? `${text.slice(0, kept)}...` : text)
const received = (value: unknown): string => {
  if (value === null || value === undefined) return ` Received ${value}`
  if (typeof value === 'function') return ` Received function ${value.name}`
  if (typeof value === 'object') return value.constructor?.name ? ` Received an instance of ${value.constructor.name}` : ' Received [Object: null prototype] {}'
  return ` Received type ${typeof value} (${cut(shown(value), 28, 25)})`
}

/** `ERR_INVALID_ARG_TYPE`. */
export function wrongType(name: string, expected: string, value: unknown): NodeError {
  const what = name.includes('.') ? 'property' : 'argument'
  return nodeError('ERR_INVALID_ARG_TYPE', `The "${name}" ${what} must be ${expected}.${received(value)}`, TypeError)
}

/** `ERR_INVALID_ARG_VALUE`. */
export const wrongValue = (name: string, value: unknown, why = 'is invalid'): NodeError =>
  nodeError('ERR_INVALID_ARG_VALUE', `The ${name.includes('.') ? 'property' : 'argument'} '${name}' ${why}. Received ${cut(shown(value), 128, 128)}`, TypeError)

/** `ERR_OUT_OF_RANGE`. */
export const outOfRange = (name: string, range: string, value: unknown): NodeError =>
  nodeError('ERR_OUT_OF_RANGE', `The value of "${name}" is out of range. It must be ${range}. Received ${String(value)}`, RangeError)

/** `ERR_MISSING_ARGS`. */
export const missing = (words: string): NodeError => nodeError('ERR_MISSING_ARGS', `The ${words} must be specified`, TypeError)

/** What this backend does not do, told as an operating system tells it. */
export const unsupported = (syscall: string, address?: string): NodeError => systemError(syscall, 'ENOTSUP', { address })

/** @throws ERR_INVALID_ARG_TYPE unless it is a function. */
export function mustBeFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw wrongType(name, 'of type function', value)
}

/** @throws ERR_INVALID_ARG_TYPE unless it is a text. */
export function mustBeString(name: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw wrongType(name, 'of type string', value)
}

/** A number within bounds. @throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE */
export function mustBeNumber(name: string, value: unknown, least = -Infinity, most = Infinity): asserts value is number {
  if (typeof value !== 'number') throw wrongType(name, 'of type number', value)
  if (Number.isNaN(value) || value < least || value > most) throw outOfRange(name, `>= ${least} && <= ${most}`, value)
}

/** A whole number within bounds. @throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE */
export function mustBeInteger(name: string, value: unknown, least: number, most: number): asserts value is number {
  if (typeof value === 'number' && !Number.isInteger(value)) throw outOfRange(name, 'an integer', value)
  mustBeNumber(name, value, least, most)
}

/** A port, given as a number or as digits. @throws ERR_SOCKET_BAD_PORT */
export function portOf(value: unknown, name = 'Port', zero = true): number {
  const bad =
    (typeof value !== 'number' && typeof value !== 'string') ||
    (typeof value === 'string' && value.trim() === '') ||
    Number(value) !== Number(value) >>> 0 ||
    Number(value) > 65_535 ||
    (Number(value) === 0 && !zero)
  if (bad) throw nodeError('ERR_SOCKET_BAD_PORT', `${name} should be ${zero ? '>=' : '>'} 0 and < 65536.${received(value)}.`, RangeError)
  return Number(value)
}

/** What ends something when its signal fires. */
export const abortError = (signal: AbortSignal): NodeError =>
  Object.assign(new Error('The operation was aborted', { cause: signal.reason }), { name: 'AbortError', code: 'ABORT_ERR' })
