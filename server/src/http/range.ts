/** Part of an object to send, `end` exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Reads a Range header for something of `size` bytes: the one range asked for, `unsatisfiable` when it lies outside, or null to
 * send the whole, as the standard allows for what is malformed, of another unit, or asks for several ranges.
 */
export function readRange(header: string | undefined, size: number): Span | 'unsatisfiable' | null {
  const match = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '')
  if (match === null) return null
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return null
  if (first === '') {
    const count = Math.min(Number(last), size)
    return count === 0 ? 'unsatisfiable' : { start: size - count, end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}
