import type { Room } from '@deputy/client/rooms'

const page = 50

/** Replays stored messages above `after` up to the newest; each comes as a message event. */
export async function catchUp(room: Room, after: number) {
  let last = after
  for (let more = true; more;) ({ last, more } = await room.backlog(last))
}

/** Replays the page before `first` and answers where it begins; 0 is the very beginning. */
export async function pageBefore(room: Room, first: number) {
  const after = Math.max(0, first - page)
  if (first > 0) await room.backlog(after, first - after)
  return after
}
