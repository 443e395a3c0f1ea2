import type { RoomPermission } from '@deputy/contract/room-types'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { changing, isWhole, owning, type SeatCall } from './call.ts'
import type { Core } from './core.ts'
import { endSeat } from './ends.ts'
import { capOf, defaultsOf, isOwner, memberFrom, type Override, permissionsOf, type Room, subjectOf, usageOf } from './room.ts'
import { emit } from './turn.ts'

/** The members, with what each sealed for the holders of the key. */
export function members(call: SeatCall<'members'>): void {
  const { core, room } = call
  const all = () => [...room.seats.values()].map(seat => ({ ...memberFrom(room, seat, core.config), credential: seat.credential }))
  call.okThen(() => ({ n: room.n, members: all() }))
}

/** Gives up the seat. */
export function leave(call: SeatCall<'leave'>): void {
  call.ok({})
  endSeat(call.core, call.seat, 'left')
}

/** Sends a member out, which may join again. */
export const remove = (call: SeatCall<'remove'>): void | Promise<void> => sendOut(call, 'removed')
/** Sends a member out and keeps it out. */
export const block = (call: SeatCall<'block'>): void | Promise<void> => sendOut(call, 'blocked')

function sendOut(call: SeatCall<'remove' | 'block'>, reason: 'removed' | 'blocked'): void | Promise<void> {
  const { core, room, seat, request } = call
  if (!permissionsOf(room, seat)[reason === 'removed' ? 'remove' : 'block']) return call.no(roomsRefusals.permissionDenied)
  return changing(call, () => {
    const target = room.seats.get(request.member)
    if (target === undefined) return call.no(roomsRefusals.noSuchMember)
    if (isOwner(room, target)) return call.no(roomsRefusals.permissionDenied)
    call.ok({})
    if (reason === 'removed') return endSeat(core, target, reason)
    const { member, account, device } = target
    room.blocks.set(member, { account, device })
    room.turn.writes.push({ do: 'block', member, account, device })
    // Another seat of the same account would be the same person.
    for (const other of [...room.seats.values()]) if (other === target || (account !== null && other.account === account)) endSeat(core, other, reason)
  })
}

/** Lets a blocked member in again. */
export function unblock(call: SeatCall<'unblock'>): void | Promise<void> {
  const { room, seat, request } = call
  if (!permissionsOf(room, seat).block) return call.no(roomsRefusals.permissionDenied)
  return changing(call, () => {
    if (!room.blocks.delete(request.member)) return call.no(roomsRefusals.noSuchMember)
    room.turn.writes.push({ do: 'unblock', member: request.member })
    call.ok({})
  })
}

/** Gives a member a permission of its own. */
export const grant = (call: SeatCall<'grant'>): void | Promise<void> => permit(call, true)
/** Takes a permission from a member. */
export const revoke = (call: SeatCall<'revoke'>): void | Promise<void> => permit(call, false)

function permit(call: SeatCall<'grant' | 'revoke'>, value: boolean): void | Promise<void> {
  const { permission, member } = call.request
  return owning(call, () =>
    override(call.core, call.room, member, { [permission satisfies RoomPermission]: value }) ? call.ok({}) : call.no(roomsRefusals.noSuchMember),
  )
}

/** Sets what a member may do or how much it may send, and tells so; false when there is no such member. */
function override(core: Core, room: Room, member: string, change: { [Name in keyof Override]: Override[Name] | null }): boolean {
  const target = room.seats.get(member)
  if (target === undefined) return false
  const subject = subjectOf(target)
  const next = Object.fromEntries(Object.entries({ ...room.overrides.get(subject), ...change }).filter(([, value]) => value !== null)) as Override
  const empty = Object.keys(next).length === 0
  if (empty) room.overrides.delete(subject)
  else room.overrides.set(subject, next)
  room.turn.writes.push({ do: 'override', subject, data: empty ? null : JSON.stringify(next) })
  for (const seat of room.seats.values())
    if (subjectOf(seat) === subject)
      emit(room, { type: 'permissions', id: seat.member, maxMessageBytes: capOf(room, seat, core.config), permissions: permissionsOf(room, seat) })
  return true
}

/** The room's defaults. */
export function defaults(call: SeatCall<'defaults'>): void {
  call.okThen(() => ({ defaults: defaultsOf(call.room, call.core.config) }))
}

/** Sets what members may do of whom nothing else is said. */
export function setDefault(call: SeatCall<'setDefault'>): void | Promise<void> {
  const { room, request } = call
  return owning(call, () => {
    room[request.permission] = request.value
    room.turn.writes.push({ do: 'set', columns: { [request.permission]: request.value ? 1 : 0 } })
    tellDefaults(call.core, room)
    call.ok({})
  })
}

/** Limits the size of messages: for all of whom nothing else is said, or for one member; null clears. */
export function limit(call: SeatCall<'limit'>): void | Promise<void> {
  const { core, room, request } = call
  const { maxMessageBytes, member } = request
  return owning(call, () => {
    if (maxMessageBytes !== null && !isWhole(maxMessageBytes, 1, core.config.rooms.messageLargest)) return call.no(roomsRefusals.malformed)
    if (member !== undefined) return override(core, room, member, { maxMessageBytes }) ? call.ok({}) : call.no(roomsRefusals.noSuchMember)
    room.maxBytes = maxMessageBytes
    room.turn.writes.push({ do: 'set', columns: { max_bytes: maxMessageBytes } })
    tellDefaults(core, room)
    call.ok({})
  })
}

const tellDefaults = (core: Core, room: Room): void => emit(room, { type: 'defaults', defaults: defaultsOf(room, core.config) })

/** What the mailbox holds. */
export function usage(call: SeatCall<'usage'>): void {
  call.okThen(() => ({ usage: usageOf(call.room, call.core.config) }))
}
