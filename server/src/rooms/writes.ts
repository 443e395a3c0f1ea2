import { type Compilable, CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { RoomBlockRow, RoomMessageRow, RoomOverrideRow, RoomRow, RoomSeatRow } from '../rows/room-schema.ts'
import type { Writer } from '../rows/rows.ts'
import type { RoomBatch, RoomWrite, StoredMessage } from './batch.ts'

const requestsKept = 4096

/** A room as its holder takes it. */
export interface TakenRoom {
  readonly room: RoomRow
  readonly seats: readonly RoomSeatRow[]
  readonly overrides: readonly RoomOverrideRow[]
  readonly blocks: readonly RoomBlockRow[]
  /** The newest stored messages of its seats, by which a repeated send is known. */
  readonly sent: readonly Pick<RoomMessageRow, 'sender' | 'request' | 'seq' | 'at'>[]
}

/** Takes a room for a process: all of it, null when there is none, or `held` while another process's lease runs. */
export const takeRoom = async (
  tx: Writer,
  input: { by: { id: string } | { key: string }; process: string; now: number; until: number },
): Promise<TakenRoom | 'held' | null> => {
  const { by, process, now, until } = input
  const [column, value] = 'id' in by ? (['id', by.id] as const) : (['key', by.key] as const)
  const found = await tx.selectFrom('rooms').selectAll().where(column, '=', value).executeTakeFirst()
  if (found === undefined) return null
  if (found.holder !== '' && found.holder !== process && found.lease_until > now) return 'held'
  const { key } = found
  const room: RoomRow = { ...found, epoch: found.epoch + 1, holder: process, lease_until: until }
  await tx.updateTable('rooms').set({ epoch: room.epoch, holder: process, lease_until: until }).where('key', '=', key).execute()
  const seats = await tx.selectFrom('room_seats').selectAll().where('room', '=', key).execute()
  const recent = tx.selectFrom('room_messages').select(['sender', 'request', 'seq', 'at']).where('room', '=', key)
  return {
    room,
    seats,
    overrides: await tx.selectFrom('room_overrides').selectAll().where('room', '=', key).execute(),
    blocks: await tx.selectFrom('room_blocks').selectAll().where('room', '=', key).execute(),
    sent:
      seats.length === 0
        ? []
        : await recent
            .where('seq', '>', room.seq - requestsKept)
            .orderBy('seq')
            .execute(),
  }
}

/**
 * Writes what rooms of one process changed. Answers the keys of those that were no longer its own, or not at the event number
 * it believed: nothing of them was written, and they must be taken again.
 */
export const commitRooms = async (tx: Writer, { batches }: { batches: readonly RoomBatch[] }): Promise<string[]> => {
  const kept = new Set<string>()
  for (const batch of batches) if (batch.create !== undefined && (await create(tx, batch.create))) kept.add(batch.key)
  for (const some of inPowers(batches.filter(batch => batch.create === undefined))) for (const { key } of await advance(tx, some)) kept.add(key)
  const own = batches.filter(batch => kept.has(batch.key))
  const messages: (StoredMessage & { room: string })[] = []
  for (const { key, writes } of own) for (const write of writes) if (write.do === 'message') messages.push({ ...write.message, room: key })
  for (const some of inPowers(messages)) await insertMessages(tx, some)
  for (const { key, writes } of own) for (const write of writes) if (write.do !== 'message') await apply(tx, key, write)
  return batches.flatMap(({ key }) => (kept.has(key) ? [] : [key]))
}

async function create(tx: Writer, row: RoomRow): Promise<boolean> {
  const made = await tx
    .insertInto('rooms')
    .values(row)
    .onConflict(conflict => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  return made !== undefined
}

/** Moves counters where epoch and event number are as expected: the fence that keeps a former holder out. Answers whose they were. */
const advance = manyRows<RoomBatch, { key: string }>(
  (tx, batches) => {
    const values: readonly RawBuilder<unknown>[] = batches.map(batch => sql`(${sql.join(countersOf(batch))})`)
    type Columns = { column1: string; column2: number; column3: number; column4: number; column5: number; column6: number; column7: number }
    return tx
      .updateTable('rooms')
      .from(sql<Columns>`(values ${sql.join(values)})`.as('next'))
      .set(({ ref }) => ({ n: ref('next.column4'), seq: ref('next.column5'), bytes: ref('next.column6'), messages: ref('next.column7') }))
      .whereRef('rooms.key', '=', 'next.column1')
      .whereRef('rooms.epoch', '=', 'next.column2')
      .whereRef('rooms.n', '=', 'next.column3')
      .returning('rooms.key')
  },
  batch => countersOf(batch),
)

const countersOf = ({ key, epoch, from, to, seq, bytes, messages }: RoomBatch): unknown[] => [key, epoch, from, to, seq, bytes, messages]

const insertMessages = manyRows<StoredMessage & { room: string }, never>(
  (tx, messages) =>
    tx
      .insertInto('room_messages')
      .values(messages.map(({ room, seq, n, at, sender, request, text }) => ({ room, seq, n, at, sender, request, text, edited_by: null, revision: 0 }))),
  ({ room, seq, n, at, sender, request, text }) => [room, seq, n, at, sender, request, text, null, 0],
)

/** A statement over any number of rows, built once for each number: building one takes longer than running it. `flat` names a row's parameters in order. */
function manyRows<Row, Result>(
  build: (tx: Writer, rows: readonly Row[]) => Compilable,
  flat: (row: Row) => readonly unknown[],
): (tx: Writer, rows: readonly Row[]) => Promise<readonly Result[]> {
  const built = new WeakMap<Writer, Map<number, string>>()
  return async (tx, rows) => {
    const ofSizes = built.get(tx) ?? new Map<number, string>()
    built.set(tx, ofSizes)
    const text = ofSizes.get(rows.length) ?? build(tx, rows).compile().sql
    ofSizes.set(rows.length, text)
    return (await tx.executeQuery<Result>(CompiledQuery.raw(text, rows.flatMap(flat)))).rows
  }
}

async function apply(tx: Writer, room: string, write: Exclude<RoomWrite, { do: 'message' }>): Promise<void> {
  switch (write.do) {
    case 'seat':
      await tx
        .insertInto('room_seats')
        .values({ room, ...write.seat })
        .onConflict(conflict => conflict.columns(['room', 'member']).doUpdateSet(write.seat))
        .execute()
      return
    case 'unseat':
      await tx.deleteFrom('room_seats').where('room', '=', room).where('member', '=', write.member).execute()
      return
    case 'override':
      await tx.deleteFrom('room_overrides').where('room', '=', room).where('subject', '=', write.subject).execute()
      if (write.data !== null) await tx.insertInto('room_overrides').values({ room, subject: write.subject, data: write.data }).execute()
      return
    case 'block':
      await tx
        .insertInto('room_blocks')
        .values({ room, member: write.member, account: write.account, device: write.device })
        .onConflict(conflict => conflict.doNothing())
        .execute()
      return
    case 'unblock':
      await tx.deleteFrom('room_blocks').where('room', '=', room).where('member', '=', write.member).execute()
      return
    case 'set':
      await tx.updateTable('rooms').set(write.columns).where('key', '=', room).execute()
      return
    case 'sender':
      await tx
        .insertInto('room_senders')
        .values({ room, member: write.member, account: write.account, credential: write.credential })
        .onConflict(conflict => conflict.doNothing())
        .execute()
      return
    case 'edit':
      await tx
        .updateTable('room_messages')
        .set({ text: write.text, edited_by: write.by, revision: write.revision, n: write.n })
        .where('room', '=', room)
        .where('seq', '=', write.seq)
        .execute()
      return
    case 'delete':
      await tx.deleteFrom('room_messages').where('room', '=', room).where('seq', '>=', write.first).where('seq', '<=', write.last).execute()
      await tx.insertInto('room_deletions').values({ room, n: write.n, at: write.at, first: write.first, last: write.last }).execute()
      return
    case 'clear':
      for (const table of ['room_messages', 'room_deletions', 'room_senders'] as const) await tx.deleteFrom(table).where('room', '=', room).execute()
      return
    case 'end':
      await tx.deleteFrom('rooms').where('key', '=', room).execute()
  }
}

/** In pieces of powers of two, so that few different statements are ever prepared. */
function inPowers<T>(items: readonly T[]): T[][] {
  const pieces: T[][] = []
  for (let at = 0; at < items.length;) {
    const size = Math.min(256, 2 ** Math.floor(Math.log2(items.length - at)))
    pieces.push(items.slice(at, at + size))
    at += size
  }
  return pieces
}

/** Claims a room for an account, unless it has as many as it may: how it ended. */
export const claimRoom = async (tx: Writer, input: { batch: RoomBatch; account: string; limit: number }): Promise<'ok' | 'full' | 'lost'> => {
  const { batch, account, limit } = input
  const { count } = await tx
    .selectFrom('rooms')
    .select(query => query.fn.countAll<number>().as('count'))
    .where('account', '=', account)
    .where('key', '!=', batch.key)
    .executeTakeFirstOrThrow()
  if (Number(count) >= limit) return 'full'
  return (await commitRooms(tx, { batches: [batch] })).length === 0 ? 'ok' : 'lost'
}

/** Renews the leases of a process. */
export const renewRooms = async (tx: Writer, input: { process: string; until: number }): Promise<void> => {
  await tx.updateTable('rooms').set({ lease_until: input.until }).where('holder', '=', input.process).execute()
}

/** Ends the leases of processes that are gone, which the caller must know. */
export const voidRoomLeases = async (tx: Writer, input: { now: number }): Promise<void> => {
  await tx.updateTable('rooms').set({ holder: '', lease_until: input.now }).where('holder', '!=', '').execute()
}

/** Gives the rooms of a process back. */
export const freeRooms = async (tx: Writer, input: { process: string; now: number }): Promise<void> => {
  await tx.updateTable('rooms').set({ holder: '', lease_until: input.now }).where('holder', '=', input.process).execute()
}

/** Removes what nobody came back to: unclaimed rooms and seats without a holder for longer than a seat is held, and old deletions. */
export const sweepRooms = async (tx: Writer, input: { before: number; deletionsBefore: number }): Promise<void> => {
  await tx.deleteFrom('rooms').where('account', 'is', null).where('lease_until', '<', input.before).execute()
  await tx
    .deleteFrom('room_seats')
    .where('room', 'in', query => query.selectFrom('rooms').select('key').where('lease_until', '<', input.before))
    .execute()
  await tx.deleteFrom('room_deletions').where('at', '<', input.deletionsBefore).execute()
}
