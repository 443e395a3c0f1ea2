import { parse, ShapeError } from '@deputy/contract/validate'
import type { Received, Shape } from '@deputy/contract/shape'

/** One configuration key: how its value is read, what it is when nobody says, and what it means. */
export interface Key<T = unknown> {
  readonly kind: string
  readonly fallback: T
  readonly about: string
  /** Never printed. Its environment variable may end in `_FILE` and name a file that holds the value. */
  readonly secret: boolean
  /** Reads a value from JSON or from the text of an environment variable. @throws {Error} saying what was expected. */
  read(value: unknown): T
  /** How the value is printed. */
  show(value: T): string
}

const key = <T>(kind: string, fallback: T, about: string, read: (value: unknown) => T, show: (value: T) => string = String): Key<T> => ({
  kind,
  fallback,
  about,
  secret: false,
  read,
  show,
})

const expected = (what: string): never => {
  throw new Error(`expected ${what}`)
}

/** Text. */
export const text = (fallback: string, about: string): Key<string> =>
  key(
    'text',
    fallback,
    about,
    value => (typeof value === 'string' ? value : expected('text')),
    value => value,
  )

/** Text that is never printed. */
export const secret = (about: string): Key<string> => ({ ...text('', about), kind: 'secret', secret: true, show: value => (value === '' ? '' : '(set)') })

/** A whole number within bounds. */
export const whole = (fallback: number, min: number, max: number, about: string): Key<number> =>
  key('whole number', fallback, about, value => {
    const read = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
    return typeof read === 'number' && Number.isSafeInteger(read) && read >= min && read <= max ? read : expected(`a whole number from ${min} to ${max}`)
  })

/** A number from 0 to 1. */
export const share = (fallback: number, about: string): Key<number> =>
  key('share', fallback, about, value => {
    const read = typeof value === 'string' && /^[\d.]+$/.test(value) ? Number(value) : value
    return typeof read === 'number' && read >= 0 && read <= 1 ? read : expected('a number from 0 to 1')
  })

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const durationText = (value: number): string => {
  const unit = (['d', 'h', 'm', 's'] as const).find(name => value > 0 && value % units[name] === 0) ?? 'ms'
  return `${value / units[unit]}${unit}`
}
/** A length of time such as `90s` or `30d`, read into milliseconds. */
export const duration = (fallback: string, about: string): Key<number> => {
  const read = (value: unknown): number => {
    const match = typeof value === 'string' ? /^(\d{1,9})(ms|s|m|h|d)$/.exec(value) : null
    return match === null ? expected('a length of time such as 90s, 15m or 30d') : Number(match[1]) * units[match[2] as keyof typeof units]
  }
  return key('length of time', read(fallback), about, read, durationText)
}

const sizes = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 } as const
const sizeText = (value: number): string => {
  const unit = (['TiB', 'GiB', 'MiB', 'KiB'] as const).find(name => value > 0 && value % sizes[name] === 0) ?? 'B'
  return `${value / sizes[unit]}${unit}`
}
/** A number of bytes such as `8MiB`. */
export const size = (fallback: string, about: string): Key<number> => {
  const read = (value: unknown): number => {
    const match = typeof value === 'string' ? /^(\d{1,9})(B|KiB|MiB|GiB|TiB)$/.exec(value) : null
    return match === null ? expected('a number of bytes such as 512KiB or 5GiB') : Number(match[1]) * sizes[match[2] as keyof typeof sizes]
  }
  return key('bytes', read(fallback), about, read, sizeText)
}

/** `true` or `false`. */
export const flag = (fallback: boolean, about: string): Key<boolean> =>
  key('true or false', fallback, about, value =>
    value === true || value === 'true' ? true : value === false || value === 'false' ? false : expected('true or false'),
  )

/** One of the listed words. */
export const word = <const W extends string>(words: readonly W[], fallback: NoInfer<W>, about: string): Key<W> =>
  key(words.join(' or '), fallback, about, value => words.find(item => item === value) ?? expected(`one of ${words.join(', ')}`))

/** A list of words; in the environment separated by commas. */
export const words = (fallback: readonly string[], about: string): Key<readonly string[]> =>
  key(
    'list',
    fallback,
    about,
    value => {
      const read: unknown = typeof value === 'string' ? value.split(',').map(item => item.trim()) : value
      return Array.isArray(read) && read.every(item => typeof item === 'string' && item !== '') ? (read as string[]) : expected('a list of words')
    },
    value => value.join(', '),
  )

/** An origin such as `https://broker.example`; empty when it is derived. */
export const origin = (about: string): Key<string> =>
  key('origin', '', about, value => {
    if (value === '') return ''
    return typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value
      ? value
      : expected('an origin such as https://broker.example, without a path')
  })

/** JSON of a shape; printed with what `hide` leaves of it. */
export const json = <S extends Shape>(of: S, fallback: Received<S>, about: string, hide: (value: Received<S>) => unknown): Key<Received<S>> =>
  key<Received<S>>(
    'JSON',
    fallback,
    about,
    value => {
      try {
        return parse(of, typeof value === 'string' ? JSON.parse(value) : value)
      } catch (error) {
        return error instanceof ShapeError ? expected(`JSON of another shape (${error.message})`) : expected('JSON')
      }
    },
    value => JSON.stringify(hide(value)),
  )
