import type { Services } from '../services.ts'
import type { Connection } from './connection.ts'
import type { Pump } from './pump.ts'
import type { Room, Seat } from './room.ts'

/** Whether two apps are one; `unknown` while it cannot be told. */
export type Sameness = 'same' | 'different' | 'unknown'

/** What the room service needs of the rest of the server. */
export type RoomNeeds = Pick<Services, 'rows' | 'clock' | 'config' | 'ids' | 'log' | 'profileOf' | 'findSession' | 'sessionLives'> & {
  /** Whether two apps are one once verified. */
  sameApp(one: string, other: string): Promise<Sameness>
  /** Runs once after the events at hand have been read. */
  later(run: () => void): void
  /** No other process has this database, so that a lease of another one is void. */
  readonly alone: boolean
}

/** What the parts of the room service share. */
export interface Core extends RoomNeeds {
  /** Names this process in leases. */
  readonly process: string
  readonly pump: Pump
  /** The rooms this process holds. */
  readonly rooms: Map<string, Room>
  readonly connections: Set<Connection>
  /** Seats without a socket, the one held longest first. */
  readonly held: Set<Seat>
  /** The room of an id: taken from its rows, made by `create` when there is none, null without it, `held` by another process. */
  open(id: string, create?: (key: string) => Room): Promise<Room | 'held' | null>
  /** When the next temporary claim ends. */
  nextExpiry: number
}
