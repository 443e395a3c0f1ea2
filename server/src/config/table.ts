import type { Key } from './keys.ts'
import { type Config, schema, variableOf } from './schema.ts'

/** One line of the table of effective values. */
export interface ConfigLine {
  readonly variable: string
  readonly key: string
  readonly value: string
  readonly fallback: string
  readonly kind: string
  readonly about: string
  /** Whether it differs from the default. */
  readonly changed: boolean
}

/** Every key with its effective value, secrets hidden. */
export function configTable(config: Config): ConfigLine[] {
  return Object.entries(schema).flatMap(([group, keys]) =>
    Object.entries<Key>(keys).map(([name, key]) => {
      const values: Readonly<Record<string, unknown>> = config[group as keyof Config]
      const value = key.show(values[name])
      const fallback = key.show(key.fallback)
      return { variable: variableOf(group, name), key: `${group}.${name}`, value, fallback, kind: key.kind, about: key.about, changed: value !== fallback }
    }),
  )
}
