import type { RoomRow } from '../rows/room-schema.ts'

/** One change of a room's rows. */
export type RoomWrite =
  | { readonly do: 'seat'; readonly seat: StoredSeat }
  | { readonly do: 'unseat'; readonly member: string }
  | { readonly do: 'override'; readonly subject: string; readonly data: string | null }
  | { readonly do: 'block'; readonly member: string; readonly account: string | null; readonly device: string | null }
  | { readonly do: 'unblock'; readonly member: string }
  | { readonly do: 'set'; readonly columns: Partial<SettableColumns> }
  | { readonly do: 'message'; readonly message: StoredMessage }
  | { readonly do: 'sender'; readonly member: string; readonly account: string | null; readonly credential: string }
  | { readonly do: 'edit'; readonly seq: number; readonly n: number; readonly text: string; readonly by: string; readonly revision: number }
  | { readonly do: 'delete'; readonly n: number; readonly at: number; readonly first: number; readonly last: number }
  | { readonly do: 'clear' }
  | { readonly do: 'end' }

/** Columns of a room that its members and its account change. */
export type SettableColumns = Pick<
  RoomRow,
  | 'max_bytes'
  | 'send'
  | 'receive'
  | 'owner'
  | 'holder'
  | 'lease_until'
  | 'account'
  | 'app'
  | 'claimed_at'
  | 'description'
  | 'mailbox'
  | 'mailbox_n'
  | 'expires_at'
  | 'archived_at'
  | 'cap'
>

/** A seat as it is kept. */
export interface StoredSeat {
  readonly member: string
  readonly token: string
  readonly token_before: string | null
  readonly account: string | null
  readonly app: string
  readonly device: string | null
  readonly credential: string
}

/** A message as it is first kept. */
export interface StoredMessage {
  readonly seq: number
  readonly n: number
  readonly at: number
  readonly sender: string
  readonly request: string
  readonly text: string
}

/** What one room changes at once: all of it or, when the room is no longer this process's, nothing. */
export interface RoomBatch {
  readonly key: string
  /** The row of a room that comes into being with this batch. */
  readonly create?: RoomRow
  /** The epoch under which this process holds the room. */
  readonly epoch: number
  /** The event number the row must have, and the one it gets. */
  readonly from: number
  readonly to: number
  readonly seq: number
  readonly bytes: number
  readonly messages: number
  readonly writes: readonly RoomWrite[]
}
