import type { RouteAnswer } from '@deputy/contract/api'
import type { listClaimedRooms } from '@deputy/contract/api-rooms'
import { unclaim } from './claims.ts'
import type { Core } from './core.ts'
import { inRoom } from './due.ts'
import { dropStored } from './messages.ts'
import type { Room } from './room.ts'

/** How a change by the account ended. */
export type AccountChange = 'ok' | 'not-found' | 'unavailable'

/** What an account's settings do with the rooms it claimed; it can change every one of them. */
export function accountRooms(core: Core) {
  const { rows, config } = core
  const change = async (account: string, id: string, work: (room: Room) => void | Promise<void>): Promise<AccountChange> => {
    const row = await rows.read.selectFrom('rooms').select('key').where('id', '=', id).where('account', '=', account).executeTakeFirst()
    if (row === undefined) return 'not-found'
    let found = false
    const done = await inRoom(core, id, async room => {
      if (room.claim?.account !== account) return
      found = true
      await work(room)
    })
    if (found && done) return 'ok'
    return done ? 'not-found' : 'unavailable'
  }
  return {
    list: async (account: string): Promise<RouteAnswer<typeof listClaimedRooms>['rooms']> => {
      const found = await rows.read.selectFrom('rooms').selectAll().where('account', '=', account).orderBy('claimed_at', 'desc').orderBy('key').execute()
      return found.map(row => ({
        room: row.id,
        app: row.app ?? '',
        description: row.description,
        claimedAt: row.claimed_at ?? row.created,
        expiresAt: row.expires_at,
        mailbox: row.mailbox === 1,
        bytes: row.bytes,
        messages: row.messages,
        cap: row.cap ?? config.rooms.mailbox,
        archived: row.archived_at !== null,
        members: core.rooms.get(row.id)?.seats.size ?? 0,
      }))
    },
    clear: (account: string, id: string): Promise<AccountChange> =>
      change(account, id, async room => {
        await dropStored(core, room, 1, room.seq)
      }),
    limit: (account: string, id: string, cap: number | null): Promise<AccountChange> =>
      change(account, id, room => {
        if (room.claim === null) return
        room.claim.cap = cap
        room.turn.writes.push({ do: 'set', columns: { cap } })
        core.pump.touch(room)
      }),
    unclaim: (account: string, id: string): Promise<AccountChange> => change(account, id, room => unclaim(core, room)),
    /** Gives up every claim of an account that is leaving. */
    drop: async (account: string): Promise<void> => {
      const found = await rows.read.selectFrom('rooms').select('id').where('account', '=', account).execute()
      for (const { id } of found) await change(account, id, room => unclaim(core, room))
    },
  }
}
