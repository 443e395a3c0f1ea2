import { gathered } from './gathered.ts'
import type { Store } from './store.ts'

const table = 'values'

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('storage failed'))
  })

const done = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error ?? new Error('storage failed'))
  })

function open(name: string, onGone: () => void): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(table)
  return settled(request).then(database => {
    database.onclose = onGone
    // A newer build that changes the layout must not wait for this tab to close.
    database.onversionchange = () => {
      database.close()
      onGone()
    }
    return database
  })
}

interface Change {
  readonly key: string
  readonly change: (value: unknown) => unknown
}
type Outcome = { readonly value: unknown } | { readonly error: Error }

/** Makes the changes of one key in their order; one that throws changes nothing and hinders no other. */
async function replace(values: IDBObjectStore, key: string, changes: readonly Change[], outcomes: Map<Change, Outcome>): Promise<void> {
  let value: unknown = await settled(values.get(key))
  for (const change of changes) {
    try {
      const next = change.change(value)
      if (next === undefined) values.delete(key)
      else values.put(next, key)
      value = next
      outcomes.set(change, { value })
    } catch (error) {
      outcomes.set(change, { error: error instanceof Error ? error : new Error('storage failed', { cause: error }) })
    }
  }
}

/**
 * A store in IndexedDB, shared by the documents of one origin and partition.
 * @throws whatever the browser throws where it denies storage.
 */
export async function indexedDbStore(name: string): Promise<Store> {
  let opened: Promise<IDBDatabase> | undefined
  const database = (): Promise<IDBDatabase> => {
    const forget = (): void => {
      opened = undefined
    }
    if (opened === undefined) {
      opened = open(name, forget)
      opened.catch(forget)
    }
    return opened
  }
  const inside = async <T>(mode: IDBTransactionMode, work: (values: IDBObjectStore) => Promise<T>): Promise<T> => {
    const transaction = (await database()).transaction(table, mode)
    const finished = done(transaction)
    const [answer] = await Promise.all([work(transaction.objectStore(table)), finished])
    return answer
  }

  const read = gathered((keys: readonly string[]) => inside('readonly', values => Promise.all(keys.map(key => settled(values.get(key))))))
  const write = gathered((changes: readonly Change[]) =>
    inside('readwrite', async values => {
      const outcomes = new Map<Change, Outcome>()
      const byKey = Map.groupBy(changes, ({ key }) => key)
      await Promise.all([...byKey].map(([key, of]) => replace(values, key, of, outcomes)))
      return changes.map(change => outcomes.get(change))
    }),
  )
  // The newest change of a key on its way: whoever reads the key after asking for it sees it.
  const changing = new Map<string, Promise<unknown>>()
  const update: Store['update'] = async (key, change) => {
    const written = write({ key, change })
    changing.set(key, written)
    try {
      const outcome = await written
      if (outcome === undefined || 'error' in outcome) throw outcome?.error ?? new Error('storage failed')
      return outcome.value
    } finally {
      if (changing.get(key) === written) changing.delete(key)
    }
  }
  const get: Store['get'] = async key => {
    await changing.get(key)?.catch(() => undefined)
    return read(key)
  }

  await database()
  return {
    durable: true,
    get,
    set: async (key, value) => void (await update(key, () => value)),
    delete: async key => void (await update(key, () => undefined)),
    entries: async prefix => {
      await Promise.allSettled([...changing].filter(([key]) => key.startsWith(prefix)).map(([, written]) => written))
      return inside('readonly', async values => {
        const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`)
        const [keys, found] = await Promise.all([settled(values.getAllKeys(range)), settled(values.getAll(range))])
        return keys.map((key, index) => [key as string, found[index]] as const)
      })
    },
    update,
  }
}
