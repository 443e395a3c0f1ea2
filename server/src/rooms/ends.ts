import type { Core } from './core.ts'
import { enqueue } from './queue.ts'
import type { Room, Seat } from './room.ts'
import { emit } from './turn.ts'
import { textFrame } from './wire.ts'

const endsKept = 256

/** The frame that ends a seat. */
export const endFrame = (room: string, reason: 'removed' | 'blocked' | 'ended' | 'unavailable'): Buffer =>
  textFrame(JSON.stringify({ type: 'end', room, reason }))

/** Ends a seat: the member hears what was said before, the others that it left. */
export function endSeat(core: Core, seat: Seat, reason: 'left' | 'removed' | 'blocked'): void {
  const { room, member, connection } = seat
  room.seats.delete(member)
  core.held.delete(seat)
  const own = `m:${member}`
  if (room.overrides.delete(own)) room.turn.writes.push({ do: 'override', subject: own, data: null })
  room.turn.writes.push({ do: 'unseat', member })
  if (connection !== null) {
    connection.seats.delete(room.id)
    room.turn.leaving.push({ seat, connection, until: room.n, end: reason === 'left' ? null : endFrame(room.id, reason) })
  } else if (reason !== 'left') {
    room.ended.set(seat.token, reason)
    const [oldest] = room.ended.keys()
    if (room.ended.size > endsKept && oldest !== undefined) room.ended.delete(oldest)
  }
  emit(room, { type: 'left', id: member, reason })
  core.pump.touch(room)
  if (room.seats.size === 0) releaseEmpty(core, room)
}

/** Keeps the seat for a member whose socket is gone. */
export function holdSeat(core: Core, seat: Seat): void {
  seat.connection = null
  seat.catching = null
  seat.heldUntil = core.clock.now() + core.config.rooms.hold
  core.held.add(seat)
}

/** Gives up a room without seats once it is its turn: an unclaimed one ends, a claimed one rests in its rows. */
export function releaseEmpty(core: Core, room: Room): void {
  enqueue(core, room, async () => {
    await core.pump.settled(room)
    if (room.gone || room.seats.size > 0) return
    if (room.create === undefined) {
      room.reservedSeq = room.seq
      room.turn.writes.push(room.claim === null ? { do: 'end' } : { do: 'set', columns: { holder: '', lease_until: core.clock.now() } })
      core.pump.touch(room)
      await core.pump.settled(room)
    }
    room.gone = true
    if (core.rooms.get(room.id) === room) core.rooms.delete(room.id)
  })
}
