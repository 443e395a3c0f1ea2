/** Who a member says to be; the room itself knows ids alone. */
export interface Person {
  readonly name: string
  /** Index of the palette. */
  readonly colour: number
}

/** A message of the playground, read; what is not one of its own is text of another app. */
export type Words = Readonly<Record<string, unknown>>

export const colours = ['Rust', 'Blue', 'Green', 'Violet', 'Rose', 'Teal', 'Ochre', 'Slate'] as const
export const longestName = 32

/** The words of a message. */
export function readWords(text: string): Words {
  try {
    const words: unknown = JSON.parse(text)
    if (typeof words === 'object' && words !== null && !Array.isArray(words)) return words as Words
  } catch {
    // Plain text, as other apps send it.
  }
  return { say: text }
}

/** Who the words say their sender is, or null. */
export function personIn({ name, colour }: Words): Person | null {
  const clean = cleanName(name)
  if (clean === '') return null
  return { name: clean, colour: typeof colour === 'number' && Number.isInteger(colour) && colour >= 0 && colour < colours.length ? colour : 0 }
}

/** A name as it may be shown: one line, no characters that turn the direction of what follows. */
export const cleanName = (name: unknown): string =>
  typeof name === 'string'
    ? lettersOf(name.replaceAll(/[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ').trim())
        .slice(0, longestName)
        .join('')
    : ''

/** The letters of a text as people count them. */
export const lettersOf = (text: string): string[] => Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)

/** Somebody who has not said a name. */
export const stranger = (id: string): Person => ({ name: `Guest ${id.slice(0, 4)}`, colour: 7 })

/** The UTF-8 bytes a message may have where `limit` characters are allowed on the wire. */
export const bytesWithin = (limit: number): number => Math.max(0, Math.floor((limit * 3) / 4) - 108)
