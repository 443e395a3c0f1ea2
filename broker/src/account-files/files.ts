import { appFilesPath, fileHeaders, listAppFiles } from '@deputy/contract/api-files'
import type { RouteAnswer } from '@deputy/contract/api'
import type { SiteConfig } from '@deputy/contract/site-config'
import { type AppKeys, type FileEntry, type FileHandle, openEntry, openFile, recordRange, SealError, sealedFileLength } from '@deputy/seal'
import type { Sessions } from '../sessions/sessions.ts'
import { SealedFetchError, sealedSource } from '../transfer/sealed-range.ts'
import { resealWith, type Reseal } from './reseal.ts'

/** A file as the service lists it. */
export type FileRow = RouteAnswer<typeof listAppFiles>['files'][number]

/** A file of an app, opened; `entry` is null for one that is not what it should be. */
export interface AppFile {
  readonly row: FileRow
  readonly entry: FileEntry | null
}

/** How a list ended: with the files, because the keys are older than some of them, or without an answer. */
export type Listed = readonly AppFile[] | 'locked' | 'failed'

/** The files of the account's apps, read with the account's own session. */
export interface AccountFiles {
  /** All files of an app, by path; those that do not open come last. */
  list(app: string, keys: AppKeys): Promise<Listed>
  /** Opens a file's contents. @throws {SealError} when it is not the file its entry names; and whatever the network failed with */
  open(keys: AppKeys, file: AppFile): Promise<FileHandle>
  /** Seals a file again. */
  readonly reseal: Reseal
}

const headerBytes = sealedFileLength(0) - 28
const pageSize = 5000
const listMs = 60_000

/** Reads files by the service. */
export function accountFiles({ sessions, site }: { readonly sessions: Sessions; readonly site: () => Promise<SiteConfig | null> }): AccountFiles {
  const rowsOf = async (app: string): Promise<Map<string, FileRow> | null> => {
    // By name: a file that changes between two pages is in both.
    const rows = new Map<string, FileRow>()
    let since = 0
    for (let more = true; more;) {
      const outcome = await sessions.call(listAppFiles, { app, since, limit: pageSize }, { deadline: listMs })
      if (outcome.kind !== 'answer') return null
      for (const row of outcome.value.files) rows.set(row.name, row)
      ;({ changed: since, more } = outcome.value)
    }
    return rows
  }
  const open: AccountFiles['open'] = async (keys, { row, entry }) => {
    const config = await site()
    if (config === null || entry === null) throw new Error('the file cannot be opened')
    let replaced = false
    const source = sealedSource(config.api + appFilesPath(keys.app), async (url, options) => {
      const session = await sessions.acting()
      // Every range must be of the version the entry was read of.
      const headers = new Headers(options.headers)
      headers.set('authorization', `Bearer ${session?.token ?? ''}`)
      headers.set(fileHeaders.name, row.name)
      headers.set('if-match', `"${row.version}"`)
      const answer = await fetch(url, { ...options, headers })
      replaced ||= answer.status === 412
      return answer
    })
    try {
      const handle = await openFile({ keys, ...entry, epoch: row.epoch, sealedLength: row.size, fetchRange: source.fetchRange })
      // Whoever reads on reads to the end; the last record was fetched to open the file, and is not fetched again.
      const lastAt = recordRange(entry.size, Math.max(0, entry.size - 1), entry.size).sealedStart
      source.expect(headerBytes, headerBytes + lastAt)
      return handle
    } catch (error) {
      throw replaced ? new SealedFetchError('not-found') : error
    }
  }
  return {
    open,
    reseal: resealWith({ sessions, open, api: async () => (await site())?.api ?? null }),
    list: async (app, keys) => {
      const rows = await rowsOf(app)
      if (rows === null) return 'failed'
      try {
        const files = await Promise.all([...rows.values()].map(async row => ({ row, entry: await entryOf(keys, row) })))
        return files.toSorted((one, other) => byPath(one.entry, other.entry))
      } catch (error) {
        if (error instanceof SealError && error.code === 'stale-epoch') return 'locked'
        throw error
      }
    },
  }
}

async function entryOf(keys: AppKeys, row: FileRow): Promise<FileEntry | null> {
  try {
    return await openEntry(keys, row)
  } catch (error) {
    if (error instanceof SealError && error.code === 'integrity') return null
    throw error
  }
}

function byPath(one: FileEntry | null, other: FileEntry | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0
}
