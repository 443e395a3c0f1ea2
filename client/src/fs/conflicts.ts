import type { ConflictChoice, ConflictRequest, VersionedEntry } from '@deputy/contract/fs'
import type { CloudCalls } from './cloud-calls.ts'
import { FsError } from './errors.ts'
import { nameOf, joined, parentOf } from './paths.ts'
import { cloudRecord } from './cloud-record.ts'
import type { FileRecord } from './records.ts'
import type { RecordsVolume } from './records-volume.ts'

/** The name a copy gets that stands beside the file it differs from: `plan (conflict 2026-11-21 06.30.00).txt`. */
export function besideName(path: string, at: number, turn = 0): string {
  const name = nameOf(path)
  const dot = name.lastIndexOf('.')
  const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  const when = new Date(at).toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.')
  return joined(parentOf(path), `${stem} (conflict ${when}${turn === 0 ? '' : ` ${turn}`})${end}`)
}

export interface Conflict {
  readonly volume: RecordsVolume
  readonly calls: CloudCalls
  readonly pin: string
  /** The record as it was refused. */
  readonly record: FileRecord
  readonly now: () => number
  readonly unique: () => string
  decide(request: ConflictRequest): Promise<ConflictChoice>
}

/**
 * Settles a write that the cloud refused because the file is another there. What is equal is no conflict, and a change outlives a removal; anything else is asked. Undecided, both are kept:
 * the cloud's under its name, this browser's beside it. If the file changes here meanwhile, only what was decided about is touched.
 */
export async function settle({ volume, calls, pin, record, now, unique, decide }: Conflict): Promise<void> {
  const { path } = record
  const theirs = await calls.stat(pin, path)
  const onTop = (base: string | null, owed: 'owed' | 'done') =>
    volume.edit([
      {
        path,
        make: stored => {
          if (stored === undefined) return undefined
          return { ...stored, base, owed: owed === 'done' && stored.version === record.version ? null : stored.owed }
        },
      },
    ])
  if (theirs === null) {
    await onTop(null, 'owed')
    return
  }
  if (record.gone) {
    await takeTheirs(volume, record, theirs)
    return
  }
  const mine = await volume.bytes(record)
  if (mine === undefined) return
  if (theirs.size === mine.length && equal(mine, await calls.read(pin, path))) {
    await onTop(theirs.version, 'done')
    return
  }
  const choice = await decide({
    path,
    cloud: { size: theirs.size, updatedAt: theirs.updatedAt },
    local: { size: record.size, updatedAt: new Date(record.mtime).toISOString() },
  })
  if (choice === 'local') await onTop(theirs.version, 'owed')
  else if (choice === 'cloud') await takeTheirs(volume, record, theirs)
  else await keepBoth(volume, record, theirs, mine, now(), unique)
}

async function takeTheirs(volume: RecordsVolume, record: FileRecord, theirs: VersionedEntry): Promise<void> {
  await volume.edit([{ path: record.path, make: stored => (stored?.version === record.version ? cloudRecord(theirs) : undefined) }])
}

async function keepBoth(
  volume: RecordsVolume,
  record: FileRecord,
  theirs: VersionedEntry,
  mine: Uint8Array<ArrayBuffer>,
  at: number,
  unique: () => string,
): Promise<void> {
  const taken = new Set((await volume.records()).map(({ path }) => path))
  let turn = 0
  while (taken.has(besideName(record.path, at, turn))) turn++
  const beside = besideName(record.path, at, turn)
  const key = unique()
  await volume.edit([
    {
      path: record.path,
      make: stored => {
        if (stored?.version !== record.version) throw new FsError('CONFLICT')
        return cloudRecord(theirs)
      },
    },
    {
      path: beside,
      content: { key, bytes: mine },
      make: stored => {
        if (stored !== undefined) throw new FsError('CONFLICT')
        return { ...record, path: beside, version: key, content: key, base: null }
      },
    },
  ])
}

const equal = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, index) => byte === b[index])
