import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { placeOf } from '../operations/log.ts'
import type { Core } from './core.ts'
import type { Room } from './room.ts'

/** Runs what changes a room in turn: one that answers a promise has the room for itself until it is settled. */
export function enqueue(core: Pick<Core, 'log' | 'pump'>, room: Room, run: () => void | Promise<void>): void {
  if (room.busy || room.waiting.length > 0) room.waiting.push(run)
  else start(core, room, run)
}

function start(core: Pick<Core, 'log' | 'pump'>, room: Room, run: () => void | Promise<void>): void {
  const result = run()
  if (result === undefined) return
  room.busy = true
  result
    .catch((error: unknown) => {
      core.log.error('room-failed', placeOf(error))
      core.pump.fail(room, roomsRefusals.unavailable)
    })
    .finally(() => {
      room.busy = false
      let next = 0
      while (!room.busy && next < room.waiting.length) {
        const run = room.waiting[next]
        next += 1
        if (run !== undefined) start(core, room, run)
      }
      room.waiting = room.waiting.slice(next)
    })
    .catch(() => undefined)
}
