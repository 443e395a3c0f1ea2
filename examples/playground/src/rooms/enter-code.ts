import * as rooms from '@deputy/client/rooms'

const made = new Map<string, rooms.Room>()

/** Makes a room and answers the link to it: what stands behind the # never reaches a server. */
export async function make() {
  const room = await rooms.create()
  made.set(room.invite, room)
  return `${location.pathname}#${room.invite}`
}

/** Takes a seat. A tab that reloads within 30 seconds gets its own back, with what it missed. */
export async function enter(invite: string, signal: AbortSignal) {
  const room = made.get(invite)
  made.delete(invite)
  return room ?? rooms.join(invite, { signal })
}
