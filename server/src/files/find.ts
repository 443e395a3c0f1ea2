import type { FileRow } from '../rows/file-schema.ts'
import type { Services } from '../services.ts'
import type { Owner } from './writes.ts'

type Needs = Pick<Services, 'rows'>

/** A file as it is answered. */
export interface AnsweredFile {
  readonly name: string
  readonly meta: string
  readonly version: number
  readonly epoch: number
  readonly size: number
  readonly updatedAt: number
  readonly changed: number
}

/** How a row that was not removed is answered. The version is the place in the order of changes. */
export const fileFrom = ({ name, meta, version, epoch, size, updated_at: updatedAt }: FileRow): AnsweredFile => ({
  name,
  meta,
  version,
  epoch,
  size,
  updatedAt,
  changed: version,
})

/** A file with its bytes, where they are in the rows; undefined where the app has none of this name. */
export type FoundFile = FileRow & { readonly bytes: Uint8Array | null }

/** The app's file of this name, in one statement, so that row and bytes are of one version. */
export const findFile = ({ rows }: Needs, { account, app }: Owner, name: string): Promise<FoundFile | undefined> =>
  rows.read
    .selectFrom('files')
    .innerJoin('file_spaces', 'file_spaces.id', 'files.space')
    .leftJoin('file_contents', join => join.onRef('file_contents.space', '=', 'files.space').onRef('file_contents.name', '=', 'files.name'))
    .selectAll('files')
    .select('file_contents.bytes')
    .where('file_spaces.account', '=', account)
    .where('file_spaces.app', '=', app)
    .where('files.name', '=', name)
    .where('files.removed', '=', 0)
    .executeTakeFirst()

/** The app's unfinished upload; undefined for another's, one given up, or one out of time. */
export async function findUpload({ rows, clock }: Needs & Pick<Services, 'clock'>, { account, app }: Owner, id: string) {
  const row = await rows.read
    .selectFrom('file_blobs')
    .selectAll()
    .where('id', '=', id)
    .where('account', '=', account)
    .where('app', '=', app)
    .where('status', '=', 'uploading')
    .executeTakeFirst()
  return row === undefined || row.expires_at <= clock.now() ? undefined : row
}
