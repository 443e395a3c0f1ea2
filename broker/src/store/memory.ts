import type { Store } from './store.ts'

/** A store that lives as long as the document. Values are cloned as a durable store would clone them. */
export function memoryStore(): Store {
  const values = new Map<string, unknown>()
  const write = (key: string, value: unknown): void => {
    if (value === undefined) values.delete(key)
    else values.set(key, structuredClone(value))
  }
  return {
    durable: false,
    get: async key => structuredClone(values.get(key)),
    set: async (key, value) => write(key, value),
    delete: async key => write(key, undefined),
    entries: async prefix =>
      [...values]
        .filter(([key]) => key.startsWith(prefix))
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]) => [key, structuredClone(value)] as const),
    update: async (key, change) => {
      write(key, change(structuredClone(values.get(key))))
      return structuredClone(values.get(key))
    },
  }
}
