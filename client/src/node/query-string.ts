/** The part of Node's `querystring` that clients of servers use. */

/** A query by name; a name that comes more than once has a list. */
export function parse(text: string): Record<string, string | string[]> {
  const found = Object.create(null) as Record<string, string | string[]>
  for (const [name, value] of new URLSearchParams(text)) {
    const before = found[name]
    found[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return found
}

/** The text of a query. */
export const stringify = (query: Readonly<Record<string, unknown>>): string =>
  Object.entries(query)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map(one => `${escape(name)}=${escape(textOf(one))}`))
    .join('&')

/** A text as it stands in a query. */
export const escape = (text: string): string => encodeURIComponent(text)
/** The text that stands in a query as this. */
export const unescape = (text: string): string => decodeURIComponent(text)

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '')

export * as default from './query-string.ts'
