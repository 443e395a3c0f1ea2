import type { Refusal } from '@deputy/contract/refusals'
import type { RoomsErrorCode } from '@deputy/contract/room-types'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { placeOf } from '../operations/log.ts'
import type { Services } from '../services.ts'
import type { RoomBatch } from './batch.ts'
import type { Connection } from './connection.ts'
import { permissionsOf, type Room, type Seat, stores } from './room.ts'
import { newTurn, skipFrame, type Turn } from './turn.ts'
import { textFrame } from './wire.ts'

const reserved = 1000

/** Makes turns durable and tells them. */
export interface Pump {
  /** The room has something to commit or to tell. */
  touch(room: Room): void
  /** The connection has frames to write. */
  send(connection: Connection, frame: Buffer): void
  /** Resolves once everything of the room so far is told, or the room is gone. */
  settled(room: Room): Promise<void>
  /** Gives the room up: its members are asked to resume. */
  fail(room: Room, refusal: Refusal<RoomsErrorCode>): void
  /** Closes a turn: what the row is to become with it. */
  batchOf(room: Room, turn: Turn): RoomBatch
  /** Tells a turn that was committed by other means. */
  committed(room: Room, turn: Turn, batch: RoomBatch): void
  /** The process's lease runs until then, as far as is known. */
  leaseUntil: number
  /** Resolves once nothing is under way. */
  idle(): Promise<void>
}

type Needs = Pick<Services, 'rows' | 'clock' | 'log'> & {
  /** Runs once after the events at hand have been read. */
  readonly later: (run: () => void) => void
  readonly forget: (room: Room) => void
}

