import type { RoomDefaults, RoomMailbox, RoomMember, RoomPermission, RoomPermissions } from '@deputy/contract/room-types'
import type { RoomRow } from '../rows/room-schema.ts'
import type { Config } from '../config/schema.ts'
import type { Bucket } from './bucket.ts'
import type { Connection } from './connection.ts'
import type { Ring } from './ring.ts'
import type { Turn } from './turn.ts'

/** The claim of a room. */
export interface Claim {
  readonly account: string
  readonly app: string
  readonly at: number
  description: string | null
  mailbox: boolean
  /** Messages are stored from this event on. */
  mailboxN: number
  expiresAt: number | null
  archivedAt: number | null
  /** The size limit the account set. */
  cap: number | null
  bytes: number
  messages: number
}

/** What the owner set for a member; what is absent follows the room's defaults. */
export type Override = Partial<Record<RoomPermission, boolean>> & { maxMessageBytes?: number }

/** A member's place in a room, which outlives its socket by the hold. */
export interface Seat {
  readonly room: Room
  readonly member: string
  readonly credential: string
  readonly device: string | null
  account: string | null
  app: string
  /** Hash of the token that takes the seat again, and of the one before until the new one is known to have arrived. */
  token: string
  tokenBefore: string | null
  /** Null while the seat is held. */
  connection: Connection | null
  heldUntil: number
  /** The last event handed on; the next turn begins after it. */
  cursor: number
  /** Answers that wait until missed messages have been read; null when the seat is up to date. */
  catching: Buffer[] | null
  /** Whether its credential is stored with the messages. */
  known: boolean
  readonly bucket: Bucket
  /** Answers by request id, null while it is being done. */
  readonly answers: Map<string, Buffer | null>
  unanswered: number
}

/** A member that may not come back. */
export interface Block {
  readonly account: string | null
  readonly device: string | null
}

/** A room in memory. Its holder is the one process that changes it. */
export interface Room {
  readonly key: string
  readonly id: string
  readonly scope: string
  readonly epoch: number
  readonly verifier: string
  readonly created: number
  readonly memberCap: number
  /** The row of a room that is not there yet. */
  create: RoomRow | undefined
  n: number
  seq: number
  /** The event number of the row, and the last one handed to members. */
  storedN: number
  deliveredN: number
  /** The last seq handed to members. */
  deliveredSeq: number
  /** While messages are not stored the row's seq runs ahead of the last one, so that it rises even across a crash. */
  reservedSeq: number
  maxBytes: number | null
  send: boolean
  receive: boolean
  owner: string
  claim: Claim | null
  readonly seats: Map<string, Seat>
  readonly overrides: Map<string, Override>
  readonly blocks: Map<string, Block>
  readonly ring: Ring
  /** Why seats ended, by the hash of their token. */
  readonly ended: Map<string, 'removed' | 'blocked'>
  turn: Turn
  /** The turn being made durable. */
  flying: Turn | null
  settling: (() => void)[]
  busy: boolean
  waiting: (() => void | Promise<void>)[]
  /** No longer the room of this id; nothing may change it. */
  gone: boolean
}

/** By what an override is kept: the account where there is one, so that it outlives the seat. */
export const subjectOf = (seat: Pick<Seat, 'account' | 'member'>): string => (seat.account === null ? `m:${seat.member}` : `a:${seat.account}`)

/** Whether the seat is the owner's: its own in an unclaimed room, any of the account's in a claimed one. */
export const isOwner = (room: Room, seat: Pick<Seat, 'account' | 'member'>): boolean =>
  room.claim === null ? seat.member === room.owner : seat.account === room.claim.account

/** Whether messages are stored. */
export const stores = (room: Room): boolean => room.claim !== null && room.claim.mailbox

/** The room's defaults. */
export const defaultsOf = (room: Room, config: Config): RoomDefaults => ({
  maxMessageBytes: room.maxBytes ?? config.rooms.message,
  receive: room.receive,
  send: room.send,
})

/** What the member may do. The owner keeps every permission. */
export function permissionsOf(room: Room, seat: Seat): RoomPermissions {
  if (isOwner(room, seat)) return { send: true, receive: true, remove: true, block: true }
  const own = room.overrides.get(subjectOf(seat))
  return { send: own?.send ?? room.send, receive: own?.receive ?? room.receive, remove: own?.remove ?? false, block: own?.block ?? false }
}

/** The largest message of the member. */
export const capOf = (room: Room, seat: Seat, config: Config): number =>
  room.overrides.get(subjectOf(seat))?.maxMessageBytes ?? room.maxBytes ?? config.rooms.message

/** The member as others see it. */
export const memberFrom = (room: Room, seat: Seat, config: Config): RoomMember => ({
  id: seat.member,
  maxMessageBytes: capOf(room, seat, config),
  permissions: { ...permissionsOf(room, seat) },
})

/** What the mailbox holds; null for a room that keeps no messages. */
export const usageOf = (room: Room, config: Config): RoomMailbox | null =>
  room.claim === null || !room.claim.mailbox
    ? null
    : {
        archived: room.claim.archivedAt !== null,
        bytes: room.claim.bytes,
        cap: room.claim.cap ?? config.rooms.mailbox,
        messages: room.claim.messages,
      }

/** What the claim event says. */
export const claimStateOf = (room: Room): { claimed: boolean; mailbox: boolean; owner: string } => ({
  claimed: room.claim !== null,
  mailbox: stores(room),
  owner: room.owner,
})
