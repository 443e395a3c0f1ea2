import { useEffect, useRef, useState } from 'react'
import type { Encoding } from './fs/encoding.ts'
import type { FileSystem } from './fs/file-system.ts'
import type { Store } from './store.ts'

/** Something kept, as a component sees it: read anew whenever it changes, here, in other tabs and on other devices. */
export interface KeptView<T> {
  /** `absent` where there is none; `failed` where it could not be read, which the next change tries again. */
  readonly status: 'loading' | 'ready' | 'absent' | 'failed'
  /** Null unless `ready`. */
  readonly value: T | null
  /** Of the state read, for a write on top of it and no other. */
  readonly version: string | null
  readonly error: Error | null
}

/** A file as a component sees it. */
export interface FileView<T> extends KeptView<T> {
  /** Writes the file, as `writeFile` does. */
  readonly write: (data: Parameters<FileSystem['writeFile']>[1], options?: Parameters<FileSystem['writeFile']>[2]) => Promise<void>
}

/** A stored value as a component sees it. */
export interface StoredView<T> extends KeptView<T> {
  /** Sets the value, as the store does. */
  readonly set: (value: T, options?: Parameters<Store<T>['set']>[2]) => Promise<void>
  /** Removes it; `false` when there was none. */
  readonly remove: () => Promise<boolean>
}

/**
 * A file for as long as the component is mounted, its text where an encoding is given. `files` is what has it: `promises` of
 * `@deputy/client/fs`, `/cloud/fs` or `/opfs`, or what `openLocal` answered.
 */
export function useFile(files: FileSystem, path: string): FileView<Uint8Array<ArrayBuffer>>
export function useFile(files: FileSystem, path: string, encoding: Encoding): FileView<string>
export function useFile(files: FileSystem, path: string, encoding?: Encoding): FileView<string | Uint8Array<ArrayBuffer>> {
  const view = useKept<string | Uint8Array<ArrayBuffer>>(files, `${encoding ?? ''} ${path}`, {
    read: async () => {
      // Contents newer than the version told with them: a write on that version is refused, never done unseen.
      const { version } = await files.stat(path)
      return { value: await (encoding === undefined ? files.readFile(path) : files.readFile(path, encoding)), version }
    },
    changes: signal => files.watch(path, { signal }),
  })
  return { ...view, write: (data, options) => files.writeFile(path, data, options) }
}

/** The value of a key for as long as the component is mounted. Make the store once, outside of the component. */
export function useStored<T>(store: Store<T>, key: string): StoredView<T> {
  const view = useKept<T>(store, key, {
    read: () => store.entry(key),
    async *changes(signal) {
      for await (const changed of store.watch({ signal })) if (changed === key) yield changed
    },
  })
  return { ...view, set: (value, options) => store.set(key, value, options), remove: () => store.delete(key) }
}

interface Source<T> {
  read(): Promise<{ readonly value: T; readonly version: string } | undefined>
  changes(signal: AbortSignal): AsyncIterable<unknown>
}

const loading = { status: 'loading', value: null, version: null, error: null } as const
const absent = { ...loading, status: 'absent' } as const

function useKept<T>(owner: object, name: string, source: Source<T>): KeptView<T> {
  const [kept, setKept] = useState<{ readonly owner: object; readonly name: string; readonly view: KeptView<T> }>({ owner, name, view: loading })
  const sourceRef = useRef(source)
  useEffect(() => {
    sourceRef.current = source
  })
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const { read, changes } = sourceRef.current
    const show = (view: KeptView<T>): void => {
      if (!signal.aborted) setKept({ owner, name, view })
    }
    let reading = false
    let stale = false
    const refresh = async (): Promise<void> => {
      stale = true
      if (reading) return
      reading = true
      while (stale && !signal.aborted) {
        stale = false
        const view = await read().then(
          found => (found === undefined ? absent : ({ status: 'ready', error: null, ...found } as const)),
          (error: unknown) => (codeOf(error) === 'ENOENT' ? absent : ({ ...loading, status: 'failed', error: asError(error) } as const)),
        )
        show(view)
      }
      reading = false
    }
    const follow = async (): Promise<void> => {
      // A component that is mounted twice at once, as strict mode does, reads once.
      await Promise.resolve()
      if (signal.aborted) return
      const told = changes(signal)[Symbol.asyncIterator]()
      // Listened to before the first read, so that no change falls in between.
      let next = told.next()
      void refresh()
      for (;;) {
        if ((await next).done === true) return
        next = told.next()
        void refresh()
      }
    }
    follow().catch((error: unknown) => show({ ...loading, status: 'failed', error: asError(error) }))
    return () => leaving.abort()
  }, [owner, name])
  return kept.owner === owner && kept.name === name ? kept.view : loading
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code
