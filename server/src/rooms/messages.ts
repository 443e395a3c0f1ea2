import type { SealedMessage } from '@deputy/contract/room-wire'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import type { RoomMessageRow } from '../rows/room-schema.ts'
import { changing, isWhole, type RoomRefusal, type SeatCall } from './call.ts'
import type { Core } from './core.ts'
import { capOf, isOwner, permissionsOf, type Room, type Seat, stores } from './room.ts'
import { emit, emitMessage } from './turn.ts'

/** Sends a message to the room, and stores it when the room keeps messages. */
export function send(call: SeatCall<'send'>): void {
  const { core, room, seat, request } = call
  const { text, id } = request
  if (!permissionsOf(room, seat).send) return call.no(roomsRefusals.permissionDenied)
  if (text.length > capOf(room, seat, core.config)) return call.no(roomsRefusals.tooLarge)
  const { claim } = room
  const stored = claim !== null && claim.mailbox
  if (stored) {
    const refusal = takes(core, room, text.length)
    if (refusal !== null) return call.no(refusal)
  }
  room.seq += 1
  const { seq } = room
  const at = core.clock.now()
  emitMessage(room, at, seat.member, seq, text)
  if (stored) {
    claim.bytes += text.length
    claim.messages += 1
    if (!seat.known) {
      seat.known = true
      room.turn.writes.push({ do: 'sender', member: seat.member, account: seat.account, credential: seat.credential })
    }
    room.turn.writes.push({ do: 'message', message: { seq, n: room.n, at, sender: seat.member, request: id, text } })
  }
  call.okJson(`{"seq":${seq},"at":${at}}`)
}

/** Why the mailbox does not take so many bytes more, or null. */
function takes({ config }: Core, { claim }: Room, bytes: number): RoomRefusal | null {
  if (claim === null) return null
  if (claim.archivedAt !== null) return roomsRefusals.storage
  return bytes > 0 && claim.bytes + bytes > (claim.cap ?? config.rooms.mailbox) ? roomsRefusals.mailboxFull : null
}

/** Replaces the text of a stored message: the sender's own, or any as owner. */
export function edit(call: SeatCall<'edit'>): void | Promise<void> {
  const { core, room, seat, request } = call
  const { seq, text, revision } = request
  if (!isWhole(seq, 1)) return call.no(roomsRefusals.malformed)
  if (!stores(room)) return call.no(roomsRefusals.keepsNoMessages)
  if (!permissionsOf(room, seat).send) return call.no(roomsRefusals.permissionDenied)
  if (text.length > capOf(room, seat, core.config)) return call.no(roomsRefusals.tooLarge)
  return changing(call, async () => {
    await core.pump.settled(room)
    if (room.gone || room.claim === null) return call.no(roomsRefusals.unavailable)
    const row = await core.rows.read.selectFrom('room_messages').selectAll().where('room', '=', room.key).where('seq', '=', seq).executeTakeFirst()
    if (row === undefined) return call.no(roomsRefusals.noSuchMessage)
    if (!isOwner(room, seat) && !(await isOwn(core, room, seat, row.sender))) return call.no(roomsRefusals.notOwner)
    // Repeated after its answer was lost.
    if (row.revision === revision && row.text === text && (row.edited_by ?? row.sender) === seat.member) return call.ok({})
    if (row.revision + 1 !== revision) return call.no(roomsRefusals.malformed)
    const more = text.length - row.text.length
    const refusal = takes(core, room, more)
    if (refusal !== null) return call.no(refusal)
    room.claim.bytes += more
    emit(room, { type: 'edited', message: { at: row.at, from: row.sender, seq, text, by: seat.member, revision } })
    if (!seat.known) {
      seat.known = true
      room.turn.writes.push({ do: 'sender', member: seat.member, account: seat.account, credential: seat.credential })
    }
    room.turn.writes.push({ do: 'edit', seq, n: room.n, text, by: seat.member, revision })
    call.ok({})
  })
}

/** Drops stored messages: one of the sender's own, or any range as owner. */
export function drop(call: SeatCall<'delete'>): void | Promise<void> {
  const { core, room, seat, request } = call
  const { from, to = from } = request
  if (!isWhole(from, 1) || !isWhole(to, from)) return call.no(roomsRefusals.malformed)
  if (!stores(room)) return call.no(roomsRefusals.keepsNoMessages)
  return changing(call, async () => {
    await core.pump.settled(room)
    if (room.gone || room.claim === null) return call.no(roomsRefusals.unavailable)
    const owner = isOwner(room, seat)
    if (!owner && to !== from) return call.no(roomsRefusals.notOwner)
    if (room.claim.archivedAt !== null) return call.no(roomsRefusals.storage)
    if (!owner) {
      const row = await core.rows.read.selectFrom('room_messages').select('sender').where('room', '=', room.key).where('seq', '=', from).executeTakeFirst()
      if (row === undefined) return call.no(roomsRefusals.noSuchMessage)
      if (!(await isOwn(core, room, seat, row.sender))) return call.no(roomsRefusals.notOwner)
    }
    const dropped = await dropStored(core, room, from, Math.min(to, room.seq))
    if (!dropped && to === from) return call.no(roomsRefusals.noSuchMessage)
    call.ok({})
  })
}

/** Drops the stored messages of a range and tells so; false when there are none. The room is settled and this has it for itself. */
export async function dropStored(core: Core, room: Room, first: number, last: number): Promise<boolean> {
  const { bytes, messages } = await core.rows.read
    .selectFrom('room_messages')
    .select(({ fn, val }) => [fn.coalesce(fn.sum<number>(fn<number>('length', ['text'])), val(0)).as('bytes'), fn.countAll<number>().as('messages')])
    .where('room', '=', room.key)
    .where('seq', '>=', first)
    .where('seq', '<=', last)
    .executeTakeFirstOrThrow()
  if (Number(messages) === 0 || room.claim === null) return false
  room.claim.bytes -= Number(bytes)
  room.claim.messages -= Number(messages)
  emit(room, { type: 'deleted', from: first, to: last })
  room.turn.writes.push({ do: 'delete', n: room.n, at: core.clock.now(), first, last })
  core.pump.touch(room)
  return true
}

/** Whether the member sealed it, in this seat or in an earlier one of its account. */
async function isOwn(core: Core, room: Room, seat: Seat, sender: string): Promise<boolean> {
  if (sender === seat.member) return true
  if (seat.account === null) return false
  const known = await core.rows.read.selectFrom('room_senders').select('account').where('room', '=', room.key).where('member', '=', sender).executeTakeFirst()
  return known?.account === seat.account
}

/** A stored message as it crosses. */
export const sealedFrom = (row: RoomMessageRow): SealedMessage => ({
  at: row.at,
  from: row.sender,
  seq: row.seq,
  text: row.text,
  by: row.edited_by ?? row.sender,
  revision: row.revision,
})
