import { route } from './api.ts'
import { boolean, integer, list, nullable, object, string } from './shape.ts'

const none = /* @__PURE__ */ object({})
const room = /* @__PURE__ */ string({ min: 3, max: 400 })

/** A room the account has claimed, as its settings show it. */
export const claimedRoom = /* @__PURE__ */ object({
  room,
  /** The app that claimed it. */
  app: /* @__PURE__ */ string({ max: 300 }),
  description: /* @__PURE__ */ nullable(/* @__PURE__ */ string({ max: 200 })),
  claimedAt: /* @__PURE__ */ integer(),
  /** Epoch ms at which a temporary claim ends; null is permanent. */
  expiresAt: /* @__PURE__ */ nullable(/* @__PURE__ */ integer()),
  mailbox: boolean,
  bytes: /* @__PURE__ */ integer(),
  messages: /* @__PURE__ */ integer(),
  /** The most its mailbox holds, in bytes. */
  cap: /* @__PURE__ */ integer(),
  archived: boolean,
  members: /* @__PURE__ */ integer(),
})

/** The account's claimed rooms, newest claim first, and how many it may have. */
export const listClaimedRooms = /* @__PURE__ */ route(
  'rooms',
  'claimed',
  'account',
  'read',
  none,
  object({ rooms: list(claimedRoom), limit: /* @__PURE__ */ integer() }),
)
/** Deletes every stored message of a claimed room; its members hear `deleted`. */
export const clearRoom = /* @__PURE__ */ route('rooms', 'clear', 'account', 'write', object({ room }), none)
/** Sets the most the room's mailbox holds, in bytes; null is the usual cap. Nothing stored is dropped. */
export const limitRoom = /* @__PURE__ */ route('rooms', 'limit', 'account', 'write', object({ room, cap: nullable(integer({ min: 1 })) }), none)
/** Gives the room's name back and deletes its stored messages; its members hear `claim`. */
export const unclaimRoom = /* @__PURE__ */ route('rooms', 'unclaim', 'account', 'write', object({ room }), none)
