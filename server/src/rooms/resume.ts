import { refuse } from '@deputy/contract/refusals'
import type { RoomRequest } from '@deputy/contract/room-wire'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { placeOf } from '../operations/log.ts'
import type { RoomRefusal } from './call.ts'
import type { Connection } from './connection.ts'
import type { Core } from './core.ts'
import { endFrame, releaseEmpty } from './ends.ts'
import { messagesAfter } from './history.ts'
import { sealedFrom } from './messages.ts'
import { hashOf } from './proof.ts'
import { enqueue } from './queue.ts'
import { permissionsOf, type Room, type Seat, stores } from './room.ts'
import { rotate, seatAnswer, seatOn, setAccount } from './seats.ts'
import { eventFrame, noFrame, okFrame, skipFrame } from './turn.ts'
import { textFrame } from './wire.ts'

const tries = 5
const pageSize = 50
const enoughWaiting = 2 ** 18

/** Takes a seat again and tells what was missed. */
export async function resume(core: Core, connection: Connection, request: RoomRequest<'resume'>): Promise<void> {
  const no = (refusal: RoomRefusal): void => core.pump.send(connection, noFrame(request.id, refuse(refusal)))
  for (let left = tries; left > 0; left -= 1) {
    const room = await core.open(request.room)
    if (room === null) return no(roomsRefusals.closed)
    if (room === 'held') return no(roomsRefusals.unavailable)
    if (await back(core, connection, request, room, no)) return
  }
  no(roomsRefusals.unavailable)
}

function back(core: Core, connection: Connection, request: RoomRequest<'resume'>, room: Room, no: (refusal: RoomRefusal) => void): Promise<boolean> {
  return new Promise(resolve => {
    enqueue(core, room, () => {
      resolve(!room.gone)
      if (room.gone) return
      takeAgain(core, connection, request, room, no)
      if (room.seats.size === 0) releaseEmpty(core, room)
    })
  })
}

function takeAgain(core: Core, connection: Connection, request: RoomRequest<'resume'>, room: Room, no: (refusal: RoomRefusal) => void): void {
  const hash = hashOf(request.token)
  const seat = [...room.seats.values()].find(({ token, tokenBefore }) => token === hash || tokenBefore === hash)
  if (!connection.open) return
  if (seat === undefined) {
    const reason = room.ended.get(hash)
    if (reason !== undefined) core.pump.send(connection, endFrame(room.id, reason))
    return no(roomsRefusals.closed)
  }
  const here = connection.seats.get(room.id)
  if (here !== undefined && here !== seat) return no(roomsRefusals.malformed)
  seatOn(core, seat, connection)
  // Nothing is told to the seat until its answer is, which brings it up to date.
  seat.catching = []
  const token = rotate(core, seat, hash)
  setAccount(core, seat, connection.session?.account ?? null)
  room.turn.early.push(failed => {
    if (failed !== undefined) return core.pump.send(connection, noFrame(request.id, refuse(failed)))
    if (seat.connection === connection) answer(core, connection, seat, request, token)
  })
  core.pump.touch(room)
}

function answer(core: Core, connection: Connection, seat: Seat, request: RoomRequest<'resume'>, token: string): void {
  const { room } = seat
  const { id, epoch, n, seq } = request
  const missed = epoch === room.epoch ? room.ring.after(n, room.deliveredN) : null
  const replay = missed !== null ? 'ring' : room.claim !== null && stores(room) && n >= room.claim.mailboxN && n <= room.deliveredN ? 'mailbox' : 'reset'
  core.pump.send(connection, okFrame(id, JSON.stringify({ ...seatAnswer(core, seat, token), replay })))
  if (replay === 'mailbox') {
    void catchUp(core, connection, seat, n, seq).catch((error: unknown) => {
      core.log.error('room-catch-up-failed', placeOf(error))
      connection.end()
    })
    return
  }
  const hears = permissionsOf(room, seat).receive
  for (const event of missed ?? []) core.pump.send(connection, hears || !event.spoken ? event.frame : skipFrame(room, event.n))
  upToDate(core, connection, seat)
}

/** Lets go what waited for the seat to be up to date; live events follow. */
function upToDate(core: Core, connection: Connection, seat: Seat): void {
  seat.cursor = seat.room.deliveredN
  const waited = seat.catching ?? []
  seat.catching = null
  for (const frame of waited) core.pump.send(connection, frame)
}

/**
 * Reads what the seat missed from the mailbox: messages above the last seq it saw, then what became of older ones, piece by
 * piece as the socket takes them.
 */
async function catchUp(core: Core, connection: Connection, seat: Seat, n: number, seq: number): Promise<void> {
  const { room } = seat
  const isHere = (): boolean => seat.connection === connection && !room.gone
  const tell = (at: number, event: unknown): void => core.pump.send(connection, eventFrame(room, at, JSON.stringify(event)))
  let after = seq
  let since = n
  // The edits that a message was already told with.
  const toldWith = new Map<number, number>()
  while (permissionsOf(room, seat).receive) {
    const { deliveredN, deliveredSeq } = room
    const page = await messagesAfter(core, room, after, pageSize)
    if (!isHere()) return
    // What is stored but not told yet follows as live events.
    const rows = page.rows.filter(row => row.seq <= deliveredSeq)
    for (const row of rows) {
      tell(row.n, { type: 'message', message: sealedFrom(row) })
      if (row.revision > 0) toldWith.set(row.seq, row.n)
    }
    after = rows.at(-1)?.seq ?? after
    if (page.more && rows.length === page.rows.length) {
      await connection.taken(enoughWaiting)
      if (!isHere()) return
      continue
    }
    const changes = await changesSince(core, room, since, after)
    if (!isHere()) return
    for (const { n: at, seq: of, event } of changes) if (at <= deliveredN && (of === null || toldWith.get(of) !== at)) tell(at, event)
    since = deliveredN
    if (room.deliveredN === deliveredN) break
  }
  core.pump.send(connection, textFrame(JSON.stringify({ type: 'caughtUp', room: room.id, epoch: room.epoch, n: room.deliveredN })))
  upToDate(core, connection, seat)
}

async function changesSince(core: Core, room: Room, since: number, upTo: number): Promise<{ n: number; seq: number | null; event: unknown }[]> {
  const edits = await core.rows.read
    .selectFrom('room_messages')
    .selectAll()
    .where('room', '=', room.key)
    .where('revision', '>', 0)
    .where('n', '>', since)
    .where('seq', '<=', upTo)
    .execute()
  const deletions = await core.rows.read.selectFrom('room_deletions').selectAll().where('room', '=', room.key).where('n', '>', since).execute()
  return [
    ...edits.map(row => ({ n: row.n, seq: row.seq, event: { type: 'edited', message: sealedFrom(row) } })),
    ...deletions.map(row => ({ n: row.n, seq: null, event: { type: 'deleted', from: row.first, to: row.last } })),
  ].toSorted((one, other) => one.n - other.n)
}
