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

  const update: Store['update'] = (key, change) =>
    inside('readwrite', async values => {
      const next = change(await settled(values.get(key)))
      if (next === undefined) await settled(values.delete(key))
      else await settled(values.put(next, key))
      return next
    })

  await database()
  return {
    durable: true,
    get: key => inside('readonly', values => settled(values.get(key))),
    set: async (key, value) => void (await update(key, () => value)),
    delete: async key => void (await update(key, () => undefined)),
    entries: prefix =>
      inside('readonly', async values => {
        const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`)
        const [keys, found] = await Promise.all([settled(values.getAllKeys(range)), settled(values.getAll(range))])
        return keys.map((key, index) => [key as string, found[index]] as const)
      }),
    update,
  }
}
