import type { KeyUnlockerRow } from '../rows/file-schema.ts'
import type { Services } from '../services.ts'
import type { Unlocker } from './writes.ts'

/** Reads the account's key state; null before enrolment. */
export const keyStateReader =
  ({ rows }: Pick<Services, 'rows'>): Services['keyState'] =>
  async account => {
    // One statement, so that no state between two is ever put together.
    const found = await rows.read
      .selectFrom('key_states')
      .leftJoin('key_unlockers', 'key_unlockers.account', 'key_states.account')
      .selectAll('key_unlockers')
      .select('key_states.epoch')
      .where('key_states.account', '=', account)
      .orderBy('key_unlockers.created')
      .orderBy('key_unlockers.id')
      .execute()
    const [first] = found
    if (first === undefined) return null
    const chain = await rows.read
      .selectFrom('key_links')
      .select(['epoch', 'wrapped'])
      .where('account', '=', account)
      .where('epoch', '<', first.epoch)
      .orderBy('epoch')
      .execute()
    return { epoch: first.epoch, unlockers: found.flatMap(row => (row.id === null ? [] : [unlockerOf(row as KeyUnlockerRow)])), chain }
  }

const unlockerOf = (row: KeyUnlockerRow): Unlocker => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  created: row.created,
  credential: row.credential,
  publicKey: row.public_key,
  wrappedKey: row.wrapped_key,
  stretch: row.stretch === null ? null : (JSON.parse(row.stretch) as Unlocker['stretch']),
  sealedRoot: row.sealed_root,
  mac: row.mac,
})
