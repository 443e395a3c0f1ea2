import type { RouteAnswer } from '@deputy/contract/api'
import type { readProfile } from '@deputy/contract/api-accounts'
import type { readKeys } from '@deputy/contract/api-keys'
import type { renewSession } from '@deputy/contract/api-sessions'
import type { Bus } from './bus/bus.ts'
import type { Bytes } from './bytes/bytes.ts'
import type { InFlight } from './bytes/in-flight.ts'
import type { Clock } from './clock.ts'
import type { Origins } from './config/origins.ts'
import type { Config } from './config/schema.ts'
import type { FileLimits } from './files/writes.ts'
import type { Ids } from './ids.ts'
import type { Mail } from './mail/mail.ts'
import type { Log } from './operations/log.ts'
import type { ObjectLimits } from './objects/writes.ts'
import type { Metrics } from './operations/metrics.ts'
import type { RoomService } from './rooms/service.ts'
import type { Rows } from './rows/rows.ts'
import type { Signer } from './signer.ts'
import type { EmbeddedNode } from './tunnel/embedded.ts'
import type { Registry } from './tunnel/registry.ts'
import type { writes } from './writes.ts'

/** Who makes a call: a session of the account itself (`app` null) or of one of its apps. */
export interface Session {
  readonly id: string
  readonly account: string
  readonly app: string | null
  /** Hash of the token the call came with. */
  readonly token: string
}

/** A session as it is handed out, with its token. */
export type IssuedSession = RouteAnswer<typeof renewSession>
/** An account as the broker's pages see it. */
export type Profile = RouteAnswer<typeof readProfile>

/** An account's keys as the server keeps them; null before enrolment. */
export type KeyState = RouteAnswer<typeof readKeys>['state']

/** Storage one app of an account uses. */
export interface ObjectTotals {
  readonly objects: number
  readonly bytes: number
}

/**
 * What handlers may use: the seams, and from other areas the narrow functions below. `context.ts` puts it together; areas do
 * not import one another.
 */
export interface Services {
  readonly config: Config
  readonly origins: Origins
  readonly rows: Rows<typeof writes>
  /** Bytes of objects. */
  readonly bytes: Bytes
  /** Bytes of files, apart from those of objects, whose ids their callers mint. */
  readonly fileBytes: Bytes
  readonly bus: Bus
  readonly mail: Mail
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly metrics: Metrics
  /** A signer of its own for each purpose. */
  signerFor(purpose: string): Signer

  /** accounts: the account as the broker's pages see it, or null when it is gone. */
  profileOf(account: string): Promise<Profile | null>
  /** accounts: whether the account is premium, or null when it is gone. Cheaper than the profile, which may hold a picture. */
  premiumOf(account: string): Promise<boolean | null>
  /** sessions: begins a session of (account, app, device); null when the account is gone or has disconnected the app. */
  issueSession(account: string, app: string | null, device: string): Promise<IssuedSession | null>
  /** sessions: whose token this is, or null when it is unknown, ended or out of time. Reuse of a renewed token ends its session. */
  findSession(token: string): Promise<Session | null>
  /** sessions: tells every part of the server that these sessions are over. Their rows must be gone already. */
  sessionsEnded(sessions: readonly string[]): Promise<void>
  /** sessions: whether the session is still there. */
  sessionLives(id: string): Promise<boolean>
  /** rooms: what an account's settings do with the rooms it claimed. */
  readonly accountRooms: RoomService['account']
  /** tunnel: the node of this process. */
  readonly tunnel: EmbeddedNode
  /** tunnel: all nodes. */
  readonly tunnelNodes: Registry
  /** objects: parts being received. */
  readonly partsInFlight: InFlight
  /** objects: what the account may store, or null when it is gone. */
  objectLimits(account: string): Promise<ObjectLimits | null>
  /** objects: removes the bytes of objects given up and forgets their rows; answers how many are gone. */
  clearObjects(ids: readonly string[]): Promise<number>
  /** objects: what each app of the account stores. */
  objectTotals(account: string): Promise<ReadonlyMap<string, ObjectTotals>>
  /** objects: the account's objects for its export, one JSON value each. */
  exportObjects(account: string): Promise<readonly unknown[]>
  /** objects: gives up all objects of the account; their bytes are removed by the sweep at the latest. */
  dropObjects(account: string): Promise<void>
  /** keys: the account's key state. */
  keyState(account: string): Promise<KeyState>
  /** files: parts being received. */
  readonly filePartsInFlight: InFlight
  /** files: ids of files that come by one request, whose bytes no row names yet. */
  readonly filesComing: Set<string>
  /** files: what the account's files may come to, or null when it is gone. */
  fileLimits(account: string): Promise<FileLimits | null>
  /** files: asks for bytes given up to be removed, and their rows to be forgotten; nobody waits for it. */
  readonly clearFileBlobs: (ids: readonly string[]) => void
  /** files: removes all files of the account, or of one of its apps, without a trace; answers how many. */
  purgeFiles(account: string, app: string | null): Promise<number>
  /** files: the account's files for its export, one JSON value each. */
  exportFiles(account: string): Promise<readonly unknown[]>
  /** files: gives up all files of an account that ends; their bytes are removed by the sweep. */
  dropFiles(account: string): Promise<void>
}
