import type { FileSchema } from './file-schema.ts'
import type { RoomSchema } from './room-schema.ts'

/**
 * The tables. Times are epoch milliseconds, yes-or-no columns hold 0 or 1, hashes and keys are base64url text, so that the same
 * rows fit SQLite and PostgreSQL. No column ever holds a token, a code or a key in the clear.
 */
export interface Schema extends RoomSchema, FileSchema {
  accounts: AccountRow
  passkeys: PasskeyRow
  ceremonies: CeremonyRow
  email_codes: EmailCodeRow
  recovery: RecoveryRow
  oidc_links: OidcLinkRow
  sessions: SessionRow
  session_tokens: SessionTokenRow
  app_grants: AppGrantRow
  app_codes: AppCodeRow
  objects: ObjectRow
  object_parts: ObjectPartRow
  object_hours: ObjectHourRow
  object_usage: ObjectUsageRow
  retired_objects: RetiredObjectRow
  settings: SettingRow
  tunnel_days: TunnelDayRow
  tunnel_reports: TunnelReportRow
}

/** A person's account. */
export interface AccountRow {
  id: string
  name: string
  image: string | null
  /** Lower case; proven by a code or by a provider. */
  email: string | null
  admin: number
  premium: number
  /** When granted premium lapses; null is never. */
  premium_until: number | null
  created: number
}

/** A passkey; `id` is the credential id. */
export interface PasskeyRow {
  id: string
  account: string
  name: string
  public_key: string
  counter: number
  /** JSON list of transports. */
  transports: string
  created: number
  last_used: number | null
}

/** A begun passkey or provider sign-in, used up by its end. */
export interface CeremonyRow {
  id: string
  kind: string
  /** The account it is begun for, when there is one already. */
  account: string | null
  /** JSON of what the end needs. */
  data: string
  expires_at: number
}

/** An e-mail code on its way. */
export interface EmailCodeRow {
  ceremony: string
  email: string
  hash: string
  tries: number
  created: number
  expires_at: number
}

/** What proves the account's recovery code. */
export interface RecoveryRow {
  account: string
  hash: string
  created: number
}

/** An account at an outside provider. */
export interface OidcLinkRow {
  issuer: string
  subject: string
  account: string
  created: number
}

/** A session of (account, app, device); `app` is null for the account's own. */
export interface SessionRow {
  id: string
  account: string
  app: string | null
  device: string
  created: number
  last_used: number
  /** The end without use, never past the absolute end. */
  expires_at: number
}

/** Every token a session has had; `retired_at` is when it was renewed. */
export interface SessionTokenRow {
  hash: string
  session: string
  issued_at: number
  retired_at: number | null
}

/** An app the account has connected. */
export interface AppGrantRow {
  account: string
  app: string
  connected_at: number
  last_used: number
}

/** A one-time code that becomes an app session. */
export interface AppCodeRow {
  hash: string
  account: string
  app: string
  challenge: string
  expires_at: number
}

/** A stored object; its bytes lie in the bytes seam under the same id. */
export interface ObjectRow {
  /** The uuid the caller minted. */
  id: string
  account: string
  app: string
  /** Plain bytes. */
  size: number
  /** Bytes as stored, with 28 for each record. */
  sealed_size: number
  /** Records of 1 MiB in each part but the last. */
  part_records: number
  status: 'uploading' | 'ready' | 'deleted'
  created: number
  /** When an unfinished upload is given up. */
  expires_at: number
  ready_at: number | null
}

/** A part that has landed. */
export interface ObjectPartRow {
  object: string
  part: number
  bytes: number
}

/** How many objects an account began in an hour; `hour` is epoch hours. */
export interface ObjectHourRow {
  account: string
  hour: number
  objects: number
}

/** What an account's objects, reservations included, count for; kept in step with every change of them. */
export interface ObjectUsageRow {
  account: string
  objects: number
  bytes: number
}

/** An id that once named an object. It never names another, so that nobody can put other bytes behind a link already given out. */
export interface RetiredObjectRow {
  id: string
}

/** A value of the server itself. */
export interface SettingRow {
  name: string
  value: string
}

/** Bytes one app of an account moved through the tunnel on a day; `day` is epoch days. */
export interface TunnelDayRow {
  account: string
  day: number
  app: string
  sent: number
  received: number
}

/** The last report of a tunnel node that was counted: the process that made it, and its number. */
export interface TunnelReportRow {
  node: string
  instance: string
  sequence: number
}
