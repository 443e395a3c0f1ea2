import { roomDefaults, roomMember, roomMessage, roomPermissions } from './room-types.ts'
import { boolean, either, integer, object, oneOf, string, type Received } from './shape.ts'

const memberId = /* @__PURE__ */ string({ max: 128 })

/** What the listeners of a room hear, told apart by `type`. */
export const roomEvents = {
  message: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('message'), message: roomMessage, replayed: boolean }),
  edited: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('edited'), message: roomMessage }),
  deleted: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('deleted'), from: /* @__PURE__ */ integer(), to: /* @__PURE__ */ integer() }),
  joined: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('joined'), member: roomMember }),
  left: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('left'), id: memberId, reason: /* @__PURE__ */ oneOf('left', 'removed', 'blocked') }),
  permissions: /* @__PURE__ */ object({
    type: /* @__PURE__ */ oneOf('permissions'),
    id: memberId,
    maxMessageBytes: /* @__PURE__ */ integer(),
    permissions: roomPermissions,
  }),
  defaults: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('defaults'), defaults: roomDefaults }),
  claim: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('claim'), claimed: boolean, mailbox: boolean, owner: memberId }),
}
export const roomEvent = /* @__PURE__ */ either(
  roomEvents.message,
  roomEvents.edited,
  roomEvents.deleted,
  roomEvents.joined,
  roomEvents.left,
  roomEvents.permissions,
  roomEvents.defaults,
  roomEvents.claim,
)
export type RoomEvent = Received<typeof roomEvent>
