/** The tables of rooms. Texts of messages and credentials are sealed by their members; the key is in no column. */
export interface RoomSchema {
  rooms: RoomRow
  room_seats: RoomSeatRow
  room_overrides: RoomOverrideRow
  room_blocks: RoomBlockRow
  room_senders: RoomSenderRow
  room_messages: RoomMessageRow
  room_deletions: RoomDeletionRow
}

/** A room: its lease, its counters, its settings and its claim. */
export interface RoomRow {
  /** Names this run of the room; a later room of the same id has another. */
  key: string
  /** `<scope>/<name>`. */
  id: string
  /** Rises each time a process takes the room; every write carries it. */
  epoch: number
  /** The process that writes the room; empty when none does. */
  holder: string
  lease_until: number
  /** The last event number that is durable. */
  n: number
  /** The last seq of a room that stores; an upper bound of it for one that does not. */
  seq: number
  /** SHA-256 of the join verifier. */
  verifier: string
  created: number
  member_cap: number
  /** The room's default size of a message; null is the server's. */
  max_bytes: number | null
  send: number
  receive: number
  /** Member id of the owner's seat; empty when the owner of a claimed room has none yet. */
  owner: string
  /** The account that claimed it; null is unclaimed. */
  account: string | null
  app: string | null
  claimed_at: number | null
  description: string | null
  mailbox: number
  /** The event number from which messages are stored. */
  mailbox_n: number
  expires_at: number | null
  archived_at: number | null
  /** The size limit the account set, in bytes. */
  cap: number | null
  bytes: number
  messages: number
}

/** A seat, so that a process that takes the room over finds its members. */
export interface RoomSeatRow {
  room: string
  member: string
  /** Hash of the token that takes the seat again. */
  token: string
  /** Hash of the token before, until the new one is known to have arrived. */
  token_before: string | null
  account: string | null
  app: string
  /** Hash of the device's secret, bound to the room. */
  device: string | null
  credential: string
}

/** What the owner set for a member: `a:<account>` or `m:<member id>`. */
export interface RoomOverrideRow {
  room: string
  subject: string
  /** JSON of the override. */
  data: string
}

/** A member kept out, with all it is known by. */
export interface RoomBlockRow {
  room: string
  member: string
  account: string | null
  device: string | null
}

/** Who sealed a stored message. */
export interface RoomSenderRow {
  room: string
  member: string
  account: string | null
  credential: string
}

/** A stored message; `text` is sealed. */
export interface RoomMessageRow {
  room: string
  seq: number
  /** The event that made it what it is. */
  n: number
  at: number
  sender: string
  /** The id of the request that sent it. */
  request: string
  text: string
  edited_by: string | null
  revision: number
}

/** A deletion, kept for members that are away. */
export interface RoomDeletionRow {
  room: string
  n: number
  at: number
  first: number
  last: number
}
