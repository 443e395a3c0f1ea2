import type { Catalogue, Formats } from './catalogue.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { formatsOf } from './formats.ts'

/** The languages there are. */
export const catalogues = { en, de } as const
/** One of them, as a BCP 47 tag. */
export type Language = keyof typeof catalogues

/** What a page speaks: its texts and how it writes numbers. */
export interface Speech {
  readonly language: Language
  readonly direction: 'ltr' | 'rtl'
  readonly text: Catalogue
  readonly formats: Formats
}

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur'])

/** The first of the wanted languages there is, English where there is none. */
export function chooseLanguage(wanted: readonly string[]): Language {
  const known = Object.keys(catalogues) as Language[]
  for (const tag of wanted) {
    const base = tag.toLowerCase().split('-')[0]
    const found = known.find(language => language === base)
    if (found !== undefined) return found
  }
  return 'en'
}

/** The speech of a language. */
export const speechOf = (language: Language): Speech => ({
  language,
  direction: rightToLeft.has(language) ? 'rtl' : 'ltr',
  text: catalogues[language],
  formats: formatsOf(language),
})

/**
 * The speech of this document: what its url's `lang` asks for, else the browser's languages. Sets `lang` and `dir` of the document,
 * which read everything to screen readers in the right voice.
 */
export function documentSpeech(page: Document, wanted: readonly string[] = navigator.languages): Speech {
  const asked = new URL(page.URL).searchParams.get('lang')
  const speech = speechOf(chooseLanguage(asked === null ? wanted : [asked, ...wanted]))
  page.documentElement.lang = speech.language
  page.documentElement.dir = speech.direction
  return speech
}
