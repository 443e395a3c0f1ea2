import type { Writer } from '../rows/rows.ts'
import type { FileRow, FileSpaceRow, FileUsageRow } from '../rows/file-schema.ts'
import { dayOf } from './usage-writes.ts'

/** Whose file is meant. */
export interface Owner {
  readonly account: string
  readonly app: string
}

/** What an account's files may come to. */
export interface FileLimits {
  readonly bytes: number
  readonly files: number
  /** Unfinished uploads at a time. */
  readonly uploads: number
}

/** What must be there for a write: a version, `none` (no file), or `any`. */
export type Base = number | 'none' | 'any'

/** A write of a whole file: its bytes as such, or what names them where they are in place. */
export interface FilePut extends Owner {
  /** The id of the space of (account, app), should it be the first file there. */
  readonly space: string
  readonly name: string
  readonly meta: string
  readonly epoch: number
  readonly base: Base
  /** The same contents under newer keys: only in place of a file of an older epoch and of this size. */
  readonly again: boolean
  /** `size` says that the bytes came at once, so that no row names them yet. */
  readonly content: { readonly bytes: Uint8Array } | { readonly blob: string; readonly size?: number }
  readonly now: number
  readonly limits: FileLimits
}

/** Why a file was not written. */
export type FilePutRefusal = 'no-keys' | 'other-epoch' | 'other-version' | 'not-again' | 'no-upload' | 'quota' | 'too-many'

/** All that a put depends on. */
export interface FileState {
  readonly epoch: number
  readonly space: FileSpaceRow | undefined
  readonly before: Pick<FileRow, 'version' | 'epoch' | 'size' | 'updated_at' | 'blob' | 'removed'> | undefined
  readonly usage: FileUsageRow
}

/** All that a put depends on, by one statement: this is the hot path. Undefined without keys. */
export async function stateOf(
  tx: Pick<Writer, 'selectFrom'>,
  { account, app, name, now }: Pick<FilePut, 'account' | 'app' | 'name' | 'now'>,
): Promise<FileState | undefined> {
  const row = await tx
    .selectFrom('key_states')
    .leftJoin('file_spaces', join => join.onRef('file_spaces.account', '=', 'key_states.account').on('file_spaces.app', '=', app))
    .leftJoin('files', join => join.onRef('files.space', '=', 'file_spaces.id').on('files.name', '=', name))
    .leftJoin('file_usage', 'file_usage.account', 'key_states.account')
    .select([
      'key_states.epoch',
      'file_spaces.id',
      'file_spaces.changed',
      'file_spaces.pruned',
      'file_spaces.files',
      'file_spaces.bytes',
      'files.version',
      'files.epoch as file_epoch',
      'files.size',
      'files.updated_at',
      'files.blob',
      'files.removed',
      'file_usage.files as used_files',
      'file_usage.bytes as used_bytes',
      'file_usage.reserved',
      'file_usage.day',
    ])
    .where('key_states.account', '=', account)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { id, changed, pruned, files, bytes, version, size, updated_at: updatedAt, blob, removed } = row
  return {
    epoch: row.epoch,
    space: id === null ? undefined : { id, account, app, changed: changed ?? 0, pruned: pruned ?? 0, files: files ?? 0, bytes: bytes ?? 0 },
    before: version === null ? undefined : { version, epoch: row.file_epoch ?? 0, size: size ?? 0, updated_at: updatedAt ?? 0, blob, removed: removed ?? 0 },
    usage: { account, files: row.used_files ?? 0, bytes: row.used_bytes ?? 0, reserved: row.reserved ?? 0, day: row.day ?? dayOf(now) },
  }
}

/** The file that is there, if any: a trace of one that was removed is none. */
export const thereIn = ({ before }: FileState): FileState['before'] => (before?.removed === 0 ? before : undefined)

/** Why the put of so many bytes, `reserved` of which are counted already, cannot be as things are; null when it can. */
export function refusalIn(state: FileState, put: Pick<FilePut, 'base' | 'again' | 'epoch' | 'limits'>, size: number, reserved: number): FilePutRefusal | null {
  const { base, again, epoch, limits } = put
  const { usage } = state
  const there = thereIn(state)
  if (state.epoch !== epoch) return 'other-epoch'
  if (base === 'none' ? there !== undefined : base !== 'any' && there?.version !== base) return 'other-version'
  if (again && (there === undefined || there.epoch >= epoch || there.size !== size)) return 'not-again'
  const growth = size - (there?.size ?? 0)
  if (growth > 0 && usage.bytes + usage.reserved - reserved + growth > limits.bytes) return 'quota'
  if (there === undefined && usage.files >= limits.files) return 'too-many'
  return null
}
