import type { WireEvent } from '@deputy/contract/room-wire'
import type { Refusal } from '@deputy/contract/refusals'
import type { RoomsErrorCode, RoomsFail } from '@deputy/contract/room-types'
import type { RoomWrite } from './batch.ts'
import type { Connection } from './connection.ts'
import type { RoomEventFrame } from './ring.ts'
import type { Room, Seat } from './room.ts'
import { textFrame } from './wire.ts'

/** An answer that waits until what it answers is durable. */
export interface Reply {
  /** Sends it; with a refusal, when the turn came to nothing. */
  (failed?: Refusal<RoomsErrorCode>): void
}

/** What happened in a room since the last commit: one unit that becomes durable and is then told. */
export interface Turn {
  /** The room's event number before it. */
  readonly start: number
  /** The room's seq after it, known once it is closed. */
  seq: number
  readonly writes: RoomWrite[]
  readonly events: RoomEventFrame[]
  /** Answers told before the events: seats that begin or come back with them. */
  readonly early: Reply[]
  readonly late: Reply[]
  /** Seats that end within it: they hear the events up to `until`. */
  readonly leaving: { readonly seat: Seat; readonly connection: Connection; readonly until: number; readonly end: Buffer | null }[]
}

/** An empty turn. */
export const newTurn = (start: number): Turn => ({ start, seq: 0, writes: [], events: [], early: [], late: [], leaving: [] })

/** Adds an event to the room's turn. */
export function emit(room: Room, event: WireEvent): void {
  add(room, JSON.stringify(event), event.type === 'message' || event.type === 'edited')
}

/** Adds a message; text, ids and numbers need no escaping. */
export function emitMessage(room: Room, at: number, from: string, seq: number, text: string): void {
  add(room, `{"type":"message","message":{"at":${at},"from":"${from}","seq":${seq},"text":"${text}","by":"${from}","revision":0}}`, true)
}

function add(room: Room, event: string, spoken: boolean): void {
  room.n += 1
  room.turn.events.push({ n: room.n, frame: eventFrame(room, room.n, event, true), spoken })
}

/** The frame of an event; one that is `kept` for members that come back has memory of its own. */
export const eventFrame = (room: Room, n: number, event: string, kept = false): Buffer =>
  textFrame(`{"type":"event","room":"${room.id}","epoch":${room.epoch},"n":${n},"event":${event}}`, kept)

/** What a member hears of an event it may not hear. */
export const skipFrame = (room: Room, n: number): Buffer => eventFrame(room, n, '{"type":"skip"}')

/** The frame that grants a request; `value` is JSON. */
export const okFrame = (id: string, value: string): Buffer => textFrame(`{"type":"ok","id":"${id}","value":${value}}`)

/** The frame that refuses a request. */
export const noFrame = (id: string, { error, message }: RoomsFail): Buffer => textFrame(JSON.stringify({ type: 'no', id, error, message }))
