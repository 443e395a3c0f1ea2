/** How well a passphrase stands up to guessing: `short` ones are not taken. */
export type Strength = 'short' | 'weak' | 'fair' | 'strong'

/** Fewest characters of a passphrase. */
export const shortestPassphrase = 10

const variety = (text: string): number => new Set(text.toLowerCase()).size

/** A plain hint by length and variety; it knows no dictionary, and the text beside it says what makes a good one. */
export function strengthOf(text: string): Strength {
  const { length } = Array.from(text.normalize('NFC'))
  if (length < shortestPassphrase) return 'short'
  if (variety(text) < 6) return 'weak'
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}\s]/u, /\s/u].filter(kind => kind.test(text)).length
  const points = length + (kinds - 1) * 3
  return points < 16 ? 'weak' : points < 24 ? 'fair' : 'strong'
}
