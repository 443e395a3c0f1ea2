import { FsError, isCode } from './fs/errors.ts'
import type { FileSystem } from './fs/file-system.ts'
import { promises } from './fs.ts'

/** A value with the name of its state, for `set` with `base`. */
export interface Versioned<T> {
  readonly value: T
  readonly version: string
}

/** Values by key, each a file of JSON; they stand in the account like any other file. */
export interface Store<T> {
  /** The value of a key, `undefined` where there is none. */
  get(key: string): Promise<T | undefined>
  /** The value with its version. */
  entry(key: string): Promise<Versioned<T> | undefined>
  /** With `base` only on top of that version, `null` only where there is nothing; else it is refused `CONFLICT`. */
  set(key: string, value: T, options?: { readonly base?: string | null | undefined }): Promise<void>
  /** Removes a key; `false` when there was none. */
  delete(key: string): Promise<boolean>
  /** The keys there are, in order. */
  list(): Promise<string[]>
  /** Every key with its value. */
  all(): Promise<readonly (readonly [key: string, value: T])[]>
  /** Keys whose values change, here, in other tabs and on other devices, until the signal fires. */
  watch(options?: { readonly signal?: AbortSignal | undefined }): AsyncGenerator<string, void>
}

const END = '.json'

/**
 * The key-value store of a name, local first like the files it is made of: `store<Note>('notes')`. Values are what JSON can say.
 * @throws {FsError} in every call.
 */
export function store<T>(name: string, files: FileSystem = promises): Store<T> {
  const folder = `store/${encodeURIComponent(name)}`
  const pathOf = (key: string): string => `${folder}/${encodeURIComponent(key).replace(/^\./, '%2E')}${END}`
  const keyOf = (file: string): string | undefined => (file.endsWith(END) ? decodeURIComponent(file.slice(0, -END.length)) : undefined)
  const absent = (error: unknown): undefined => {
    if (!isCode(error, 'ENOENT')) throw error
  }
  const get = async (key: string): Promise<T | undefined> => {
    const text = await files.readFile(pathOf(key), 'utf8').catch(absent)
    return text === undefined ? undefined : (JSON.parse(text) as T)
  }
  const list = async (): Promise<string[]> => ((await files.readdir(folder).catch(absent)) ?? []).flatMap(file => keyOf(file) ?? []).toSorted()
  return {
    get,
    entry: async key => {
      // A value written between the two reads is newer than the version told with it: writing on that version is then refused, never done unseen.
      const stats = await files.stat(pathOf(key)).catch(absent)
      const value = await get(key)
      return value === undefined || stats === undefined ? undefined : { value, version: stats.version }
    },
    set: async (key, value, { base } = {}) => {
      const text = JSON.stringify(value) as string | undefined
      if (text === undefined) throw new FsError('EINVAL', { path: key })
      await files.writeFile(pathOf(key), text, { contentType: 'application/json', base })
    },
    delete: async key => {
      const removed = await files.unlink(pathOf(key)).then(() => true, absent)
      return removed ?? false
    },
    list,
    all: async () => {
      const entries = await Promise.all((await list()).map(async key => [key, await get(key)] as const))
      return entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
    },
    async *watch(options = {}) {
      for await (const { filename } of files.watch(folder, options)) {
        const key = keyOf(filename)
        if (key !== undefined) yield key
      }
    },
  }
}
