import type { ConflictChoice, ConflictRequest } from '@deputy/contract/fs'
import type { CloudCalls } from './cloud-calls.ts'
import { cloudRecord } from './cloud-record.ts'
import { settle } from './conflicts.ts'
import { isCode } from './errors.ts'
import type { Edit, FileRecord, Records } from './records.ts'
import type { RecordsVolume } from './records-volume.ts'

/** Files up to so many bytes are brought before anybody reads them, so that they are there offline. */
const EAGER = 2 ** 20

export interface Syncing {
  readonly records: Records
  readonly calls: CloudCalls
  readonly now: () => number
  readonly unique: () => string
  decide(request: ConflictRequest): Promise<ConflictChoice>
  /** Called when a conflict that was being asked about is settled, or could not be. */
  settled(): void
}

/** Keeps spaces and the cloud alike, one call at a time. */
export interface Sync {
  /** Takes what changed in the cloud into the space. What is owed stays as it is. */
  pull(volume: RecordsVolume, pin: string): Promise<void>
  /** Tells the cloud what the space owes it, in the order of the latest writes. Answers the error of the first file that could not be told by itself. */
  push(volume: RecordsVolume, pin: string): Promise<unknown>
  /** Brings the bytes of small files. */
  bring(volume: RecordsVolume): Promise<void>
  /** How many conflicts wait for an answer. */
  readonly asking: number
}

export function syncOf({ records, calls, now, unique, decide, settled }: Syncing): Sync {
  const asked = new Set<string>()
  let queue: Promise<void> = Promise.resolve()

  /** Asks aside, one after the other, so that the other files go on. */
  const conflict = (volume: RecordsVolume, pin: string, record: FileRecord): void => {
    const key = `${volume.space}\n${record.path}`
    if (asked.has(key)) return
    asked.add(key)
    queue = queue
      .then(() => settle({ volume, calls, pin, record, now, unique, decide }))
      // What could not be asked or has changed meanwhile is met again by the next push.
      .catch(() => undefined)
      .then(() => {
        asked.delete(key)
        settled()
      })
  }
  const told = async (volume: RecordsVolume, record: FileRecord, base: string | null): Promise<void> => {
    await volume.edit([
      {
        path: record.path,
        make: stored => {
          if (stored === undefined) return undefined
          if (stored.version !== record.version) return { ...stored, base }
          return record.gone ? null : { ...stored, base, owed: null }
        },
      },
    ])
  }
  const push = async (volume: RecordsVolume, pin: string, record: FileRecord): Promise<void> => {
    const { path, base, contentType, gone } = record
    try {
      if (!gone) {
        const bytes = await volume.bytes(record)
        if (bytes !== undefined) await told(volume, record, await calls.write(pin, path, bytes, contentType, base))
        return
      }
      if (base !== null) await calls.remove(pin, path, base)
      else if ((await calls.stat(pin, path)) !== null) {
        conflict(volume, pin, record)
        return
      }
      await told(volume, record, null)
    } catch (error) {
      if (gone && isCode(error, 'ENOENT')) await told(volume, record, null)
      else if (gone && isCode(error, 'CONFLICT') && (await calls.stat(pin, path)) === null) await told(volume, record, null)
      else if (isCode(error, 'CONFLICT')) conflict(volume, pin, record)
      else throw error
    }
  }

  return {
    get asking() {
      return asked.size
    },
    pull: async (volume, pin) => {
      const key = `cursor:${volume.space}`
      const { cursor, entries, removed, reset } = await calls.changes(pin, (await records.value(key)) as string | undefined)
      const before = new Map((await volume.records()).map(record => [record.path, record]))
      const present = new Set(entries.map(({ path }) => path))
      const gone = reset ? [...before.keys()].filter(path => !present.has(path)) : removed.filter(path => !present.has(path))
      const edits: Edit[] = [
        ...entries
          .filter(({ path, version }) => before.get(path)?.base !== version)
          .map(entry => ({
            path: entry.path,
            make: (stored: FileRecord | undefined) =>
              stored !== undefined && (stored.owed !== null || stored.base === entry.version) ? undefined : cloudRecord(entry),
          })),
        ...gone
          .filter(path => before.get(path)?.owed === null)
          // What came into being here since the look is owed.
          .map(path => ({ path, make: (stored: FileRecord | undefined) => (stored?.owed === null ? null : undefined) })),
      ]
      await volume.edit(edits, [[key, cursor]])
    },
    push: async (volume, pin) => {
      let first: unknown
      const owed = (await volume.records()).filter(record => record.owed !== null && !asked.has(`${volume.space}\n${record.path}`))
      for (const record of owed.toSorted((a, b) => (a.owed ?? 0) - (b.owed ?? 0))) {
        try {
          await push(volume, pin, record)
        } catch (error) {
          // One file's own fault keeps nobody else waiting: a removal behind it may even make room.
          if (!isCode(error, 'QUOTA', 'TOO_LARGE', 'TOO_MANY', 'EINVAL', 'INTEGRITY')) throw error
          first ??= error
        }
      }
      return first
    },
    bring: async volume => {
      const missing = (await volume.records()).filter(({ content, size, gone }) => content === null && size > 0 && size <= EAGER && !gone)
      // A file that cannot be brought is met again when it is read.
      for (let at = 0; at < missing.length; at += 4) await Promise.all(missing.slice(at, at + 4).map(record => volume.bytes(record).catch(() => undefined)))
    },
  }
}
