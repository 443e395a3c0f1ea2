import { findFile as findRoute, listAppFiles, listFiles } from '@deputy/contract/api-files'
import { handler } from '../http/handler.ts'
import type { FileRow } from '../rows/file-schema.ts'
import type { Services } from '../services.ts'
import { fileFrom, findFile } from './find.ts'
import type { Owner } from './writes.ts'

const usual = 1000
const batch = 1000
/** About how many bytes of metadata one page holds at most. */
const pageBytes = 8 * 2 ** 20

/** The calling app's files in the order of their last change, with the names of those removed since. */
export const fileList = handler(listFiles, async ({ since, limit = usual }, { session, rows }) => {
  const { found, changed, pruned, more } = await pageOf({ rows }, session, since, limit, true)
  return {
    files: found.filter(row => row.removed === 0).map(fileFrom),
    // Whoever begins knows of none.
    removed: since === 0 ? [] : found.filter(row => row.removed === 1).map(row => row.name),
    changed,
    more,
    reset: since > 0 && (since < pruned || since > changed),
  }
})

/** One app's files, for the account page. */
export const fileListApp = handler(listAppFiles, async ({ app, since, limit = usual }, { session, rows }) => {
  const { found, changed, more } = await pageOf({ rows }, { account: session.account, app }, since, limit, false)
  return { files: found.map(fileFrom), changed, more }
})

/** One file's row. */
export const fileFind = handler(findRoute, async ({ name }, { session, rows }) => {
  const found = await findFile({ rows }, session, name)
  return { file: found === undefined ? null : fileFrom(found) }
})

interface Page {
  readonly found: readonly FileRow[]
  /** Where to go on, or the last change there was. */
  readonly changed: number
  readonly pruned: number
  readonly more: boolean
}

async function pageOf({ rows }: Pick<Services, 'rows'>, { account, app }: Owner, since: number, limit: number, traces: boolean): Promise<Page> {
  const read = () => rows.read.selectFrom('file_spaces').selectAll().where('account', '=', account).where('app', '=', app).executeTakeFirst()
  // Read before the rows: a change in between is among them or comes with the next call.
  const space = await read()
  if (space === undefined) return { found: [], changed: 0, pruned: 0, more: false }
  const found: FileRow[] = []
  let bytes = 0
  let last = since
  let more = true
  while (more && found.length < limit && bytes < pageBytes) {
    const count = Math.min(batch, limit - found.length)
    let query = rows.read.selectFrom('files').selectAll().where('space', '=', space.id).where('version', '>', last).orderBy('version').limit(count)
    if (!traces) query = query.where('removed', '=', 0)
    const next = await query.execute()
    found.push(...next)
    bytes += next.reduce((sum, row) => sum + row.meta.length, 0)
    last = next.at(-1)?.version ?? last
    more = next.length === count
  }
  // And after them: a trace forgotten in between is not among them.
  const pruned = (await read())?.pruned ?? 0
  return { found, changed: more ? last : Math.max(space.changed, found.at(-1)?.version ?? 0), pruned, more }
}
