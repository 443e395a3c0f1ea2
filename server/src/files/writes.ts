import type { Writer } from '../rows/rows.ts'
import type { FileRow, FileSpaceRow, FileUsageRow } from '../rows/file-schema.ts'
import { count, dayOf, usageOf } from './usage-writes.ts'

export { beginFile, expireFileUploads, forgetFileBlobs, giveUpFileUpload, giveUpFileUploads, landFilePart } from './blob-writes.ts'
export { forgetFileAccount, pruneFiles, purgeFiles } from './purge-writes.ts'

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

/** A write of a whole file: its bytes as such, or as an upload whose bytes are in place. */
export interface FilePut extends Owner {
  /** The id of the space of (account, app), should it be the first file there. */
  readonly space: string
  readonly name: string
  readonly meta: string
  readonly epoch: number
  readonly base: Base
  /** The same contents under newer keys: only in place of a file of an older epoch and of this size. */
  readonly again: boolean
  readonly content: { readonly bytes: Uint8Array } | { readonly blob: string }
  readonly now: number
  readonly limits: FileLimits
}

/** What became of a file; `old` names bytes that nothing refers to any more. */
export interface FilePutDone {
  readonly version: number
  readonly updatedAt: number
  readonly old: string | null
}

/** Why a file was not written. */
export type FilePutRefusal = 'no-keys' | 'other-epoch' | 'other-version' | 'not-again' | 'no-upload' | 'quota' | 'too-many'

/**
 * Puts a file in place, all or nothing. Numbers of a space only rise, so a version never names two states of a file, not even
 * after its trace is gone. An upload that has become this file already is answered as it was.
 */
export const putFile = async (tx: Writer, input: FilePut): Promise<FilePutDone | FilePutRefusal> => {
  const { account, app, name, meta, epoch, base, content, now, limits } = input
  const known = await stateOf(tx, input)
  if (known === undefined) return 'no-keys'
  const { space, before } = known
  const there = before?.removed === 0 ? before : undefined

  let size: number
  let reserved = 0
  if ('bytes' in content) size = content.bytes.byteLength
  else {
    const blob = await tx
      .selectFrom('file_blobs')
      .select(['size', 'status', 'expires_at'])
      .where('id', '=', content.blob)
      .where('account', '=', account)
      .where('app', '=', app)
      .executeTakeFirst()
    if (blob?.status === 'ready' && there?.blob === content.blob) return { version: there.version, updatedAt: there.updated_at, old: null }
    if (blob?.status !== 'uploading' || blob.expires_at <= now) return 'no-upload'
    size = blob.size
    reserved = blob.size
  }
  if (known.epoch !== epoch) return 'other-epoch'
  if (base === 'none' ? there !== undefined : base !== 'any' && there?.version !== base) return 'other-version'
  if (input.again && (there === undefined || there.epoch >= epoch || there.size !== size)) return 'not-again'
  const { usage } = known
  const growth = size - (there?.size ?? 0)
  if (growth > 0 && usage.bytes + usage.reserved - reserved + growth > limits.bytes) return 'quota'
  if (there === undefined && usage.files >= limits.files) return 'too-many'

  const version = (space?.changed ?? 0) + 1
  const added = there === undefined ? 1 : 0
  const blob = 'blob' in content ? content.blob : null
  const row = { meta, version, epoch, size, updated_at: Math.max(now, (before?.updated_at ?? 0) + 1), blob, removed: 0 }
  const id = space?.id ?? input.space
  if (space === undefined) await tx.insertInto('file_spaces').values({ id, account, app, changed: version, pruned: 0, files: 1, bytes: size }).execute()
  else
    await tx
      .updateTable('file_spaces')
      .set({ changed: version, files: space.files + added, bytes: space.bytes + growth })
      .where('id', '=', id)
      .execute()
  if (before === undefined)
    await tx
      .insertInto('files')
      .values({ space: id, name, ...row })
      .execute()
  else await tx.updateTable('files').set(row).where('space', '=', id).where('name', '=', name).execute()
  if ('bytes' in content)
    await tx
      .insertInto('file_contents')
      .values({ space: id, name, bytes: content.bytes })
      .onConflict(conflict => conflict.columns(['space', 'name']).doUpdateSet({ bytes: content.bytes }))
      .execute()
  else {
    if (there?.blob === null) await tx.deleteFrom('file_contents').where('space', '=', id).where('name', '=', name).execute()
    await tx.deleteFrom('file_parts').where('blob', '=', content.blob).execute()
    await tx.updateTable('file_blobs').set({ status: 'ready' }).where('id', '=', content.blob).execute()
  }
  const old = there?.blob ?? null
  if (old !== null) await tx.updateTable('file_blobs').set({ status: 'deleted' }).where('id', '=', old).execute()
  await count(tx, usage, { files: added, bytes: growth, reserved: -reserved }, now)
  return { version, updatedAt: row.updated_at, old }
}

/** Removes a file and keeps a trace of it, so that others can be told. */
export const removeFile = async (
  tx: Writer,
  input: Owner & { name: string; base: number | null; now: number },
): Promise<{ changed: number; old: string | null } | 'no-file' | 'other-version'> => {
  const { account, app, name, base, now } = input
  const space = await spaceOf(tx, { account, app })
  const there = space === undefined ? undefined : await fileOf(tx, space.id, name)
  if (space === undefined || there === undefined || there.removed === 1) return 'no-file'
  if (base !== null && there.version !== base) return 'other-version'
  const changed = space.changed + 1
  await tx
    .updateTable('file_spaces')
    .set({ changed, files: space.files - 1, bytes: space.bytes - there.size })
    .where('id', '=', space.id)
    .execute()
  await tx
    .updateTable('files')
    .set({ meta: '', version: changed, size: 0, updated_at: Math.max(now, there.updated_at + 1), blob: null, removed: 1 })
    .where('space', '=', space.id)
    .where('name', '=', name)
    .execute()
  if (there.blob === null) await tx.deleteFrom('file_contents').where('space', '=', space.id).where('name', '=', name).execute()
  else await tx.updateTable('file_blobs').set({ status: 'deleted' }).where('id', '=', there.blob).execute()
  await count(tx, await usageOf(tx, account, now), { files: -1, bytes: -there.size }, now)
  return { changed, old: there.blob }
}

interface FileState {
  readonly epoch: number
  readonly space: FileSpaceRow | undefined
  readonly before: Pick<FileRow, 'version' | 'epoch' | 'size' | 'updated_at' | 'blob' | 'removed'> | undefined
  readonly usage: FileUsageRow
}

/** All that a put depends on, by one statement: this is the hot path. Undefined without keys. */
async function stateOf(tx: Writer, { account, app, name, now }: FilePut): Promise<FileState | undefined> {
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

const spaceOf = async (tx: Writer, { account, app }: Owner): Promise<FileSpaceRow | undefined> =>
  tx.selectFrom('file_spaces').selectAll().where('account', '=', account).where('app', '=', app).executeTakeFirst()

const fileOf = async (tx: Writer, space: string, name: string): Promise<FileRow | undefined> =>
  tx.selectFrom('files').selectAll().where('space', '=', space).where('name', '=', name).executeTakeFirst()
