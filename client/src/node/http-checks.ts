import { mustBeNumber, nodeError, outOfRange, wrongType, type NodeError } from './errors.ts'

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const strict = /[^\t\x20-\x7e\x80-\xff]/
// eslint-disable-next-line no-control-regex
const lenient = /[\0\r\n]|[^\0-\xff]/

/** Whether it is one of HTTP's tokens: a method, a header's name. */
export const isToken = (text: unknown): text is string => typeof text === 'string' && token.test(text)
/** Whether a header's value would hold what ends it or cannot be sent; leniently, only that. */
export const hasInvalidChar = (text: unknown, isLenient = false): boolean => (isLenient ? lenient : strict).test(String(text))

/** @throws ERR_INVALID_HTTP_TOKEN */
export function validateHeaderName(name: unknown, label?: string): asserts name is string {
  if (!isToken(name)) throw nodeError('ERR_INVALID_HTTP_TOKEN', `${label || 'Header name'} must be a valid HTTP token ["${String(name)}"]`, TypeError)
}

/** @throws ERR_HTTP_INVALID_HEADER_VALUE, ERR_INVALID_CHAR */
export function validateHeaderValue(name: string, value: unknown, isLenient = false): void {
  if (value === undefined) throw nodeError('ERR_HTTP_INVALID_HEADER_VALUE', `Invalid value "undefined" for header "${name}"`, TypeError)
  if (hasInvalidChar(value, isLenient)) throw invalidChar('header content', name)
}

/** `ERR_INVALID_CHAR`. */
export const invalidChar = (what: string, name?: string): NodeError =>
  nodeError('ERR_INVALID_CHAR', `Invalid character in ${what}${name === undefined ? '' : ` ["${name}"]`}`, TypeError)

/** `ERR_HTTP_HEADERS_SENT`. */
export const headersSent = (action: string): NodeError => nodeError('ERR_HTTP_HEADERS_SENT', `Cannot ${action} headers after they are sent to the client`)

/** A whole number within bounds. @throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE */
export function mustBeInteger(name: string, value: unknown, least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER): asserts value is number {
  if (typeof value === 'number' && !Number.isInteger(value)) throw outOfRange(name, 'an integer', value)
  mustBeNumber(name, value, least, most)
}

/** @throws ERR_INVALID_ARG_TYPE unless it is true or false. */
export function mustBeBoolean(name: string, value: unknown): asserts value is boolean {
  if (typeof value !== 'boolean') throw wrongType(name, 'of type boolean', value)
}

/** @throws ERR_INVALID_ARG_TYPE unless it is an object, and no list. */
export function mustBeObject(name: string, value: unknown): asserts value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongType(name, 'of type object', value)
}

const link = /^(?:<[^>]*>)(?:\s*;\s*[^;"\s]+(?:=(?:(["])?[^;"\s]*\1)?)?)*$/
const linkFormat = 'must be an array or string of format "</styles.css>; rel=preload; as=style"'

/** One or several links as the header says them. @throws ERR_INVALID_ARG_VALUE */
export function linksOf(value: unknown): string {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  for (const one of all) {
    if (typeof one !== 'string' || !link.test(one)) {
      throw nodeError('ERR_INVALID_ARG_VALUE', `The argument 'hints' ${linkFormat}. Received ${typeof one === 'string' ? `'${one}'` : String(one)}`, TypeError)
    }
  }
  return all.join(', ')
}
