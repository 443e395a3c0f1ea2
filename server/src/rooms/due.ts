import { placeOf } from '../operations/log.ts'
import { unclaim } from './claims.ts'
import type { Core } from './core.ts'
import { endSeat, releaseEmpty } from './ends.ts'
import { enqueue } from './queue.ts'
import type { Room } from './room.ts'

const batch = 100
const again = 1000
const deletionsKept = 3_600_000
const tries = 5

/** Makes the function that does what is due by the clock. */
export function makeDue(core: Core): () => Promise<void> {
  const { config, clock, rows, pump, log } = core
  let renewAt = 0
  let sweepAt = 0

  const endHeld = (now: number): void => {
    for (const seat of core.held) {
      if (seat.heldUntil > now) break
      core.held.delete(seat)
      enqueue(core, seat.room, () => {
        const { room } = seat
        if (!room.gone && seat.connection === null && seat.heldUntil <= now && room.seats.get(seat.member) === seat) endSeat(core, seat, 'left')
      })
    }
  }

  const expire = async (now: number): Promise<void> => {
    const found = await rows.read.selectFrom('rooms').select('id').where('expires_at', '<=', now).orderBy('expires_at').limit(batch).execute()
    for (const { id } of found) {
      await inRoom(core, id, room => {
        if (room.claim !== null && room.claim.expiresAt !== null && room.claim.expiresAt <= now) unclaim(core, room)
      })
    }
    const next = await rows.read
      .selectFrom('rooms')
      .select(({ fn }) => fn.min('expires_at').as('at'))
      .executeTakeFirst()
    const at = next?.at ?? Infinity
    // What could not be ended now, because another process holds it, is looked at again.
    core.nextExpiry = at <= now && found.length < batch ? now + again : at
  }

  const renew = async (now: number): Promise<void> => {
    const until = now + config.rooms.lease
    await rows.write('renewRooms', { process: core.process, until })
    pump.leaseUntil = until
    renewAt = now + config.rooms.lease / 3
  }

  const sweep = async (now: number): Promise<void> => {
    sweepAt = now + config.rooms.sweep
    await rows.write('sweepRooms', { before: now - config.rooms.hold, deletionsBefore: now - deletionsKept })
    await lookAtPremium(core, now)
  }

  return async () => {
    const now = clock.now()
    endHeld(now)
    if (now >= renewAt) await renew(now)
    if (now >= core.nextExpiry) await expire(now).catch((error: unknown) => log.error('room-expiry-failed', placeOf(error)))
    if (now >= sweepAt) await sweep(now)
  }
}

/** Has a room for itself, settled; false when there is none, another process holds it, or it could not be committed. */
export async function inRoom(core: Core, id: string, work: (room: Room) => void | Promise<void>): Promise<boolean> {
  for (let left = tries; left > 0; left -= 1) {
    const room = await core.open(id)
    if (room === null || room === 'held') return false
    const outcome = await aloneIn(core, room, work)
    // A room that was given up while this waited for its turn is opened again.
    if (outcome !== 'gone') return outcome === 'done'
  }
  return false
}

function aloneIn(core: Core, room: Room, work: (room: Room) => void | Promise<void>): Promise<'done' | 'gone' | 'failed'> {
  const alone = async (): Promise<'done' | 'gone' | 'failed'> => {
    if (room.gone) return 'gone'
    await core.pump.settled(room)
    if (room.gone) return 'gone'
    await work(room)
    await core.pump.settled(room)
    // Nobody may be there: it was opened for this alone.
    if (!room.gone && room.seats.size === 0) releaseEmpty(core, room)
    return room.gone ? 'failed' : 'done'
  }
  return new Promise((resolve, reject) => {
    enqueue(core, room, () => {
      const working = alone()
      working.then(resolve, reject)
      return working.then(() => undefined)
    })
  })
}

/** Archives what accounts without premium have claimed, lifts that when they have it again, and in the end releases it. */
async function lookAtPremium(core: Core, now: number): Promise<void> {
  const claimed = await core.rows.read.selectFrom('rooms').select(['id', 'account', 'archived_at']).where('account', 'is not', null).execute()
  const premium = new Map<string, boolean | null>()
  for (const { id, account, archived_at } of claimed) {
    if (account === null) continue
    const has = premium.has(account) ? premium.get(account) : ((await core.profileOf(account))?.premium ?? null)
    premium.set(account, has ?? null)
    const isOver = has === null || (archived_at !== null && has === false && archived_at + core.config.rooms.archive <= now)
    if (!isOver && (has === true) === (archived_at === null)) continue
    await inRoom(core, id, room => {
      if (room.claim?.account !== account) return
      if (isOver) return unclaim(core, room)
      room.claim.archivedAt = has === true ? null : now
      room.turn.writes.push({ do: 'set', columns: { archived_at: room.claim.archivedAt } })
      core.pump.touch(room)
    })
  }
}
