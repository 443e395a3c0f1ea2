import type { Room } from '@deputy/client/rooms'

/**
 * Keeps the room beyond its last member. Claiming again changes what was said and starts the clock anew. Answers when the claim ends by
 * itself, in epoch ms.
 */
export async function claim(room: Room, options: { description: string; mailbox: boolean; days: number | null }) {
  const { description, mailbox, days } = options
  const temporary = days === null ? false : Math.round(days * 24 * 3_600_000)
  await room.claim({ mailbox, temporary, ...(description === '' ? {} : { description }) })
  return temporary === false ? null : Date.now() + temporary
}
