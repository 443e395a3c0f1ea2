import type { Writer } from '../rows/rows.ts'
import type { FileRow, FileSpaceRow } from '../rows/file-schema.ts'
import { type FilePut, type FilePutRefusal, type Owner, refusalIn, stateOf, thereIn } from './put-state.ts'
import { count, usageOf } from './usage-writes.ts'

export { beginFile, expireFileUploads, forgetFileBlobs, giveUpFileUpload, giveUpFileUploads, landFilePart } from './blob-writes.ts'
export type { Base, FileLimits, FilePut, FilePutRefusal, Owner } from './put-state.ts'
export { forgetFileAccount, pruneFiles, purgeFiles } from './purge-writes.ts'

/** What became of a file; `old` names bytes that nothing refers to any more. */
export interface FilePutDone {
  readonly version: number
  readonly updatedAt: number
  readonly old: string | null
}

/**
 * Puts a file in place, all or nothing. Numbers of a space only rise, so a version never names two states of a file, not even
 * after its trace is gone. An upload that has become this file already is answered as it was.
 */
export const putFile = async (tx: Writer, input: FilePut): Promise<FilePutDone | FilePutRefusal> => {
  const { account, app, name, meta, epoch, content, now } = input
  const known = await stateOf(tx, input)
  if (known === undefined) return 'no-keys'
  const { space, before, usage } = known
  const there = thereIn(known)

  let size: number
  let reserved = 0
  if ('bytes' in content) size = content.bytes.byteLength
  else if (content.size !== undefined) size = content.size
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
  const refused = refusalIn(known, input, size, reserved)
  if (refused !== null) return refused
  const growth = size - (there?.size ?? 0)

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
    if (content.size === undefined) {
      await tx.deleteFrom('file_parts').where('blob', '=', content.blob).execute()
      await tx.updateTable('file_blobs').set({ status: 'ready' }).where('id', '=', content.blob).execute()
    } else
      await tx
        .insertInto('file_blobs')
        .values({ id: content.blob, account, app, size, part_bytes: size, status: 'ready', created: now, expires_at: now })
        .execute()
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

const spaceOf = async (tx: Writer, { account, app }: Owner): Promise<FileSpaceRow | undefined> =>
  tx.selectFrom('file_spaces').selectAll().where('account', '=', account).where('app', '=', app).executeTakeFirst()

const fileOf = async (tx: Writer, space: string, name: string): Promise<FileRow | undefined> =>
  tx.selectFrom('files').selectAll().where('space', '=', space).where('name', '=', name).executeTakeFirst()
