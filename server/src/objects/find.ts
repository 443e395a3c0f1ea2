import type { Services } from '../services.ts'
import type { ObjectRow } from '../rows/schema.ts'
import { type Cut, cutOf } from './record-size.ts'
import type { Owner } from './writes.ts'

type Needs = Pick<Services, 'rows' | 'clock'>

/** The owner's object; undefined for another's, one given up, or an upload out of time: nobody can tell these apart. */
export async function findOwn({ rows, clock }: Needs, id: string, { account, app }: Owner): Promise<ObjectRow | undefined> {
  const query = rows.read.selectFrom('objects').selectAll().where('id', '=', id).where('account', '=', account).where('status', '!=', 'deleted')
  const row = await (app === null ? query : query.where('app', '=', app)).executeTakeFirst()
  return row?.status === 'uploading' && row.expires_at <= clock.now() ? undefined : row
}

/** How the object was cut into parts when it was reserved. */
export const cutOfRow = ({ size, part_records: partRecords }: ObjectRow): Cut => cutOf(size, partRecords)
