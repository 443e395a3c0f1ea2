import { FsError, isCode } from './errors.ts'
import type { News } from './news.ts'
import type { Edit, FileRecord, Records } from './records.ts'
import { tree } from './tree.ts'
import { DIRECTORY, type Listener, type Volume } from './volume.ts'

/** The local name of a state that came from the cloud and was not touched here. */
export const cloudName = (version: string | null): string => `cloud:${version}`

/** A volume over records, and the records themselves for what goes on behind it. */
export interface RecordsVolume extends Volume {
  readonly space: string
  /** Every record, those of removed files among them. */
  records(): Promise<readonly FileRecord[]>
  /** Commits edits and tells of them. */
  edit(edits: readonly Edit[], values?: readonly (readonly [string, unknown])[]): Promise<readonly (FileRecord | undefined)[]>
  /** Looks for what a tab changed that was killed before it could tell. */
  reload(): Promise<void>
  /** The bytes of a record, from wherever they are; `undefined` when the record is another by now. */
  bytes(record: FileRecord, start?: number, end?: number): Promise<Uint8Array<ArrayBuffer> | undefined>
}

export interface RecordsVolumeOptions {
  readonly records: Records
  readonly space: string
  readonly news: News
  /** Epoch ms. */
  readonly now: () => number
  readonly unique: () => string
  /** Whether what is written here is owed to the cloud. */
  readonly owes: boolean
  /** Brings the bytes of a record that only the cloud has. */
  readonly fetch?: ((record: FileRecord) => Promise<Uint8Array<ArrayBuffer>>) | undefined
}

