import type { RoomRow } from '../rows/room-schema.ts'
import type { Core } from './core.ts'
import { makeRing } from './ring.ts'
import type { Override, Room } from './room.ts'
import { seatFrom } from './seats.ts'
import { newTurn, okFrame } from './turn.ts'
import type { TakenRoom } from './writes.ts'

const seqsReserved = 1000

/** A room as its row says, without seats. */
export function roomFrom(row: RoomRow, create?: RoomRow): Room {
  const { key, id, epoch, verifier, created, n, seq, owner } = row
  const claim =
    row.account === null
      ? null
      : {
          account: row.account,
          app: row.app ?? '',
          at: row.claimed_at ?? created,
          description: row.description,
          mailbox: row.mailbox === 1,
          mailboxN: row.mailbox_n,
          expiresAt: row.expires_at,
          archivedAt: row.archived_at,
          cap: row.cap,
          bytes: row.bytes,
          messages: row.messages,
        }
  return {
    ...{ key, id, epoch, verifier, created, n, seq, owner, claim, create },
    scope: id.slice(0, id.lastIndexOf('/')),
    memberCap: row.member_cap,
    storedN: n,
    deliveredN: n,
    deliveredSeq: seq,
    reservedSeq: create === undefined ? seq : seq + seqsReserved,
    maxBytes: row.max_bytes,
    send: row.send === 1,
    receive: row.receive === 1,
    seats: new Map(),
    overrides: new Map(),
    blocks: new Map(),
    ring: makeRing(),
    ended: new Map(),
    turn: newTurn(n),
    flying: null,
    settling: [],
    busy: false,
    waiting: [],
    gone: false,
  }
}

/** A room taken from its rows; its seats are held from now on. */
export function roomOf(taken: TakenRoom, { clock, config, held }: Pick<Core, 'clock' | 'config' | 'held'>): Room {
  const room = roomFrom(taken.room)
  for (const row of taken.overrides) room.overrides.set(row.subject, JSON.parse(row.data) as Override)
  for (const { member, account, device } of taken.blocks) room.blocks.set(member, { account, device })
  for (const row of taken.seats) {
    const seat = seatFrom({ config, clock }, room, row, null)
    room.seats.set(row.member, seat)
    held.add(seat)
  }
  for (const { sender, request, seq, at } of taken.sent) room.seats.get(sender)?.answers.set(request, okFrame(request, `{"seq":${seq},"at":${at}}`))
  // The owner of a claimed room is the account; a seat it no longer has says nothing.
  const { claim } = room
  if (claim !== null && !room.seats.has(room.owner)) {
    room.owner = taken.seats.find(({ account }) => account === claim.account)?.member ?? ''
    // Written with whatever happens next, so that a later holder says the same.
    room.turn.writes.push({ do: 'set', columns: { owner: room.owner } })
  }
  return room
}

/** Opens rooms, each once at a time. */
export function opener(needs: Pick<Core, 'rows' | 'clock' | 'config' | 'ids' | 'held' | 'rooms' | 'process'>): Core['open'] {
  const taking = new Map<string, Promise<Room | 'held' | null>>()
  const takeIt = async (id: string): Promise<Room | 'held' | null> => {
    const now = needs.clock.now()
    const taken = await needs.rows.write('takeRoom', { by: { id }, process: needs.process, now, until: now + needs.config.rooms.lease })
    if (taken === null || taken === 'held') return taken
    const room = roomOf(taken, needs)
    needs.rooms.set(id, room)
    return room
  }
  return async (id, create) => {
    const known = needs.rooms.get(id)
    if (known !== undefined) return known
    let under = taking.get(id)
    if (under === undefined) {
      under = takeIt(id).finally(() => taking.delete(id))
      taking.set(id, under)
    }
    const found = await under
    if (found !== null || create === undefined) return found
    // Another join may have brought it into being meanwhile.
    const made = needs.rooms.get(id) ?? create(needs.ids.id())
    needs.rooms.set(id, made)
    return made
  }
}
