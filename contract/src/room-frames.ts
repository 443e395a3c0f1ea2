import { roomDefaults, roomMailbox, roomMember, roomMessage, roomPermission, roomPermissions, roomsErrorCodes } from './room-types.ts'
import { boolean, either, integer, list, nullable, number, object, oneOf, opaque, optional, string, type Received, type Shape } from './shape.ts'

const memberId = /* @__PURE__ */ string({ min: 22, max: 22, pattern: /^[A-Za-z0-9_-]{22}$/ })
/** 128 bits the client mints for each request. */
const requestId = /* @__PURE__ */ string({ min: 22, max: 22, pattern: /^[A-Za-z0-9_-]{22}$/ })
/** 32 bytes as canonical unpadded base64url. */
const bytes32 = /* @__PURE__ */ string({ min: 43, max: 43, pattern: /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/ })
/** 64 bytes as canonical unpadded base64url. */
const bytes64 = /* @__PURE__ */ string({ min: 86, max: 86, pattern: /^[A-Za-z0-9_-]{85}[AQgw]$/ })
const room = /* @__PURE__ */ string({ min: 3, max: 400, pattern: /^[\x21-\x7e]+$/ })
const credential = /* @__PURE__ */ string({ min: 1, max: 512, pattern: /^[A-Za-z0-9_-]+$/ })
const sealed = /* @__PURE__ */ string({ min: 1, max: 2 ** 24, pattern: /^[A-Za-z0-9_-]+$/ })
const app = /* @__PURE__ */ string({ min: 5, max: 300, pattern: /^(web|registry|dev):[\x21-\x7e]+$/ })
// Numbers and options the room itself answers `invalid`, in its own words.
const anyNumber = /* @__PURE__ */ number()

const request = <const Type extends string, const M extends Readonly<Record<string, Shape>>>(type: Type, members: M) =>
  object({ type: oneOf(type), id: requestId, ...members })

/** The first frame of a socket. */
export const helloFrame = /* @__PURE__ */ object({
  type: /* @__PURE__ */ oneOf('hello'),
  app,
  token: /* @__PURE__ */ optional(bytes32),
  device: /* @__PURE__ */ optional(bytes32),
})

/** Every later frame of a client: a request, answered once under its `id`. */
export const roomRequests = {
  session: /* @__PURE__ */ request('session', { token: /* @__PURE__ */ nullable(bytes32) }),
  join: /* @__PURE__ */ request('join', {
    room,
    create: /* @__PURE__ */ optional(
      /* @__PURE__ */ object({
        defaults: /* @__PURE__ */ optional(
          /* @__PURE__ */ object({
            maxMessageBytes: /* @__PURE__ */ optional(anyNumber),
            receive: /* @__PURE__ */ optional(boolean),
            send: /* @__PURE__ */ optional(boolean),
          }),
        ),
        members: /* @__PURE__ */ optional(anyNumber),
      }),
    ),
    verifier: bytes32,
    member: memberId,
    publicKey: bytes32,
    signature: bytes64,
    credential,
  }),
  resume: /* @__PURE__ */ request('resume', {
    room,
    token: bytes32,
    epoch: /* @__PURE__ */ integer(),
    n: /* @__PURE__ */ integer(),
    seq: /* @__PURE__ */ integer(),
  }),
  leave: /* @__PURE__ */ request('leave', { room }),
  send: /* @__PURE__ */ request('send', { room, text: sealed }),
  edit: /* @__PURE__ */ request('edit', { room, seq: anyNumber, text: sealed, revision: /* @__PURE__ */ integer({ min: 1 }) }),
  delete: /* @__PURE__ */ request('delete', { room, from: anyNumber, to: /* @__PURE__ */ optional(anyNumber) }),
  backlog: /* @__PURE__ */ request('backlog', { room, after: anyNumber, limit: /* @__PURE__ */ optional(anyNumber) }),
  find: /* @__PURE__ */ request('find', { room, seq: anyNumber }),
  members: /* @__PURE__ */ request('members', { room }),
  credentials: /* @__PURE__ */ request('credentials', { room, ids: /* @__PURE__ */ list(memberId, { max: 200 }) }),
  remove: /* @__PURE__ */ request('remove', { room, member: memberId }),
  block: /* @__PURE__ */ request('block', { room, member: memberId }),
  unblock: /* @__PURE__ */ request('unblock', { room, member: memberId }),
  grant: /* @__PURE__ */ request('grant', { room, member: memberId, permission: roomPermission }),
  revoke: /* @__PURE__ */ request('revoke', { room, member: memberId, permission: roomPermission }),
  defaults: /* @__PURE__ */ request('defaults', { room }),
  setDefault: /* @__PURE__ */ request('setDefault', { room, permission: /* @__PURE__ */ oneOf('send', 'receive'), value: boolean }),
  limit: /* @__PURE__ */ request('limit', { room, maxMessageBytes: /* @__PURE__ */ nullable(anyNumber), member: /* @__PURE__ */ optional(memberId) }),
  claim: /* @__PURE__ */ request('claim', { room, description: opaque, mailbox: opaque, temporary: opaque }),
  release: /* @__PURE__ */ request('release', { room }),
  setMailbox: /* @__PURE__ */ request('setMailbox', { room, on: boolean }),
  usage: /* @__PURE__ */ request('usage', { room }),
} as const
/** A request by name, as the server reads it. */
export type RoomRequest<Type extends keyof typeof roomRequests = keyof typeof roomRequests> = {
  [T in keyof typeof roomRequests]: Received<(typeof roomRequests)[T]>
}[Type]

