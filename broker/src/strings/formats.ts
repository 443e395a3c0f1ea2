import type { Formats } from './catalogue.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
const spans: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** The formats of a language. `now` is the clock of relative times. */
export function formatsOf(language: string, now: () => number = Date.now): Formats {
  const number = new Intl.NumberFormat(language)
  const plural = new Intl.PluralRules(language)
  const moments = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
  const times = new Intl.DateTimeFormat(language, { timeStyle: 'short' })
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const lists = new Intl.ListFormat(language, { type: 'conjunction' })
  return {
    language,
    count: (value, forms) => (forms[plural.select(value)] ?? forms.other).replace('#', number.format(value)),
    bytes: value => amount(language, value, 1024),
    size: value => amount(language, value, 1000),
    date: epochMs => dates.format(epochMs),
    time: epochMs => times.format(epochMs),
    moment: epochMs => moments.format(epochMs),
    ago: epochMs => {
      const passed = epochMs - now()
      const [unit, span] = spans.find(([, length]) => Math.abs(passed) >= length) ?? ['second', 1000]
      return unit === 'second' ? relative.format(0, 'second') : relative.format(Math.round(passed / span), unit)
    },
    list: items => lists.format(items),
  }
}

function amount(language: string, bytes: number, step: 1000 | 1024): string {
  let power = 0
  let left = bytes
  while (left >= step && power < units.length - 1) {
    left /= step
    power += 1
  }
  const maximumFractionDigits = power === 0 || left >= 100 ? 0 : 1
  // The short form of a byte has no plural in some languages.
  const unitDisplay = power === 0 ? 'long' : 'short'
  return new Intl.NumberFormat(language, { style: 'unit', unit: units[power] ?? 'byte', unitDisplay, maximumFractionDigits }).format(left)
}
