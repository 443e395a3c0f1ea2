/** The tables of keys and files. Keys are wrapped by their owners, paths, types and contents sealed; names are HMACs of paths. */
export interface FileSchema {
  key_states: KeyStateRow
  key_unlockers: KeyUnlockerRow
  key_links: KeyLinkRow
  key_ends: KeyEndRow
  file_spaces: FileSpaceRow
  files: FileRow
  file_contents: FileContentRow
  file_blobs: FileBlobRow
  file_parts: FilePartRow
  file_usage: FileUsageRow
  file_days: FileDayRow
}

/** That an account has keys, and their current epoch. */
export interface KeyStateRow {
  account: string
  epoch: number
}

/** One way of opening the account's root key; see `unlocker` of the contract. */
export interface KeyUnlockerRow {
  account: string
  id: string
  kind: 'passkey' | 'passphrase' | 'recovery'
  name: string
  created: number
  credential: string | null
  public_key: string
  wrapped_key: string
  /** JSON of the parameters a passphrase is stretched with. */
  stretch: string | null
  sealed_root: string
  mac: string
}

/** The root key of an epoch, wrapped under that of the next. */
export interface KeyLinkRow {
  account: string
  epoch: number
  wrapped: string
}

/** The last epoch of the keys an account gave up. */
export interface KeyEndRow {
  account: string
  epoch: number
}

/** The files of one app of an account, and the number that orders their changes. It outlives its files, so that no number comes twice. */
export interface FileSpaceRow {
  id: string
  account: string
  app: string
  /** Number of the last change. */
  changed: number
  /** The last change whose trace is gone: whoever knows only older ones cannot be told what was removed. */
  pruned: number
  files: number
  bytes: number
}

/** A file, or for a while the trace of one that was removed. */
export interface FileRow {
  space: string
  name: string
  /** Empty for one that was removed. */
  meta: string
  /** The number of its last change within the space. */
  version: number
  epoch: number
  /** Sealed bytes. */
  size: number
  updated_at: number
  /** Where its bytes lie in the bytes seam; null when they are in `file_contents`. */
  blob: string | null
  removed: number
}

/** The bytes of a small file. */
export interface FileContentRow {
  space: string
  name: string
  bytes: Uint8Array
}

/** Bytes of a larger file, or of an upload; they lie in the bytes seam under the same id. */
export interface FileBlobRow {
  id: string
  account: string
  app: string
  size: number
  /** Bytes of each part but the last. */
  part_bytes: number
  status: 'uploading' | 'ready' | 'deleted'
  created: number
  /** When an unfinished upload is given up. */
  expires_at: number
}

/** A part that has landed. */
export interface FilePartRow {
  blob: string
  part: number
  bytes: number
}

/** What an account's files count for; kept in step with every change of them. */
export interface FileUsageRow {
  account: string
  files: number
  bytes: number
  /** Bytes of unfinished uploads. */
  reserved: number
  /** The day (epoch days, UTC) of the last change. */
  day: number
}

/** What an account's files came to at the end of a day of change that is over. */
export interface FileDayRow {
  account: string
  day: number
  bytes: number
}
