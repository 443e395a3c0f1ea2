import { listAccountObjects, listObjects } from '@deputy/contract/api-objects'
import { handler, refuse } from '../http/handler.ts'
import type { Services } from '../services.ts'
import type { ObjectRow } from '../rows/schema.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { storedFrom } from './stored.ts'
import type { Owner } from './writes.ts'

const usual = 100
const badCursor = refuse('invalid', 'the cursor is not one list answered')

/** The calling app's objects, newest first. */
export const list = handler(listObjects, async (input, { session, origins, ...needs }) => {
  const page = await pageOf(needs, session, input)
  if (page === null) return badCursor
  return { objects: page.rows.map(row => storedFrom(row, origins.cdn)), cursor: page.cursor }
})

/** The account's objects of all apps, newest first. */
export const listAccount = handler(listAccountObjects, async (input, { session, origins, ...needs }) => {
  const page = await pageOf(needs, { account: session.account, app: null }, input)
  if (page === null) return badCursor
  return { objects: page.rows.map(row => ({ id: row.id, app: row.app, ...storedFrom(row, origins.cdn) })), cursor: page.cursor }
})

type Needs = Pick<Services, 'rows' | 'clock' | 'signerFor'>
type PageInput = { readonly cursor?: string | undefined; readonly limit?: number | undefined }

async function pageOf({ rows, clock, signerFor }: Needs, { account, app }: Owner, { cursor, limit = usual }: PageInput) {
  const signer = signerFor('object cursors')
  const after = cursor === undefined ? undefined : readCursor(signer, [account, app], cursor)
  if (after === null) return null
  const now = clock.now()
  let query = rows.read
    .selectFrom('objects')
    .selectAll()
    .where('account', '=', account)
    .where('status', '!=', 'deleted')
    .where(where => where.or([where('status', '=', 'ready'), where('expires_at', '>', now)]))
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
  if (app !== null) query = query.where('app', '=', app)
  if (after !== undefined) {
    const { created, id } = after
    query = query.where(where => where.or([where('created', '<', created), where.and([where('created', '=', created), where('id', '<', id)])]))
  }
  const found: ObjectRow[] = await query.execute()
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return { rows: page, cursor: found.length > limit && last !== undefined ? writeCursor(signer, [account, app], last) : undefined }
}
