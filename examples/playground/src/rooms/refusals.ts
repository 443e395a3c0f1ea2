import { RoomsError, type RoomEnd, type RoomsErrorCode } from '@deputy/client/rooms'

const words: Readonly<Partial<Record<RoomsErrorCode, string>>> = {
  'not-found': 'There is no such room, or not any more: a room ends when nobody is in it, unless it is claimed. Ask for a new invite, or make a room.',
  'bad-key': 'The key of this invite does not open the room. Ask for the whole link again.',
  invalid: 'That is not accepted. Is the invite link whole?',
  full: 'The room is full. Try again when somebody has left.',
  blocked: 'The owner has blocked you from this room.',
  denied: 'The owner has not allowed you this.',
  'rate-limited': 'Slower, please: a member may say 20 things a second. Nothing is lost, try again in a moment.',
  'too-large': 'That is more than a message may hold here. Shorten it, or send it in parts.',
  storage: 'The room could not store this. Try again in a moment.',
  quota: 'The mailbox of this room is full. Its owner can delete messages or set another size in the account.',
  unavailable: 'Rooms cannot be reached now. Check the connection, then try again.',
  closed: 'You are not in the room any more.',
}

const ends: Readonly<Record<RoomEnd['reason'], string>> = {
  left: 'You have left the room.',
  removed: 'Somebody who may do so removed you. You can come in again.',
  blocked: 'You were blocked from this room and cannot come back unless the owner unblocks you.',
  ended: 'The room has ended.',
  unavailable: 'The connection to the room was lost for too long. Come in again to go on.',
}

/** What was refused and what to do now, for a person. */
export function inWords(error: unknown): string {
  if (error instanceof RoomsError) return words[error.code] ?? error.message
  return error instanceof Error ? error.message : 'Something went wrong.'
}

/** How the room ended, for a person. */
export const endInWords = (reason: RoomEnd['reason']): string => ends[reason]
