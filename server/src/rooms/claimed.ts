import { clearRoom, limitRoom, listClaimedRooms, unclaimRoom } from '@deputy/contract/api-rooms'
import { handler, refuse } from '../http/handler.ts'
import type { AccountChange } from './account-rooms.ts'

const answerTo = (change: AccountChange) => {
  if (change === 'ok') return {}
  return change === 'not-found' ? refuse('not-found', 'the account has not claimed this room') : refuse('unavailable', 'the room cannot be changed now')
}

/** The account's claimed rooms. */
export const list = handler(listClaimedRooms, async (_input, { session, config, accountRooms }) => ({
  rooms: await accountRooms.list(session.account),
  limit: config.rooms.claims,
}))

/** Deletes all messages of a claimed room. */
export const clear = handler(clearRoom, async ({ room }, { session, accountRooms }) => answerTo(await accountRooms.clear(session.account, room)))

/** Sets the size limit of a claimed room. */
export const limit = handler(limitRoom, async ({ room, cap }, { session, accountRooms }) => answerTo(await accountRooms.limit(session.account, room, cap)))

/** Gives a claimed room up. */
export const unclaim = handler(unclaimRoom, async ({ room }, { session, accountRooms }) => answerTo(await accountRooms.unclaim(session.account, room)))
