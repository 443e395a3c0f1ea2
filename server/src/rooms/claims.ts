import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { owning, type SeatCall } from './call.ts'
import { type ClaimOptions, readClaimOptions } from './claim-options.ts'
import type { Core } from './core.ts'
import { releaseEmpty } from './ends.ts'
import { claimStateOf, type Claim, type Room } from './room.ts'
import { emit, newTurn } from './turn.ts'
import { textFrame } from './wire.ts'

const seqsReserved = 1000

/** Claims the room for the account of the seat's socket, or says again how it holds it (claim rules 1 to 5). */
export async function claim(call: SeatCall<'claim'>): Promise<void> {
  const { core, room, seat, request } = call
  const options = readClaimOptions(request)
  if (options === null) return call.no(roomsRefusals.malformed)
  const session = seat.connection?.session ?? null
  if (session === null || !(await core.sessionLives(session.id))) return call.no(roomsRefusals.needsPremium)
  const profile = await core.profileOf(session.account)
  if (profile === null || !profile.premium) return call.no(roomsRefusals.needsPremium)
  await core.pump.settled(room)
  if (room.gone) return call.no(roomsRefusals.unavailable)
  // A claim that ran out is over, whether or not that was told yet.
  if (room.claim !== null && room.claim.expiresAt !== null && room.claim.expiresAt <= core.clock.now()) {
    unclaim(core, room)
    await core.pump.settled(room)
    if (room.gone) return call.no(roomsRefusals.unavailable)
  }
  if (room.claim === null) return begin(call, session.account, options)
  if (room.claim.account !== session.account) return call.no(roomsRefusals.notOwner)
  return repeat(call, room.claim, options)
}

async function begin(call: SeatCall<'claim'>, account: string, { description, mailbox, temporary }: ClaimOptions): Promise<void> {
  const { core, room, seat } = call
  const now = core.clock.now()
  const before = { owner: room.owner, reservedSeq: room.reservedSeq }
  const expiresAt = temporary === undefined ? null : now + temporary
  room.claim = {
    ...{ account, app: seat.app, at: now, description: description ?? null, mailbox, mailboxN: room.n + 1, expiresAt },
    ...{ archivedAt: null, cap: null, bytes: 0, messages: 0 },
  }
  room.owner = seat.member
  emit(room, { type: 'claim', ...claimStateOf(room) })
  const { turn } = room
  const columns = { account, app: seat.app, claimed_at: now, description: description ?? null, mailbox: mailbox ? 1 : 0, mailbox_n: room.n }
  turn.writes.push({ do: 'set', columns: { ...columns, expires_at: expiresAt, archived_at: null, cap: null, owner: room.owner } })
  room.turn = newTurn(room.n)
  room.flying = turn
  const batch = core.pump.batchOf(room, turn)
  const outcome = await core.rows.write('claimRoom', { batch, account, limit: core.config.rooms.claims })
  if (outcome === 'lost') {
    call.no(roomsRefusals.unavailable)
    return core.pump.fail(room, roomsRefusals.unavailable)
  }
  if (outcome === 'full') {
    room.claim = null
    room.n = turn.start
    Object.assign(room, before)
    room.turn = newTurn(room.n)
    room.flying = null
    return call.no(roomsRefusals.tooManyClaims)
  }
  if (expiresAt !== null) core.nextExpiry = Math.min(core.nextExpiry, expiresAt)
  core.pump.committed(room, turn, batch)
  call.ok({})
}

async function repeat(call: SeatCall<'claim'>, held: Claim, { description, temporary }: ClaimOptions): Promise<void> {
  const { core, room, seat } = call
  const isGlobal = room.scope === 'global'
  // Nothing hangs on which app it is when there is nothing to describe and no end to set or lift.
  const matters = held.expiresAt !== null || temporary !== undefined || description !== undefined
  const sameness = held.app === seat.app ? 'same' : matters ? await core.sameApp(held.app, seat.app) : 'different'
  if (room.gone || room.claim !== held) return call.no(roomsRefusals.unavailable)
  if (sameness !== 'same' && !isGlobal) {
    if (description !== undefined) return call.no(sameness === 'unknown' ? roomsRefusals.cannotTell : roomsRefusals.cannotDescribe)
    if (temporary !== undefined) return call.no(sameness === 'unknown' ? roomsRefusals.cannotTell : roomsRefusals.cannotExpire)
  }
  // Without `temporary` the claiming app makes the room permanent and another leaves it as it was: which one this is must be known.
  if (sameness === 'unknown' && temporary === undefined && held.expiresAt !== null) return call.no(roomsRefusals.cannotTell)
  if (description !== undefined) {
    held.description = description
    room.turn.writes.push({ do: 'set', columns: { description } })
  }
  if (temporary !== undefined || sameness === 'same') {
    held.expiresAt = temporary === undefined ? null : core.clock.now() + temporary
    if (held.expiresAt !== null) core.nextExpiry = Math.min(core.nextExpiry, held.expiresAt)
    room.turn.writes.push({ do: 'set', columns: { expires_at: held.expiresAt } })
  }
  call.ok({})
}

/** Gives the room's name back. */
export function release(call: SeatCall<'release'>): void | Promise<void> {
  return owning(call, async () => {
    const { core, room } = call
    await core.pump.settled(room)
    if (room.gone) return call.no(roomsRefusals.unavailable)
    if (room.claim === null) return call.no(roomsRefusals.notClaimed)
    unclaim(core, room)
    call.ok({})
  })
}

/** Turns the mailbox of a claimed room off, which deletes what is stored, or on, which starts empty. */
export function setMailbox(call: SeatCall<'setMailbox'>): void | Promise<void> {
  return owning(call, async () => {
    const { core, room, request } = call
    await core.pump.settled(room)
    if (room.gone) return call.no(roomsRefusals.unavailable)
    const { claim: held } = room
    if (held === null) return call.no(roomsRefusals.notClaimed)
    if (held.mailbox === request.on) return call.ok({})
    held.mailbox = request.on
    held.bytes = 0
    held.messages = 0
    for (const seat of room.seats.values()) seat.known = false
    if (!request.on) {
      room.reservedSeq = room.seq + seqsReserved
      room.turn.writes.push({ do: 'clear' })
    }
    emit(room, { type: 'claim', ...claimStateOf(room) })
    held.mailboxN = room.n
    room.turn.writes.push({ do: 'set', columns: { mailbox: request.on ? 1 : 0, mailbox_n: room.n } })
    call.ok({})
  })
}

/** Ends the claim, whoever ends it: its messages are deleted, its members hear so, and stay. The room is settled and the caller has it for itself. */
export function unclaim(core: Core, room: Room): void {
  if (room.claim === null) return
  const { account } = room.claim
  room.claim = null
  room.reservedSeq = room.seq + seqsReserved
  for (const seat of room.seats.values()) seat.known = false
  emit(room, { type: 'claim', ...claimStateOf(room) })
  const none = { owner: room.owner, account: null, app: null, claimed_at: null, description: null, mailbox: 0, expires_at: null, archived_at: null, cap: null }
  room.turn.writes.push({ do: 'clear' }, { do: 'set', columns: none })
  // Once it is durable: a claim repeated before that would find this one still counted.
  room.turn.late.push(failed => {
    if (failed === undefined) tellFreed(core, account)
  })
  core.pump.touch(room)
  if (room.seats.size === 0) releaseEmpty(core, room)
}

function tellFreed(core: Core, account: string): void {
  const freed = textFrame(JSON.stringify({ type: 'claimFreed' }))
  for (const connection of core.connections) if (connection.session?.account === account) core.pump.send(connection, freed)
}
