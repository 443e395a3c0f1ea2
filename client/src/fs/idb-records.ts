import { FsError } from './errors.ts'
import { removeStale } from './private-files.ts'
import type { FileRecord, Records } from './records.ts'

/** Bytes from which on a content is a file of the private file system, where there is one. */
const LARGE = 2 ** 18
const LARGE_PREFIX = 'file:'

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('indexedDB'))
  })

function opened(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => {
    request.result.createObjectStore('records')
    request.result.createObjectStore('contents')
    request.result.createObjectStore('values')
  }
  return done(request)
}

/** A view takes the whole buffer behind it along. */
const alone = (bytes: Uint8Array<ArrayBuffer>) => (bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice())

const translated = (error: unknown): unknown => {
  if (!(error instanceof DOMException)) return error
  if (error.name === 'QuotaExceededError') return new FsError('ENOSPC', {}, { cause: error, deputyCode: 'QUOTA' })
  return new FsError('UNAVAILABLE', {}, { cause: error })
}

/**
 * Records in IndexedDB, flushed to the disk before a commit resolves. Large contents are files in `files` where it is given: written before the commit that names them, removed
 * after the commit that drops them.
 */
export function idbRecords(name: string, files?: () => Promise<FileSystemDirectoryHandle | undefined>): Records {
  let database: Promise<IDBDatabase> | undefined
  const open = (): Promise<IDBDatabase> =>
    (database ??= opened(name).then(
      made => {
        // A browser that clears the site closes it, and the next call opens it anew.
        made.onclose = () => (database = undefined)
        return made
      },
      (error: unknown) => {
        database = undefined
        throw translated(error)
      },
    ))
  let folder: Promise<FileSystemDirectoryHandle | undefined> | undefined
  const folderOf = () => (folder ??= files?.() ?? Promise.resolve(undefined))
  const read = async <T>(store: string, run: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
    try {
      return await done(run((await open()).transaction(store).objectStore(store)))
    } catch (error) {
      throw translated(error)
    }
  }
  const forget = async (keys: readonly string[]): Promise<void> => {
    const handle = keys.length > 0 ? await folderOf() : undefined
    // What stays behind is swept later.
    for (const key of keys) await handle?.removeEntry(key.slice(LARGE_PREFIX.length)).catch(() => undefined)
  }
  /** Runs in one transaction; `run` answers the keys of contents that are to go. */
  const write = async (run: (stores: (name: string) => IDBObjectStore) => Promise<readonly string[]>): Promise<void> => {
    const transaction = (await open()).transaction(['records', 'contents', 'values'], 'readwrite', { durability: 'strict' })
    const committed = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error ?? new DOMException('aborted', 'AbortError'))
    })
    committed.catch(() => undefined)
    let dropped: readonly string[]
    try {
      dropped = await run(store => transaction.objectStore(store))
      for (const key of dropped) if (!key.startsWith(LARGE_PREFIX)) transaction.objectStore('contents').delete(key)
      transaction.commit()
    } catch (error) {
      try {
        transaction.abort()
      } catch {
        // It has aborted by itself.
      }
      throw translated(error)
    }
    await committed.catch((error: unknown) => {
      throw translated(error)
    })
    await forget(dropped.filter(key => key.startsWith(LARGE_PREFIX)))
  }
  const within = (space: string) => IDBKeyRange.bound([space], [space, []])

  return {
    load: space => read('records', store => store.getAll(within(space)) as IDBRequest<FileRecord[]>),
    get: (space, path) => read('records', store => store.get([space, path]) as IDBRequest<FileRecord | undefined>),
    commit: async (space, edits, values = []) => {
      const large = new Map<string, string>()
      for (const { content } of edits) {
        if (content === undefined || content.bytes.length < LARGE) continue
        const handle = await folderOf()
        if (handle === undefined) continue
        try {
          const file = await handle.getFileHandle(content.key, { create: true })
          const writable = await file.createWritable()
          await writable.write(content.bytes)
          await writable.close()
        } catch (error) {
          throw translated(error)
        }
        large.set(content.key, LARGE_PREFIX + content.key)
      }
      const results: (FileRecord | undefined)[] = []
      await write(async stores => {
        const dropped: string[] = []
        for (const { path, make, content } of edits) {
          const stored = await done(stores('records').get([space, path]) as IDBRequest<FileRecord | undefined>)
          const made = make(stored)
          if (made === undefined) {
            results.push(stored)
            continue
          }
          const next = made === null ? undefined : { ...made, content: large.get(made.content ?? '') ?? made.content }
          if (next === undefined) stores('records').delete([space, path])
          else {
            stores('records').put(next, [space, path])
            if (content !== undefined && next.content === content.key) stores('contents').put(alone(content.bytes), content.key)
          }
          if (stored?.content != null && stored.content !== next?.content) dropped.push(stored.content)
          results.push(next)
        }
        for (const [key, value] of values) stores('values').put(value, key)
        const kept = new Set(results.map(record => record?.content))
        return dropped.filter(key => !kept.has(key))
      })
      return results
    },
    content: async (key, start, end) => {
      if (!key.startsWith(LARGE_PREFIX)) {
        const bytes = await read('contents', store => store.get(key) as IDBRequest<Uint8Array<ArrayBuffer> | undefined>)
        return start === undefined ? bytes : bytes?.slice(start, end)
      }
      try {
        const handle = await (await folderOf())?.getFileHandle(key.slice(LARGE_PREFIX.length))
        const file = await handle?.getFile()
        return file && new Uint8Array(await (start === undefined ? file : file.slice(start, end)).arrayBuffer())
      } catch (error) {
        if (error instanceof DOMException && ['NotFoundError', 'NotReadableError'].includes(error.name)) return undefined
        throw translated(error)
      }
    },
    sweep: async () => {
      const handle = await folderOf()
      if (handle === undefined) return
      const records = await read('records', store => store.getAll() as IDBRequest<FileRecord[]>)
      const named = new Set(records.map(({ content }) => content))
      for await (const key of handle.keys()) {
        if (!named.has(LARGE_PREFIX + key)) await removeStale(handle, key)
      }
    },
    value: key => read('values', store => store.get(key) as IDBRequest<unknown>),
    setValue: (key, value) =>
      write(async stores => {
        stores('values').put(value, key)
        return []
      }),
  }
}
