import type { Refusal } from './refusals.ts'
import type { RoomsErrorCode } from './room-types.ts'

/** Every refusal of `rooms`. */
export const roomsRefusals = {
  badInvite: { code: 'invalid', message: 'rooms: the invite is malformed' },
  badKey: { code: 'bad-key', message: 'rooms: the key does not open the room' },
  badName: { code: 'invalid', message: 'rooms: the name is malformed' },
  blocked: { code: 'blocked', message: 'rooms: blocked from the room' },
  cannotChange: { code: 'denied', message: 'rooms: only the app that claimed the room can change it' },
  cannotDescribe: { code: 'denied', message: 'rooms: only the app that claimed the room can describe it' },
  cannotExpire: { code: 'denied', message: 'rooms: only the app that claimed the room can set when it expires' },
  cannotTell: { code: 'unavailable', message: 'rooms: cannot tell whether two apps are one' },
  closed: { code: 'closed', message: 'rooms: the room is closed' },
  full: { code: 'full', message: 'rooms: the room is full' },
  keepsNoMessages: { code: 'invalid', message: 'rooms: the room keeps no messages' },
  mailboxFull: { code: 'quota', message: 'rooms: the mailbox is full' },
  malformed: { code: 'invalid', message: 'rooms: malformed frame' },
  needsPremium: { code: 'denied', message: 'rooms: a claim needs a premium account' },
  noMailboxSwitch: { code: 'unavailable', message: 'rooms: the mailbox switch is not available' },
  noTemporaryClaims: { code: 'unavailable', message: 'rooms: temporary claims are not available' },
  notClaimed: { code: 'invalid', message: 'rooms: the room is not claimed' },
  notFound: { code: 'not-found', message: 'rooms: no room at this invite' },
  notOwner: { code: 'denied', message: 'rooms: not the room owner' },
  noSuchMember: { code: 'not-found', message: 'rooms: no such member' },
  noSuchMessage: { code: 'not-found', message: 'rooms: no such message' },
  permissionDenied: { code: 'denied', message: 'rooms: permission denied' },
  rateLimited: { code: 'rate-limited', message: 'rooms: too many messages, try again later' },
  storage: { code: 'storage', message: 'rooms: the message could not be stored' },
  tooLarge: { code: 'too-large', message: 'rooms: the message is too large' },
  tooManyClaims: { code: 'full', message: 'rooms: too many claims' },
  unavailable: { code: 'unavailable', message: 'rooms: rooms are unavailable' },
} as const satisfies Record<string, Refusal<RoomsErrorCode>>
