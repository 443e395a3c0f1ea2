import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { isWhole, type SeatCall } from './call.ts'
import type { Core } from './core.ts'
import { sealedFrom } from './messages.ts'
import { permissionsOf, type Room, stores } from './room.ts'
import type { RoomMessageRow } from '../rows/room-schema.ts'

const pageSize = 200
const pageBytes = 2 ** 19
const readAtOnce = 25

/** A page of stored messages above a seq. */
export async function backlog(call: SeatCall<'backlog'>): Promise<void> {
  const { core, room, seat, request } = call
  const { after, limit = pageSize } = request
  if (!isWhole(after, 0) || !isWhole(limit, 1)) return call.no(roomsRefusals.malformed)
  if (!permissionsOf(room, seat).receive) return call.no(roomsRefusals.permissionDenied)
  if (!stores(room)) return call.ok({ messages: [], senders: [], last: after, more: false })
  const { rows, more } = await messagesAfter(core, room, after, Math.min(limit, pageSize))
  const ids = new Set(rows.flatMap(row => (row.edited_by === null ? [row.sender] : [row.sender, row.edited_by])))
  call.ok({ messages: rows.map(sealedFrom), senders: await credentialsOf(core, room, [...ids]), last: rows.at(-1)?.seq ?? after, more })
}

/** Stored messages above a seq, at most `limit` and 512 KiB, and whether there are more. */
export async function messagesAfter(core: Core, room: Room, after: number, limit: number): Promise<{ rows: RoomMessageRow[]; more: boolean }> {
  const rows: RoomMessageRow[] = []
  let bytes = 0
  for (;;) {
    const wanted = Math.min(readAtOnce, limit - rows.length)
    const found: RoomMessageRow[] = await core.rows.read
      .selectFrom('room_messages')
      .selectAll()
      .where('room', '=', room.key)
      .where('seq', '>', rows.at(-1)?.seq ?? after)
      .orderBy('seq')
      .limit(wanted + 1)
      .execute()
    for (const row of found.slice(0, wanted)) {
      if (rows.length > 0 && bytes + row.text.length > pageBytes) return { rows, more: true }
      rows.push(row)
      bytes += row.text.length
    }
    if (found.length <= wanted) return { rows, more: false }
    if (rows.length === limit) return { rows, more: true }
  }
}

/** One stored message. */
export async function find(call: SeatCall<'find'>): Promise<void> {
  const { core, room, seat, request } = call
  if (!isWhole(request.seq, 1)) return call.no(roomsRefusals.malformed)
  if (!stores(room)) return call.no(roomsRefusals.keepsNoMessages)
  if (!permissionsOf(room, seat).receive) return call.no(roomsRefusals.permissionDenied)
  const row = await core.rows.read.selectFrom('room_messages').selectAll().where('room', '=', room.key).where('seq', '=', request.seq).executeTakeFirst()
  if (row === undefined) return call.no(roomsRefusals.noSuchMessage)
  call.ok({ message: sealedFrom(row) })
}

/** The credentials of members that are here or have sealed a stored message. */
export async function credentials(call: SeatCall<'credentials'>): Promise<void> {
  call.ok({ senders: await credentialsOf(call.core, call.room, call.request.ids) })
}

async function credentialsOf(core: Core, room: Room, ids: readonly string[]): Promise<{ id: string; credential: string }[]> {
  const here = ids.flatMap(id => {
    const seat = room.seats.get(id)
    return seat === undefined ? [] : [{ id, credential: seat.credential }]
  })
  const away = ids.filter(id => !room.seats.has(id))
  if (away.length === 0) return here
  const known = await core.rows.read
    .selectFrom('room_senders')
    .select(['member as id', 'credential'])
    .where('room', '=', room.key)
    .where('member', 'in', away)
    .execute()
  return [...here, ...known]
}