/** A message as the room service holds it: `text` sealed by `by`, which is the sender, or the owner who edited it last. */
export const sealedMessage = /* @__PURE__ */ object({
  ...roomMessage.members,
  by: memberId,
  revision: /* @__PURE__ */ integer(),
})
export type SealedMessage = Received<typeof sealedMessage>

/** A member with the credential it sealed for the holders of the room key. */
export const credentialed = /* @__PURE__ */ object({ id: memberId, credential })

const claimState = { claimed: boolean, mailbox: boolean, owner: /* @__PURE__ */ string({ max: 22 }) }

/** What an event frame carries: the events of the room, with messages still sealed, and `skip` for what this member may not hear. */
export const wireEvent = /* @__PURE__ */ either(
  /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('message'), message: sealedMessage }),
  /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('edited'), message: sealedMessage }),
  /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('deleted'), from: /* @__PURE__ */ integer(), to: /* @__PURE__ */ integer() }),
  /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('joined'), member: roomMember, credential }),
  /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('left'), id: memberId, reason: /* @__PURE__ */ oneOf('left', 'removed', 'blocked') }),
  /* @__PURE__ */ object({
    type: /* @__PURE__ */ oneOf('permissions'),
    id: memberId,
    maxMessageBytes: /* @__PURE__ */ integer(),
    permissions: roomPermissions,
  }),
  /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('defaults'), defaults: roomDefaults }),
  /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('claim'), ...claimState }),
  /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('skip') }),
)
export type WireEvent = Received<typeof wireEvent>

/** A seat taken or taken again: the state of the room right after event `n`. */
export const seatAnswer = /* @__PURE__ */ object({
  epoch: /* @__PURE__ */ integer(),
  n: /* @__PURE__ */ integer(),
  seq: /* @__PURE__ */ integer(),
  token: bytes32,
  hold: /* @__PURE__ */ integer(),
  self: roomMember,
  defaults: roomDefaults,
  ...claimState,
  usage: /* @__PURE__ */ nullable(roomMailbox),
})

const none = /* @__PURE__ */ object({})
const seat = /* @__PURE__ */ object(seatAnswer.members)

/** The `value` of the answer to each request. */
export const roomAnswers = {
  session: none,
  join: seat,
  resume: /* @__PURE__ */ object({ ...seatAnswer.members, replay: /* @__PURE__ */ oneOf('ring', 'mailbox', 'reset') }),
  leave: none,
  send: /* @__PURE__ */ object({ seq: /* @__PURE__ */ integer(), at: /* @__PURE__ */ number() }),
  edit: none,
  delete: none,
  backlog: /* @__PURE__ */ object({
    messages: /* @__PURE__ */ list(sealedMessage, { max: 200 }),
    senders: /* @__PURE__ */ list(credentialed, { max: 400 }),
    last: /* @__PURE__ */ integer(),
    more: boolean,
  }),
  find: /* @__PURE__ */ object({ message: sealedMessage }),
  members: /* @__PURE__ */ object({
    n: /* @__PURE__ */ integer(),
    members: /* @__PURE__ */ list(/* @__PURE__ */ object({ ...roomMember.members, credential })),
  }),
  credentials: /* @__PURE__ */ object({ senders: /* @__PURE__ */ list(credentialed, { max: 200 }) }),
  remove: none,
  block: none,
  unblock: none,
  grant: none,
  revoke: none,
  defaults: /* @__PURE__ */ object({ defaults: roomDefaults }),
  setDefault: none,
  limit: none,
  claim: none,
  release: none,
  setMailbox: none,
  usage: /* @__PURE__ */ object({ usage: /* @__PURE__ */ nullable(roomMailbox) }),
} as const satisfies Readonly<Record<keyof typeof roomRequests, Shape>>
/** The `value` that answers a request. */
export type RoomAnswer<Type extends keyof typeof roomAnswers> = Received<(typeof roomAnswers)[Type]>

/** Every frame of the server. */
export const serverFrames = {
  welcome: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('welcome'), challenge: bytes32, signedIn: boolean }),
  ok: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('ok'), id: requestId, value: opaque }),
  no: /* @__PURE__ */ object({
    type: /* @__PURE__ */ oneOf('no'),
    id: requestId,
    error: /* @__PURE__ */ oneOf(...roomsErrorCodes),
    message: /* @__PURE__ */ string({ max: 1024 }),
  }),
  event: /* @__PURE__ */ object({
    type: /* @__PURE__ */ oneOf('event'),
    room,
    epoch: /* @__PURE__ */ integer(),
    n: /* @__PURE__ */ integer(),
    event: wireEvent,
  }),
  caughtUp: /* @__PURE__ */ object({
    type: /* @__PURE__ */ oneOf('caughtUp'),
    room,
    epoch: /* @__PURE__ */ integer(),
    n: /* @__PURE__ */ integer(),
  }),
  end: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('end'), room, reason: /* @__PURE__ */ oneOf('removed', 'blocked', 'ended', 'unavailable') }),
  lost: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('lost'), room }),
  signedOut: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('signedOut') }),
  claimFreed: /* @__PURE__ */ object({ type: /* @__PURE__ */ oneOf('claimFreed') }),
} as const
/** A frame of the server, told apart by `type`. */
export const serverFrame = /* @__PURE__ */ either(
  serverFrames.event,
  serverFrames.ok,
  serverFrames.no,
  serverFrames.welcome,
  serverFrames.caughtUp,
  serverFrames.end,
  serverFrames.lost,
  serverFrames.signedOut,
  serverFrames.claimFreed,
)
export type ServerFrame = Received<typeof serverFrame>
