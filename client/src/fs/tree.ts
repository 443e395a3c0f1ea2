import { FsError } from './errors.ts'
import { isBelow, joined, nameOf, parentOf } from './paths.ts'
import type { Entry } from './volume.ts'

/** Entries by path, with the directories they imply. */
export interface Tree<E extends Entry> {
  /** The entry kept at a path. */
  get(path: string): E | undefined
  set(entry: E): void
  delete(path: string): void
  clear(): void
  all(): IterableIterator<E>
  /** What is at a path, implied directories and the root among it. @throws {FsError} `ENOTDIR` when a file stands in the way. */
  stat(path: string): Entry | null
  children(path: string): Entry[]
  below(path: string): Entry[]
  /** Refuses a path that no file can be written at. @throws {FsError} `ENOTDIR`, `EISDIR` */
  guard(path: string): void
}

/** Nothing is there but the root. */
export function tree<E extends Entry>(): Tree<E> {
  const entries = new Map<string, E>()
  const names = new Map<string, Set<string>>()

  const implied = (path: string): Entry => {
    const newest = Math.max(0, ...[...(names.get(path) ?? [])].map(name => entries.get(joined(path, name))?.mtime ?? 0))
    return { path, directory: true, size: 0, mtime: newest, contentType: null, version: 'implied' }
  }
  const at = (path: string): Entry | null => entries.get(path) ?? (path === '' || names.has(path) ? implied(path) : null)
  const link = (path: string): void => {
    for (let child = path; child !== ''; child = parentOf(child)) {
      const parent = parentOf(child)
      const siblings = names.get(parent)
      if (siblings?.has(nameOf(child))) return
      if (siblings === undefined) names.set(parent, new Set([nameOf(child)]))
      else siblings.add(nameOf(child))
    }
  }
  const unlink = (path: string): void => {
    for (let child = path; child !== '' && !entries.has(child) && !names.has(child); child = parentOf(child)) {
      const siblings = names.get(parentOf(child))
      siblings?.delete(nameOf(child))
      if (siblings?.size === 0) names.delete(parentOf(child))
    }
  }
  const guardParents = (path: string): void => {
    for (let parent = parentOf(path); parent !== ''; parent = parentOf(parent)) {
      if (entries.get(parent)?.directory === false) throw new FsError('ENOTDIR')
    }
  }
  const children = (path: string): Entry[] => [...(names.get(path) ?? [])].flatMap(name => at(joined(path, name)) ?? []).toSorted(byPath)

  return {
    get: path => entries.get(path),
    set: entry => {
      entries.set(entry.path, entry)
      link(entry.path)
    },
    delete: path => {
      entries.delete(path)
      unlink(path)
    },
    clear: () => {
      entries.clear()
      names.clear()
    },
    all: () => entries.values(),
    stat: path => {
      const found = at(path)
      if (found === null) guardParents(path)
      return found
    },
    children,
    below: path => {
      const found = new Set<string>()
      for (const below of entries.keys()) {
        for (let step = below; isBelow(step, path) && !found.has(step); step = parentOf(step)) found.add(step)
      }
      return [...found].flatMap(step => at(step) ?? []).toSorted(byPath)
    },
    guard: path => {
      guardParents(path)
      if (at(path)?.directory === true) throw new FsError('EISDIR')
    },
  }
}

const byPath = (a: Entry, b: Entry): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
