import { boolean, either, integer, number, object, oneOf, optional, signal, string, unchecked, type Fail, type Received } from './shape.ts'

/** Why a rooms call is refused; the messages are in the table `roomsRefusals`. */
export const roomsErrorCodes = [
  'invalid',
  'not-found',
  'bad-key',
  'full',
  'blocked',
  'denied',
  'rate-limited',
  'too-large',
  'storage',
  'quota',
  'unavailable',
  'closed',
] as const
export type RoomsErrorCode = (typeof roomsErrorCodes)[number]
export type RoomsFail = Fail<RoomsErrorCode>

export const roomPermission = /* @__PURE__ */ oneOf('send', 'receive', 'remove', 'block')
export type RoomPermission = Received<typeof roomPermission>
export const roomPermissions = /* @__PURE__ */ object({ send: boolean, receive: boolean, remove: boolean, block: boolean })
export type RoomPermissions = Readonly<Record<RoomPermission, boolean>>

/** `maxMessageBytes` is measured on the wire: nonce plus ciphertext, base64url. */
export const roomDefaults = /* @__PURE__ */ object({ maxMessageBytes: /* @__PURE__ */ integer(), receive: boolean, send: boolean })
export type RoomDefaults = Readonly<Received<typeof roomDefaults>>

/** `id` is fresh in every room. */
export const roomMember = /* @__PURE__ */ object({
  id: /* @__PURE__ */ string({ max: 128 }),
  maxMessageBytes: /* @__PURE__ */ integer(),
  permissions: roomPermissions,
})
export type RoomMember = Received<typeof roomMember>

/** `at` in epoch ms, `from` a member id. */
export const roomMessage = /* @__PURE__ */ object({
  at: /* @__PURE__ */ number(),
  from: /* @__PURE__ */ string({ max: 128 }),
  seq: /* @__PURE__ */ integer(),
  text: /* @__PURE__ */ string({ max: 2 ** 24 }),
})
export type RoomMessage = Received<typeof roomMessage>

/** `last` is the highest seq sent. */
export const roomBacklog = /* @__PURE__ */ object({ last: /* @__PURE__ */ integer(), more: boolean })
export type RoomBacklog = Received<typeof roomBacklog>

export const roomEnd = /* @__PURE__ */ object({ reason: /* @__PURE__ */ oneOf('left', 'removed', 'blocked', 'ended', 'unavailable') })
export type RoomEnd = Received<typeof roomEnd>

/** The stored messages of a claimed room. */
export const roomMailbox = /* @__PURE__ */ object({
  archived: boolean,
  bytes: /* @__PURE__ */ integer(),
  cap: /* @__PURE__ */ integer(),
  messages: /* @__PURE__ */ integer(),
})
export type RoomMailbox = Received<typeof roomMailbox>

// Values the contract answers with a refusal of their own reach the broker as they are.
const anyText = /* @__PURE__ */ optional(/* @__PURE__ */ unchecked(/* @__PURE__ */ string()))
const anyNumber = /* @__PURE__ */ optional(/* @__PURE__ */ unchecked(/* @__PURE__ */ number()))

export const roomOpenWire = /* @__PURE__ */ object({
  defaults: /* @__PURE__ */ optional(
    /* @__PURE__ */ object({ maxMessageBytes: anyNumber, receive: /* @__PURE__ */ optional(boolean), send: /* @__PURE__ */ optional(boolean) }),
  ),
  key: anyText,
  members: anyNumber,
  signal: /* @__PURE__ */ optional(signal),
})
/** `key` is minted when absent; `members` counts only in the join that brings the room into being; aborting leaves the room. */
export interface RoomOpenOptions {
  readonly defaults?: Partial<RoomDefaults>
  readonly key?: string
  readonly members?: number
  readonly signal?: AbortSignal
}
export type RoomCreateOptions = RoomOpenOptions

export const roomJoinOptions = /* @__PURE__ */ object({ signal: /* @__PURE__ */ optional(signal) })
export type RoomJoinOptions = Received<typeof roomJoinOptions>

export const roomClaimWire = /* @__PURE__ */ object({
  description: anyText,
  mailbox: /* @__PURE__ */ optional(/* @__PURE__ */ unchecked(boolean)),
  temporary: /* @__PURE__ */ optional(/* @__PURE__ */ unchecked(/* @__PURE__ */ either(boolean, /* @__PURE__ */ number()))),
})
/** `temporary` true is a week; the broker hands it on as a number of milliseconds. */
export interface RoomClaimOptions {
  readonly description?: string
  readonly mailbox?: boolean
  readonly temporary?: boolean | number
}
