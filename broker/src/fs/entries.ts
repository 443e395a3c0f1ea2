import type { RouteAnswer } from '@deputy/contract/api'
import { listFiles, type fileRow } from '@deputy/contract/api-files'
import type { StorageEntry, VersionedEntry } from '@deputy/contract/fs'
import type { Received } from '@deputy/contract/shape'
import { openEntries, sealedFileLength, type FileEntry } from '@deputy/seal'
import type { Actor, KeyedActor } from './acting.ts'
import { refusal, refusalOf } from './refused.ts'
import { stateText, type FileState } from './state-text.ts'

/** A file as the service knows it. */
export type FileRow = Received<typeof fileRow>
/** A row with what its entry told. */
export interface OpenedRow {
  readonly row: FileRow
  readonly entry: FileEntry
}

/** Names the sealed format to the app. */
const encryption = 'deputy/file/v1'
const atOnce = 1000
const firstPage = 1000
const longestPage = 10_000
const remembered = 200_000

/** Opens rows, each state of a file once. */
export interface Entries {
  /** The rows with their entries, in the order given. @throws {RemoteError} `integrity`, `stale-epoch` */
  open(actor: KeyedActor, rows: readonly FileRow[]): Promise<OpenedRow[]>
  /** The path of a name opened before, or undefined. */
  pathOf(name: string): string | undefined
  /** Forgets everything: another account acts. */
  clear(): void
}

/** Entries in memory. */
export function openedEntries(): Entries {
  const known = new Map<string, { readonly account: string; readonly meta: string; readonly entry: FileEntry }>()
  const heldOf = ({ account }: KeyedActor, row: FileRow): OpenedRow | undefined => {
    const held = known.get(row.name)
    return held?.meta === row.meta && held.account === account ? { row, entry: held.entry } : undefined
  }
  const openSome = async ({ keys, account }: KeyedActor, rows: readonly FileRow[]): Promise<OpenedRow[]> => {
    const found = await openEntries(keys, rows)
    return rows.map((row, index) => {
      const entry = found[index] as FileEntry
      if (sealedFileLength(entry.size) !== row.size) throw refusal('integrity')
      if (known.size < remembered) known.set(row.name, { account, meta: row.meta, entry })
      return { row, entry }
    })
  }
  return {
    open: async (actor, rows) => {
      const opened = rows.map(row => heldOf(actor, row))
      const missing = [...opened.keys()].filter(index => opened[index] === undefined)
      try {
        for (let at = 0; at < missing.length; at += atOnce) {
          const places = missing.slice(at, at + atOnce)
          const found = await openSome(
            actor,
            places.map(index => rows[index] as FileRow),
          )
          for (const [turn, index] of places.entries()) opened[index] = found[turn]
        }
      } catch (error) {
        throw refusalOf(error)
      }
      return opened as OpenedRow[]
    },
    pathOf: name => known.get(name)?.entry.path,
    clear: () => known.clear(),
  }
}

/** A row as `list` tells it. */
export const entryTold = ({ row, entry }: OpenedRow): StorageEntry => ({
  contentType: entry.contentType,
  encryption,
  path: entry.path,
  size: entry.size,
  updatedAt: new Date(row.updatedAt).toISOString(),
})

/** A row as `stat` and `changes` tell it. */
export const versionedTold = (opened: OpenedRow): VersionedEntry => ({ ...entryTold(opened), version: stateText(stateOf(opened)) })

/** Which state of its file a row is. */
export const stateOf = ({ row, entry }: OpenedRow): FileState => ({ version: row.version, epoch: row.epoch, sealedAt: entry.sealedAt })

/** Everything that changed since a place in the order of changes; 0 is the beginning. */
export interface Changed {
  readonly files: FileRow[]
  readonly removed: string[]
  readonly changed: number
  /** Whether the service no longer knows what was removed since. */
  readonly reset: boolean
}

/** Hears of rows as they come, before all of them are there. */
export type OnRows = (rows: readonly FileRow[]) => void

/**
 * Asks page by page for what changed. The next page is asked for as soon as one is there; the first is short, so that the work on it
 * begins early.
 * @throws {RemoteError}
 */
export async function changedSince(actor: Actor, since: number, onRows: OnRows = () => {}): Promise<Changed> {
  const files = new Map<string, FileRow>()
  const removed = new Set<string>()
  const ask = (from: number, limit: number): Promise<RouteAnswer<typeof listFiles>> => {
    const asked = actor.call(listFiles, { since: from, limit }, { deadline: 30_000 })
    // Its failure is told by whoever waits for the page.
    asked.catch(() => undefined)
    return asked
  }
  let limit = firstPage
  let next = ask(since, limit)
  for (let from = since; ;) {
    const page = await next
    if (page.reset && since > 0) return { files: [], removed: [], changed: page.changed, reset: true }
    if (page.more) {
      // A service that does not go on would be asked for ever.
      if (page.changed <= from) throw refusal('unavailable')
      from = page.changed
      limit = Math.min(2 * limit, longestPage)
      next = ask(from, limit)
    }
    for (const row of page.files) {
      files.set(row.name, row)
      removed.delete(row.name)
    }
    for (const name of page.removed) {
      removed.add(name)
      files.delete(name)
    }
    if (page.files.length > 0) onRows(page.files)
    if (!page.more) return { files: [...files.values()], removed: [...removed], changed: page.changed, reset: false }
  }
}

/**
 * Does `ask` and opens what it brings while more is under way, so that `open` finds it open. What does not open is told by `open`.
 * @throws what `ask` throws
 */
export async function openedMeanwhile<T>(entries: Entries, actor: KeyedActor, ask: (onRows: OnRows) => Promise<T>): Promise<T> {
  const opening: Promise<unknown>[] = []
  let room = remembered
  const answer = await ask(rows => {
    room -= rows.length
    if (room >= 0) opening.push(entries.open(actor, rows).catch(() => undefined))
  })
  await Promise.all(opening)
  return answer
}