/** The pump: everything that happened in one turn of the event loop, in all rooms, shares a commit, and is told after it. */
export function makePump({ rows, clock, log, later, forget }: Needs): Pump {
  const dirty = new Set<Room>()
  const unsent = new Set<Connection>()
  let scheduled = false
  let committing = false
  let idlers: (() => void)[] = []

  const schedule = (): void => {
    if (scheduled) return
    scheduled = true
    later(tick)
  }

  const isQuiet = (room: Room, turn: Turn): boolean =>
    turn.writes.length === 0 && room.create === undefined && clock.now() < pump.leaseUntil && (stores(room) || room.seq <= room.reservedSeq)

  const tick = (): void => {
    scheduled = false
    const leaving: { room: Room; turn: Turn; batch: RoomBatch }[] = []
    for (const room of dirty) {
      if (room.flying !== null) continue
      const { turn } = room
      if (isQuiet(room, turn)) {
        dirty.delete(room)
        turn.seq = room.seq
        room.turn = newTurn(room.n)
        tell(room, turn)
        settle(room)
      } else if (!committing) {
        dirty.delete(room)
        const batch = pump.batchOf(room, turn)
        room.flying = turn
        room.turn = newTurn(room.n)
        leaving.push({ room, turn, batch })
      }
    }
    if (leaving.length > 0) {
      committing = true
      rows
        .write('commitRooms', { batches: leaving.map(({ batch }) => batch) })
        .then(
          lost => {
            const gone = new Set(lost)
            for (const { room, turn, batch } of leaving) {
              if (gone.has(batch.key)) pump.fail(room, roomsRefusals.unavailable)
              else if (!room.gone) pump.committed(room, turn, batch)
            }
          },
          (error: unknown) => {
            log.error('room-commit-failed', placeOf(error))
            for (const { room } of leaving) pump.fail(room, roomsRefusals.storage)
          },
        )
        .finally(() => {
          committing = false
          if (dirty.size > 0) schedule()
          flush()
        })
    }
    flush()
  }

  const flush = (): void => {
    for (const connection of unsent) connection.flush()
    unsent.clear()
    if (!committing && dirty.size === 0 && !scheduled) {
      const waiting = idlers
      idlers = []
      for (const resolve of waiting) resolve()
    }
  }

  const settle = (room: Room): void => {
    if (dirty.has(room) || room.flying !== null) return
    const waiting = room.settling
    room.settling = []
    for (const resolve of waiting) resolve()
  }

  const tell = (room: Room, turn: Turn): void => {
    const head = turn.start + turn.events.length
    room.deliveredN = head
    room.deliveredSeq = turn.seq
    for (const event of turn.events) room.ring.push(event)
    for (const reply of turn.early) reply()
    if (turn.events.length > 0) tellEvents(room, turn, head)
    for (const reply of turn.late) reply()
  }

  const tellEvents = (room: Room, turn: Turn, head: number): void => {
    const [first] = turn.events
    const whole = turn.events.length === 1 && first !== undefined ? first.frame : Buffer.concat(turn.events.map(event => event.frame))
    const allHear = room.receive && (room.overrides.size === 0 || ![...room.overrides.values()].some(override => override.receive === false))
    let quiet: Buffer | undefined
    const upTo = (seat: Seat, connection: Connection, until: number): void => {
      // A seat taken since begins after what it does not know of.
      if (seat.cursor >= until) return
      const hears = allHear || permissionsOf(room, seat).receive
      if (seat.cursor === turn.start && until === head) {
        if (!hears) quiet ??= Buffer.concat(turn.events.map(event => (event.spoken ? skipFrame(room, event.n) : event.frame)))
        pump.send(connection, hears || quiet === undefined ? whole : quiet)
      } else {
        for (const event of turn.events)
          if (event.n > seat.cursor && event.n <= until) pump.send(connection, hears || !event.spoken ? event.frame : skipFrame(room, event.n))
      }
      seat.cursor = until
    }
    for (const { seat, connection, until, end } of turn.leaving) {
      if (seat.catching === null) upTo(seat, connection, until)
      if (end !== null) pump.send(connection, end)
    }
    for (const seat of room.seats.values()) if (seat.connection !== null && seat.catching === null) upTo(seat, seat.connection, head)
  }

  const pump: Pump = {
    leaseUntil: 0,
    touch: room => {
      if (room.gone) return
      dirty.add(room)
      schedule()
    },
    send: (connection, frame) => {
      connection.unsent.push(frame)
      unsent.add(connection)
      schedule()
    },
    settled: room =>
      new Promise(resolve => {
        if (room.gone || (!dirty.has(room) && room.flying === null)) resolve()
        else room.settling.push(resolve)
      }),
    fail: (room, refusal) => {
      if (room.gone) return
      room.gone = true
      dirty.delete(room)
      forget(room)
      for (const turn of [room.flying, room.turn]) {
        if (turn === null) continue
        for (const reply of [...turn.early, ...turn.late]) reply(refusal)
      }
      const lost = textFrame(JSON.stringify({ type: 'lost', room: room.id }))
      for (const seat of room.seats.values()) {
        if (seat.connection === null) continue
        seat.connection.seats.delete(room.id)
        pump.send(seat.connection, lost)
        seat.connection = null
      }
      room.flying = null
      settle(room)
      schedule()
    },
    batchOf: (room, turn) => {
      turn.seq = room.seq
      if (stores(room)) room.reservedSeq = room.seq
      else if (room.seq > room.reservedSeq) room.reservedSeq = room.seq + reserved
      const { key, epoch, create } = room
      const counters = { seq: room.reservedSeq, bytes: room.claim?.bytes ?? 0, messages: room.claim?.messages ?? 0 }
      const batch = { key, epoch, from: room.storedN, to: turn.start + turn.events.length, ...counters, writes: turn.writes }
      return create === undefined ? batch : { ...batch, create: { ...create, n: batch.to, ...counters } }
    },
    committed: (room, turn, batch) => {
      room.storedN = batch.to
      room.create = undefined
      room.flying = null
      tell(room, turn)
      settle(room)
      if (dirty.has(room)) schedule()
    },
    idle: () =>
      new Promise(resolve => {
        if (!committing && dirty.size === 0 && !scheduled) resolve()
        else idlers.push(resolve)
      }),
  }
  return pump
}
