const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A size for people: `3.4 MB`. */
export function bytes(count: number): string {
  const power = Math.min(units.length - 1, count < 1000 ? 0 : Math.floor(Math.log10(count) / 3))
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: units[power]!,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  }).format(count / 1000 ** power)
}

/** A moment for people, in their own format. */
export const moment = (epoch: number): string => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(epoch)

/** Bytes as rows of hex, 16 to a row. */
export function hex(data: Uint8Array): string {
  const cells = Array.from(data, byte => byte.toString(16).padStart(2, '0'))
  const rows = Array.from({ length: Math.ceil(cells.length / 16) }, (_, row) => cells.slice(row * 16, row * 16 + 16).join(' '))
  return rows.join('\n')
}

/** The hour and minute of a moment. */
export const clock = (epoch: number): string => new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }).format(epoch)

/** The day of a moment, as people say it: `Today`, `Yesterday`, or its date. */
export function day(epoch: number): string {
  const startOf = (moment: number): number => new Date(moment).setHours(0, 0, 0, 0)
  const ago = Math.round((startOf(Date.now()) - startOf(epoch)) / 86_400_000)
  if (ago === 0) return 'Today'
  if (ago === 1) return 'Yesterday'
  return new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(epoch)
}
