import type { RoomAnswer } from '@deputy/contract/room-wire'
import type { StoredSeat } from './batch.ts'
import { fullBucket } from './bucket.ts'
import type { Connection } from './connection.ts'
import type { Core } from './core.ts'
import { endFrame } from './ends.ts'
import { capOf, claimStateOf, defaultsOf, memberFrom, permissionsOf, type Room, type Seat, usageOf } from './room.ts'
import { hashOf } from './proof.ts'
import { emit } from './turn.ts'

/** A new seat; its token is told once and kept as a hash. */
export const newSeat = (core: Core, room: Room, connection: Connection, of: Pick<Seat, 'member' | 'credential' | 'device'>, token: string): Seat =>
  seatFrom(core, room, { ...of, account: connection.session?.account ?? null, app: connection.app, token: hashOf(token), token_before: null }, connection)

/** A seat as it is kept, on a socket or held. */
export function seatFrom({ config, clock }: Pick<Core, 'config' | 'clock'>, room: Room, of: StoredSeat, connection: Connection | null): Seat {
  // Member by member: an object that is spread into becomes a dictionary, several times as large.
  return {
    room,
    member: of.member,
    credential: of.credential,
    device: of.device,
    account: of.account,
    app: of.app,
    token: of.token,
    tokenBefore: of.token_before,
    connection,
    heldUntil: connection === null ? clock.now() + config.rooms.hold : 0,
    cursor: room.n,
    catching: null,
    known: false,
    bucket: fullBucket(config.rooms.sendBurst, clock.now()),
    answers: new Map(),
    unanswered: 0,
  }
}

/** Puts the seat on a socket; one it was on before, in a copy of the page, is told that it ended there. */
export function seatOn(core: Core, seat: Seat, connection: Connection): void {
  const { room, connection: before } = seat
  if (before !== null && before !== connection) {
    before.seats.delete(room.id)
    core.pump.send(before, endFrame(room.id, 'unavailable'))
  }
  core.held.delete(seat)
  seat.connection = connection
  seat.catching = null
  seat.app = connection.app
  connection.seats.set(room.id, seat)
}

/** Gives the seat a new token; the one before works until the new one is known to have arrived. */
export function rotate(core: Core, seat: Seat, before: string): string {
  const token = core.ids.token()
  seat.tokenBefore = before
  seat.token = hashOf(token)
  storeSeat(seat)
  return token
}

/** Writes the seat. */
export function storeSeat({ room, member, token, tokenBefore, account, app, device, credential }: Seat): void {
  room.turn.writes.push({ do: 'seat', seat: { member, token, token_before: tokenBefore, account, app, device, credential } })
}

/** Makes the seat its socket's account's: what it may do can change with it. */
export function setAccount(core: Core, seat: Seat, account: string | null): void {
  if (seat.account === account) return
  const { room } = seat
  const state = (): string => JSON.stringify([permissionsOf(room, seat), capOf(room, seat, core.config)])
  const before = state()
  seat.account = account
  seat.known = false
  storeSeat(seat)
  if (state() !== before)
    emit(room, { type: 'permissions', id: seat.member, maxMessageBytes: capOf(room, seat, core.config), permissions: permissionsOf(room, seat) })
  welcomeOwner(core, seat)
  core.pump.touch(room)
}

/** A seat of the account that claimed the room is its owner's, when the owner has no other. */
export function welcomeOwner(core: Core, { room, member, account }: Seat): void {
  if (room.claim === null || account !== room.claim.account || room.seats.has(room.owner)) return
  room.owner = member
  room.turn.writes.push({ do: 'set', columns: { owner: member } })
  emit(room, { type: 'claim', ...claimStateOf(room) })
  core.pump.touch(room)
}

/** What a seat is told of the room as it is now. */
export const seatAnswer = (core: Core, seat: Seat, token: string): RoomAnswer<'join'> => {
  const { room } = seat
  return {
    epoch: room.epoch,
    n: room.n,
    seq: room.seq,
    token,
    hold: core.config.rooms.hold,
    self: memberFrom(room, seat, core.config),
    defaults: { ...defaultsOf(room, core.config) },
    ...claimStateOf(room),
    usage: usageOf(room, core.config),
  }
}
