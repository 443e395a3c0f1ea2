import type { Refusal } from '@deputy/contract/refusals'
import { refuse } from '@deputy/contract/refusals'
import type { RoomAnswer, RoomRequest } from '@deputy/contract/room-wire'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import type { RoomsErrorCode } from '@deputy/contract/room-types'
import type { Core } from './core.ts'
import { isOwner, type Room, type Seat } from './room.ts'
import { noFrame, okFrame } from './turn.ts'

/** A refusal of a room. */
export type RoomRefusal = Refusal<RoomsErrorCode>
/** Requests of a seat, by type. */
export type SeatRequest = Exclude<RoomRequest['type'], 'session' | 'join' | 'resume'>

/** A request of a seat, and the two ways to answer it. */
export interface SeatCall<Type extends SeatRequest = SeatRequest> {
  readonly core: Core
  readonly room: Room
  readonly seat: Seat
  readonly request: RoomRequest<Type>
  /** Grants it, once what happened so far is durable. */
  ok(value: RoomAnswer<Type>): void
  /** Grants it with JSON. */
  okJson(value: string): void
  /** Grants it with what is so when it is told, so that no event told before is newer. */
  okThen(value: () => RoomAnswer<Type>): void
  no(refusal: RoomRefusal): void
}

const answersKept = 256

/** Requests that change nothing; they are not remembered. */
const reads: ReadonlySet<string> = new Set(['backlog', 'find', 'members', 'credentials', 'defaults', 'usage'])

/** Makes the call of a request. */
export function seatCall<Type extends SeatRequest>(core: Core, room: Room, seat: Seat, request: RoomRequest<Type>): SeatCall<Type> {
  const { id } = request
  const remembered = !reads.has(request.type)
  if (remembered) {
    seat.answers.set(id, null)
    if (seat.answers.size > answersKept) {
      const [oldest] = seat.answers.keys()
      if (oldest !== undefined) seat.answers.delete(oldest)
    }
  }
  seat.unanswered += 1
  const answer = (frame: Buffer): void => {
    seat.unanswered -= 1
    if (remembered && seat.answers.has(id)) seat.answers.set(id, frame)
    tellSeat(core, seat, frame)
  }
  const later = (value: () => string): void => {
    room.turn.late.push(failed => answer(failed === undefined ? okFrame(id, value()) : noFrame(id, refuse(failed))))
    core.pump.touch(room)
  }
  return {
    core,
    room,
    seat,
    request,
    okJson: value => later(() => value),
    ok: value => {
      const text = JSON.stringify(value)
      later(() => text)
    },
    okThen: value => later(() => JSON.stringify(value())),
    no: refusal => {
      const frame = noFrame(id, refuse(refusal))
      if (room.gone) answer(frame)
      else {
        room.turn.late.push(() => answer(frame))
        core.pump.touch(room)
      }
    },
  }
}

/** Sends a frame to the socket of a seat, after the messages it is still catching up with. */
export function tellSeat(core: Core, seat: Seat, frame: Buffer): void {
  if (seat.catching !== null) seat.catching.push(frame)
  else if (seat.connection !== null) core.pump.send(seat.connection, frame)
}

/** Whether a number is whole and within bounds. */
export const isWhole = (value: number, min: number, max = Number.MAX_SAFE_INTEGER): boolean => Number.isSafeInteger(value) && value >= min && value <= max

/**
 * Why the seat may not change the room, or null. The account that claimed an app's room changes it only through the app that
 * claimed it (claim rule 6); members of other accounts are answered as in any room.
 */
export function mayChange(core: Core, room: Room, seat: Seat): RoomRefusal | null | Promise<RoomRefusal | null> {
  const { claim } = room
  if (claim === null || seat.account !== claim.account || room.scope === 'global' || seat.app === claim.app) return null
  return core.sameApp(claim.app, seat.app).then(sameness => {
    if (sameness === 'same') return null
    return sameness === 'different' ? roomsRefusals.cannotChange : roomsRefusals.cannotTell
  })
}

/** Does what the seat may do, and refuses the rest; `then` answers the call. */
export function changing<Type extends SeatRequest>(call: SeatCall<Type>, then: () => void | Promise<void>): void | Promise<void> {
  const may = mayChange(call.core, call.room, call.seat)
  if (may === null) return then()
  if (!(may instanceof Promise)) return call.no(may)
  return may.then(refusal => (refusal === null ? then() : call.no(refusal)))
}

/** The same, for what only the owner may do. */
export const owning = <Type extends SeatRequest>(call: SeatCall<Type>, then: () => void | Promise<void>): void | Promise<void> =>
  isOwner(call.room, call.seat) ? changing(call, then) : call.no(roomsRefusals.notOwner)
