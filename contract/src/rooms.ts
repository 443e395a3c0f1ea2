import { ok, unsubscribe } from './answers.ts'
import { roomEvent } from './room-events.ts'
import {
  roomBacklog,
  roomClaimWire,
  roomDefaults,
  roomEnd,
  roomJoinOptions,
  roomMailbox,
  roomMember,
  roomOpenWire,
  roomPermission,
  roomsErrorCodes,
} from './room-types.ts'
import { boolean, call, callback, handle, list, nothing, nullable, number, oneOf, optional, promise, string, type Received } from './shape.ts'

const codes = { codes: roomsErrorCodes } as const
const memberId = /* @__PURE__ */ string({ max: 1024 })
// Whole or not, in range or not: the room answers `invalid` in its own words.
const seq = /* @__PURE__ */ number()
// Longer than any room carries, so that a text past the room's own limit is refused `too-large` and not by its shape.
const text = /* @__PURE__ */ string({ max: 2 ** 24 })

/** A room this app has a seat in. Every call that can be refused answers `{ error, message }`. */
export const roomHandle = /* @__PURE__ */ handle({
  id: /* @__PURE__ */ string({ max: 1024 }),
  name: /* @__PURE__ */ string({ max: 1024 }),
  invite: /* @__PURE__ */ string({ max: 2048 }),
  key: /* @__PURE__ */ string({ max: 64 }),
  owner: memberId,
  self: roomMember,
  claimed: boolean,
  closed: /* @__PURE__ */ promise(roomEnd),
  mailbox: /* @__PURE__ */ nullable(roomMailbox),
  mailboxSwitch: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf(true)),
  temporaryClaims: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf(true)),
  backlog: /* @__PURE__ */ call([seq, /* @__PURE__ */ optional(/* @__PURE__ */ number())], roomBacklog, { codes: roomsErrorCodes, deadline: 60_000 }),
  block: /* @__PURE__ */ call([memberId], ok, codes),
  unblock: /* @__PURE__ */ call([memberId], ok, codes),
  remove: /* @__PURE__ */ call([memberId], ok, codes),
  claim: /* @__PURE__ */ call([/* @__PURE__ */ optional(roomClaimWire)], ok, { codes: roomsErrorCodes, deadline: Infinity }),
  release: /* @__PURE__ */ call([], ok, codes),
  defaults: /* @__PURE__ */ call([], roomDefaults, codes),
  setDefault: /* @__PURE__ */ call([/* @__PURE__ */ oneOf('send', 'receive'), boolean], ok, codes),
  limit: /* @__PURE__ */ call([/* @__PURE__ */ nullable(/* @__PURE__ */ number()), /* @__PURE__ */ optional(memberId)], ok, codes),
  grant: /* @__PURE__ */ call([memberId, roomPermission], ok, codes),
  revoke: /* @__PURE__ */ call([memberId, roomPermission], ok, codes),
  send: /* @__PURE__ */ call([text], ok, codes),
  edit: /* @__PURE__ */ call([seq, text], ok, codes),
  delete: /* @__PURE__ */ call([seq, /* @__PURE__ */ optional(/* @__PURE__ */ number())], ok, codes),
  members: /* @__PURE__ */ call([], /* @__PURE__ */ list(roomMember), codes),
  leave: /* @__PURE__ */ call([], nothing),
  on: /* @__PURE__ */ call([/* @__PURE__ */ callback([roomEvent])], unsubscribe),
  setMailbox: /* @__PURE__ */ call([boolean], ok, { codes: roomsErrorCodes, since: 2 }),
  usage: /* @__PURE__ */ call([], /* @__PURE__ */ nullable(roomMailbox), codes),
})
export type RoomHandle = Received<typeof roomHandle>

const opening = { codes: roomsErrorCodes, deadline: 60_000 } as const

/** End-to-end encrypted group messaging. */
export const rooms = {
  available: /* @__PURE__ */ call([], boolean),
  create: /* @__PURE__ */ call([/* @__PURE__ */ optional(roomOpenWire)], roomHandle, opening),
  join: /* @__PURE__ */ call([/* @__PURE__ */ string(), /* @__PURE__ */ optional(roomJoinOptions)], roomHandle, opening),
  open: /* @__PURE__ */ call([/* @__PURE__ */ string(), /* @__PURE__ */ optional(roomOpenWire)], roomHandle, opening),
}
