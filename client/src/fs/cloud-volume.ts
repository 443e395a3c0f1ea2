import type { VersionedEntry } from '@deputy/contract/fs'
import type { CloudCalls } from './cloud-calls.ts'
import { FsError, isCode } from './errors.ts'
import type { News } from './news.ts'
import { tree } from './tree.ts'
import { DIRECTORY, type Entry, type Listener, type Volume } from './volume.ts'

/** Milliseconds between two looks for changes while somebody watches. */
const LOOK = 5_000

/** An entry of the cloud as a volume has it. */
export const entryOf = ({ path, size, updatedAt, contentType, version }: VersionedEntry): Entry => ({
  ...{ path, size, contentType, version },
  directory: contentType === DIRECTORY,
  mtime: Date.parse(updatedAt) || 0,
})

/** Volumes over `cloud.fs`: each answer of `open` is pinned to the account that is signed in when it is called, and good for one operation. */
export function cloudVolumes(calls: CloudCalls, news: () => News): () => Volume {
  const known = tree<Entry>()
  const listeners = new Set<Listener>()
  /** The pin under which `known` was read, and where to go on from. */
  let seen: { readonly pin: string; readonly cursor: string } | undefined
  let running: Promise<void> = Promise.resolve()

  const told = (path: string, event: 'rename' | 'change'): void => {
    for (const listener of [...listeners]) listener(path, event)
  }
  const look = async (pin: string): Promise<void> => {
    let read
    if (seen !== undefined) {
      try {
        read = { pin: seen.pin, changes: await calls.changes(seen.pin, seen.cursor) }
      } catch (error) {
        if (!isCode(error, 'ACCOUNT_CHANGED')) throw error
        seen = undefined
        known.clear()
      }
    }
    const isFirst = seen === undefined
    read ??= { pin, changes: await calls.changes(pin) }
    const { cursor, entries, removed, reset } = read.changes
    const present = new Set(entries.map(({ path }) => path))
    const gone = reset ? [...known.all()].flatMap(({ path }) => (present.has(path) ? [] : path)) : removed
    for (const path of gone) {
      known.delete(path)
      told(path, 'rename')
    }
    for (const entry of entries) {
      const before = known.get(entry.path)
      known.set(entryOf(entry))
      if (!isFirst && before?.version !== entry.version) told(entry.path, before === undefined ? 'rename' : 'change')
    }
    seen = { pin: read.pin, cursor }
  }
  /** Brings `known` up to date with what was there when this was called. */
  const refresh = (pin: Promise<string>): Promise<void> => {
    running = running.catch(() => undefined).then(async () => look(await pin))
    return running
  }

  return () => {
    const pin = calls.pin()
    // Whoever uses it hears of it.
    pin.catch(() => undefined)
    let fresh: Promise<void> | undefined
    const current = async () => {
      await (fresh ??= refresh(pin))
      return known
    }
    const changed = (path: string, event: 'rename' | 'change'): void => {
      fresh = undefined
      news().tell(path, event)
    }
    return {
      stat: async path => (await current()).stat(path),
      children: async path => (await current()).children(path),
      below: async path => (await current()).below(path),
      read: async (path, start, end) => {
        try {
          const bytes = await calls.read(await pin, path, start, end)
          if (bytes.length > 0) return bytes
        } catch (error) {
          if (!isCode(error, 'ENOENT')) throw error
        }
        // Nothing there, or nothing in it: a directory reads alike.
        const found = (await current()).stat(path)
        if (found === null) throw new FsError('ENOENT')
        if (found.directory) throw new FsError('EISDIR')
        return new Uint8Array()
      },
      write: async (path, bytes, { contentType = null, base } = {}) => {
        const now = await current()
        now.guard(path)
        const before = now.get(path)
        const version = await calls.write(await pin, path, bytes, contentType, base)
        changed(path, before === undefined ? 'rename' : 'change')
        return { ...{ path, contentType, version }, directory: false, size: bytes.length, mtime: Date.now() }
      },
      makeDirectory: async path => {
        const now = await current()
        if (now.stat(path) !== null) throw new FsError('EEXIST')
        await calls.write(await pin, path, new Uint8Array(), DIRECTORY, null).catch((error: unknown) => {
          throw isCode(error, 'CONFLICT') ? new FsError('EEXIST') : error
        })
        changed(path, 'rename')
      },
      remove: async path => {
        if ((await current()).get(path) === undefined) return
        await calls.remove(await pin, path)
        changed(path, 'rename')
      },
      exclusive: run => run(),
      watch: listener => {
        const own: Listener = (path, event) => listener(path, event)
        listeners.add(own)
        // What cannot be reached now is looked for again.
        const lookAgain = (): void => void refresh(calls.pin()).catch(() => undefined)
        const timer = setInterval(lookAgain, LOOK)
        const off = news().listen(lookAgain)
        lookAgain()
        return () => {
          listeners.delete(own)
          clearInterval(timer)
          off()
        }
      },
    }
  }
}