/** A space of the records as a volume, kept in memory but for the bytes, and current with the other tabs by the news. */
export function recordsVolume({ records, space, news, now, unique, owes, fetch }: RecordsVolumeOptions): RecordsVolume {
  const known = new Map<string, FileRecord>()
  /** What this tab has read or written last. What the cloud brought since is not overwritten unseen: the write stands on what was seen, and the cloud refuses it. */
  const seen = new Map<string, FileRecord>()
  const shown = tree<FileRecord>()
  const listeners = new Set<Listener>()
  let last = 0
  let loaded: Promise<void> | undefined

  /** Rises with everything that is begun or taken at a path: what was read before is not the latest. */
  const turns = new Map<string, number>()
  const turn = (path: string): number => {
    const next = (turns.get(path) ?? 0) + 1
    turns.set(path, next)
    return next
  }
  const take = (path: string, record: FileRecord | undefined): void => {
    turn(path)
    if (record === undefined) known.delete(path)
    else known.set(path, record)
    last = Math.max(last, record?.owed ?? 0)
    const before = shown.get(path)
    if (record === undefined || record.gone) shown.delete(path)
    else shown.set(record)
    const after = shown.get(path)
    if (before?.version === after?.version) return
    const event = before === undefined || after === undefined ? 'rename' : 'change'
    for (const listener of [...listeners]) listener(path, event)
  }
  const load = (): Promise<void> =>
    (loaded ??= (async () => {
      for (const record of await records.load(space)) take(record.path, record)
    })().catch((error: unknown) => {
      loaded = undefined
      throw error
    }))
  const refresh = async (path: string): Promise<void> => {
    for (;;) {
      const at = turns.get(path)
      const record = await records.get(space, path)
      if (turns.get(path) !== at) continue
      take(path, record)
      return
    }
  }
  // The other tabs name the space and the path; what became of it stands in the records.
  news.listen(text => {
    if (loaded === undefined || !text.startsWith(`${space}\n`)) return
    const path = text.slice(space.length + 1)
    void refresh(path).catch(() => undefined)
  })

  const edit: RecordsVolume['edit'] = async (edits, values) => {
    await load()
    const begun = edits.map(({ path }) => turn(path))
    const results = await records.commit(space, edits, values)
    for (const [index, { path }] of edits.entries()) {
      const before = known.get(path)
      // Two changes at once need not come back in the order they took place in.
      if (turns.get(path) === begun[index]) take(path, results[index])
      else await refresh(path)
      if (before !== results[index]) news.tell(`${space}\n${path}`, 'change')
    }
    return results
  }
  const baseOn = (path: string, stored: FileRecord | undefined): string | null => {
    const saw = seen.get(path)
    const isUnseen =
      saw !== undefined && stored !== undefined && stored.owed === null && stored.version !== saw.version && stored.version === cloudName(stored.base)
    return (isUnseen ? saw : stored)?.base ?? null
  }
  const next = (): number => (last = Math.max(last + 1, now()))
  const written = (path: string, bytes: Uint8Array<ArrayBuffer>, contentType: string | null, expect: (stored: FileRecord | undefined) => void): Edit => {
    const key = unique()
    const owed = owes ? next() : null
    return {
      path,
      content: { key, bytes },
      make: stored => {
        expect(stored?.gone === true ? undefined : stored)
        return {
          ...{ path, contentType, owed, size: bytes.length, mtime: now() },
          ...{ directory: contentType === DIRECTORY, version: key, content: key, base: baseOn(path, stored), gone: false },
        }
      },
    }
  }
  const removed = (path: string): Edit => {
    const owed = owes ? next() : null
    return {
      path,
      make: stored => {
        if (stored === undefined || stored.gone) return undefined
        // The cloud never had it: with nothing there, nothing is owed. Unless a write of it may be on its way.
        if (!owes) return null
        return { ...stored, owed, base: baseOn(path, stored), content: null, size: 0, gone: true, version: unique(), mtime: now() }
      },
    }
  }
  const bytes: RecordsVolume['bytes'] = async (record, start, end) => {
    if (record.content !== null) {
      const kept = await records.content(record.content, start, end)
      // Replaced by a tab that did not live to tell.
      if (kept === undefined) await refresh(record.path)
      return kept
    }
    if (record.size === 0) return new Uint8Array()
    if (fetch === undefined) return undefined
    const fetched = await fetch(record)
    const key = unique()
    await edit([
      {
        path: record.path,
        content: { key, bytes: fetched },
        make: stored => (stored?.version === record.version && stored.content === null ? { ...stored, content: key, size: fetched.length } : undefined),
      },
    ])
    return start === undefined ? fetched : fetched.slice(start, end)
  }

  return {
    space,
    edit,
    bytes,
    reload: async () => {
      await load()
      const stored = new Map((await records.load(space)).map(record => [record.path, record]))
      for (const path of new Set([...known.keys(), ...stored.keys()])) {
        const [mine, theirs] = [known.get(path), stored.get(path)]
        if (mine?.version === theirs?.version && mine?.owed === theirs?.owed && mine?.base === theirs?.base) continue
        await refresh(path)
        news.tell(`${space}\n${path}`, 'change')
      }
    },
    records: async () => {
      await load()
      return [...known.values()]
    },
    stat: async path => {
      await load()
      return shown.stat(path)
    },
    children: async path => {
      await load()
      return shown.children(path)
    },
    below: async path => {
      await load()
      return shown.below(path)
    },
    read: async (path, start, end) => {
      await load()
      for (let tries = 5; tries > 0; tries--) {
        const found = shown.stat(path)
        if (found === null) throw new FsError('ENOENT')
        if (found.directory) throw new FsError('EISDIR')
        const record = shown.get(path)
        const read = record && (await bytes(record, start, end))
        if (read !== undefined) {
          if (record !== undefined && owes) seen.set(path, record)
          return read
        }
        // Written anew by another tab since, whose news is still on its way.
        await refresh(path)
      }
      throw new FsError('ENOENT')
    },
    write: async (path, content, { contentType = null, base } = {}) => {
      await load()
      shown.guard(path)
      const [record] = await edit([
        written(path, content, contentType, stored => {
          if (stored?.directory === true) throw new FsError('EISDIR')
          if (base !== undefined && base !== (stored?.version ?? null)) throw new FsError('CONFLICT')
        }),
      ]).catch(async (error: unknown) => {
        // Another tab was first, and its news is still on its way.
        if (isCode(error, 'CONFLICT')) await refresh(path)
        throw error
      })
      if (record === undefined) throw new FsError('CONFLICT')
      if (owes) seen.set(path, record)
      return record
    },
    makeDirectory: async path => {
      await load()
      if (shown.stat(path) !== null) throw new FsError('EEXIST')
      await edit([
        written(path, new Uint8Array(), DIRECTORY, stored => {
          if (stored !== undefined) throw new FsError('EEXIST')
        }),
      ])
    },
    remove: async path => {
      await load()
      if (shown.get(path) === undefined) return
      const [record] = await edit([removed(path)])
      if (owes && record !== undefined) seen.set(path, record)
    },
    move: async (from, to) => {
      await load()
      shown.guard(to)
      const record = shown.get(from)
      const content = record && (await bytes(record))
      if (record === undefined || content === undefined) throw new FsError('ENOENT')
      await edit([written(to, content, record.contentType, () => undefined), removed(from)])
    },
    exclusive: run => run(),
    watch: listener => {
      const own: Listener = (path, event) => listener(path, event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
  }
}
