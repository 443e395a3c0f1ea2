import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { ROOM_CLOSE } from '@deputy/contract/room-wire'
import { placeOf } from '../operations/log.ts'
import { accountRooms } from './account-rooms.ts'
import { type Connection, makeConnection } from './connection.ts'
import type { Core, RoomNeeds } from './core.ts'
import { makeDue } from './due.ts'
import { opener } from './loading.ts'
import { makePump } from './pump.ts'
import { enqueue } from './queue.ts'
import { setAccount } from './seats.ts'
import type { Wire } from './wire.ts'
import { textFrame } from './wire.ts'

const beat = 100

/** Rooms of this process. */
export interface RoomService {
  /** Serves a socket. */
  serve(wire: Wire): Connection
  /** Does what is due by now: ends held seats and claims, renews leases, sweeps. */
  due(): Promise<void>
  /** Resolves once nothing is under way. */
  idle(): Promise<void>
  /** Takes leases over from processes that are gone, and begins to look at the clock by itself. */
  start(): Promise<void>
  /** These sessions changed or are over. */
  sessionsChanged(ids: readonly string[]): Promise<void>
  /** What an account's settings do with its claimed rooms. */
  readonly account: ReturnType<typeof accountRooms>
  /** Closes the sockets, finishes what is under way and gives the rooms back; their seats can be resumed elsewhere. */
  close(): Promise<void>
}

/** The room service: one writer for each room, over any sockets. */
export function roomService(needs: RoomNeeds): RoomService {
  const process = needs.ids.id()
  const rooms: Core['rooms'] = new Map()
  const held: Core['held'] = new Set()
  const pump = makePump({
    ...needs,
    forget: room => {
      if (rooms.get(room.id) === room) rooms.delete(room.id)
      for (const seat of room.seats.values()) held.delete(seat)
    },
  })
  const core: Core = { ...needs, process, pump, rooms, held, connections: new Set(), open: opener({ ...needs, held, rooms, process }), nextExpiry: 0 }
  const due = makeDue(core)
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  return {
    serve: wire => makeConnection(core, wire),
    due,
    idle: async () => {
      await pump.idle()
    },
    start: async () => {
      if (needs.alone) await needs.rows.write('voidRoomLeases', { now: needs.clock.now() })
      await due()
      timer = setInterval(() => {
        working ??= due()
          .catch((error: unknown) => needs.log.error('rooms-due-failed', placeOf(error)))
          .finally(() => {
            working = undefined
          })
      }, beat)
      timer.unref()
    },
    sessionsChanged: async ids => {
      const changed = new Set(ids)
      for (const connection of core.connections) {
        const { session } = connection
        if (session === null || !changed.has(session.id) || (await needs.sessionLives(session.id)) || connection.session !== session) continue
        connection.session = null
        for (const seat of connection.seats.values()) enqueue(core, seat.room, () => setAccount(core, seat, null))
        pump.send(connection, textFrame(JSON.stringify({ type: 'signedOut' })))
      }
    },
    account: accountRooms(core),
    close: async () => {
      clearInterval(timer)
      await working
      for (const connection of core.connections) connection.leave(ROOM_CLOSE.away)
      await pump.idle()
      for (const room of rooms.values()) pump.fail(room, roomsRefusals.unavailable)
      await needs.rows.write('freeRooms', { process, now: needs.clock.now() })
    },
  }
}
