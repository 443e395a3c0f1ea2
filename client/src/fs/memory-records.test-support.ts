import type { FileRecord, Records } from './records.ts'

/** Records in memory, as many tabs of one device share them. `landing` runs before a commit takes place and again before it is told, where a test may hold it up. */
export function memoryRecords(landing: (when: 'before' | 'after') => Promise<void> | void = () => undefined): Records {
  const spaces = new Map<string, Map<string, FileRecord>>()
  const contents = new Map<string, Uint8Array<ArrayBuffer>>()
  const values = new Map<string, unknown>()
  const spaceOf = (space: string) => {
    const found = spaces.get(space) ?? new Map<string, FileRecord>()
    spaces.set(space, found)
    return found
  }
  return {
    load: async space => [...spaceOf(space).values()],
    get: async (space, path) => spaceOf(space).get(path),
    commit: async (space, edits, named = []) => {
      await landing('before')
      const files = spaceOf(space)
      // All or nothing: an edit that throws leaves everything as it was.
      const made = edits.map(({ path, make }) => ({ path, stored: files.get(path), next: make(files.get(path)) }))
      for (const { content } of edits) if (content !== undefined) contents.set(content.key, content.bytes.slice())
      for (const { path, stored, next } of made) {
        if (next === undefined) continue
        if (next === null) files.delete(path)
        else files.set(path, next)
        if (stored?.content != null && stored.content !== next?.content) contents.delete(stored.content)
      }
      for (const [key, value] of named) values.set(key, value)
      const results = made.map(({ path }) => files.get(path))
      await landing('after')
      return results
    },
    content: async (key, start, end) => contents.get(key)?.slice(start ?? 0, end),
    sweep: async () => undefined,
    value: async key => values.get(key),
    setValue: async (key, value) => void values.set(key, value),
  }
}
