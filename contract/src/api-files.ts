import { route } from './api.ts'
import { boolean, integer, list, nullable, object, optional, string } from './shape.ts'

const none = /* @__PURE__ */ object({})
/** The row of a file: base64url of the 32-byte HMAC of its path, which only the key holder can compute. */
export const fileName = /* @__PURE__ */ string({ min: 43, max: 43, pattern: /^[A-Za-z0-9_-]{43}$/ })
/** Sealed path, content type, size and time of a file: base64url. */
export const fileMeta = /* @__PURE__ */ string({ min: 1, max: 4096, pattern: /^[A-Za-z0-9_-]+$/ })
/** The app whose files are meant, by its id. */
export const fileApp = /* @__PURE__ */ string({ min: 5, max: 300 })
const app = fileApp
const epoch = /* @__PURE__ */ integer({ min: 1 })
/** Rises with every change of a file and is never used twice for one name; null means that there must be no file. */
const version = /* @__PURE__ */ integer({ min: 1 })
const upload = /* @__PURE__ */ string({ min: 36, max: 36 })

/** A file as the server knows it: `size` sealed bytes, `changed` the place of its last change in the order of all changes of this (account, app). */
export const fileRow = /* @__PURE__ */ object({
  name: fileName,
  meta: fileMeta,
  version,
  epoch,
  size: integer(),
  /** Epoch ms by the server, rising per file. */
  updatedAt: integer(),
  changed: integer(),
})

/** What a write answers. */
export const written = /* @__PURE__ */ object({ version, updatedAt: integer(), changed: integer() })

/** Bytes a file may have to be put by one request. Larger ones go by parts. */
export const SMALL_FILE_BYTES = 8 * 1_048_576 + 8 * 28 + 64
/**
 * Path below the api origin that `PUT` writes and `GET` reads the calling app's small files at; the header `deputy-name` says which.
 * `POST`, without a body, reads as `GET` does: browsers let gets of one address wait for one another.
 * One address for all, so that a browser asks once whether it may call there, and not for every file.
 */
export const fileContentPath = '/v1/files/content'
/** Headers of `PUT` and `GET {api}/v1/files/content`; the base is a version, `none` (no file there) or `any`. */
export const fileHeaders = {
  name: 'deputy-name',
  meta: 'deputy-meta',
  epoch: 'deputy-key-epoch',
  base: 'deputy-base',
  version: 'deputy-version',
  updatedAt: 'deputy-updated-at',
} as const

/**
 * Begins a file too large for one request; parts follow as raw bytes with `PUT {api}/v1/files/uploads/<upload>/<n>`, n from 0,
 * each of `partBytes` but the last. Refused `quota`, `too-many`, `too-large`, `conflict` (an old epoch).
 */
export const beginFile = /* @__PURE__ */ route(
  'files',
  'begin',
  'app',
  'write',
  object({ size: integer({ min: 1 }), epoch }),
  object({ upload, partBytes: integer(), parts: integer(), expiresAt: integer() }),
)
/** Puts the uploaded bytes in place of the file, all or nothing. `base` null: there must be no file; absent: whatever is there. `conflict`, see `conflictOf`. */
export const commitFile = /* @__PURE__ */ route(
  'files',
  'commit',
  'app',
  'write',
  object({ upload, name: fileName, meta: fileMeta, epoch, base: optional(nullable(version)) }),
  written,
)
/** Gives an unfinished upload up. */
export const abortFile = /* @__PURE__ */ route('files', 'abort', 'app', 'write', object({ upload }), none)
/** Removes a file; `not-found` where there is none, `conflict` when `base` is given and it has another version. */
export const removeFile = /* @__PURE__ */ route(
  'files',
  'remove',
  'app',
  'write',
  object({ name: fileName, base: optional(version) }),
  object({ changed: integer() }),
)
/**
 * The calling app's files in the order of their last change, from `since` (0 is the beginning) on: files that are there, and
 * names of those removed since. `more` asks to go on from `changed`; `reset` says that `since` is too old to tell what was removed.
 */
export const listFiles = /* @__PURE__ */ route(
  'files',
  'list',
  'app',
  'read',
  object({ since: integer(), limit: optional(integer({ min: 1, max: 10_000 })) }),
  object({ files: list(fileRow, { max: 10_000 }), removed: list(fileName, { max: 10_000 }), changed: integer(), more: boolean, reset: boolean }),
)
/** One file's row, null where there is none. */
export const findFile = /* @__PURE__ */ route('files', 'find', 'app', 'read', object({ name: fileName }), object({ file: nullable(fileRow) }))
/** What the account uses of its file storage, all apps together, in sealed bytes. */
export const readFileUsage = /* @__PURE__ */ route(
  'files',
  'usage',
  'session',
  'read',
  none,
  object({ usedBytes: integer(), limitBytes: integer(), files: integer(), maxFiles: integer() }),
)

/** Files per app, for the account page; `days` the sealed bytes at the end of each of the last 30 days (UTC), oldest first. */
export const listFileApps = /* @__PURE__ */ route(
  'files',
  'apps',
  'account',
  'read',
  none,
  object({
    apps: list(object({ app, files: integer(), bytes: integer(), oldEpoch: integer() })),
    days: list(object({ day: string({ max: 10 }), bytes: integer() }), { max: 31 }),
  }),
)
/** One app's files for the account page, as `listFiles` from the beginning; go on from `changed` while there is `more`. */
export const listAppFiles = /* @__PURE__ */ route(
  'files',
  'list-app',
  'account',
  'read',
  object({ app, since: integer(), limit: optional(integer({ min: 1, max: 10_000 })) }),
  object({ files: list(fileRow, { max: 10_000 }), changed: integer(), more: boolean }),
)
/**
 * Path below the api origin where the account page gets the sealed bytes of an app's files, as `GET {api}/v1/files/content` serves
 * them to the app, and puts the same contents sealed again, as `PUT` there: in place of a version of an older key epoch and of the
 * same size, and never as anything else.
 */
export const appFilesPath = (of: string): string => `/v1/files/of/${encodeURIComponent(of)}`
/** Begins a large file sealed again by the account page, as `beginFile`; its parts go to `appFilesPath(app)/uploads/<upload>/<n>`. */
export const beginAppFile = /* @__PURE__ */ route(
  'files',
  'begin-app',
  'account',
  'write',
  object({ app, size: integer({ min: 1 }), epoch }),
  object({ upload, partBytes: integer(), parts: integer(), expiresAt: integer() }),
)
/** Puts it in place of the version `base`; `invalid` unless that is of an older epoch and of the same size. */
export const commitAppFile = /* @__PURE__ */ route(
  'files',
  'commit-app',
  'account',
  'write',
  object({ app, upload, name: fileName, meta: fileMeta, epoch, base: version }),
  written,
)
/** Gives it up. */
export const abortAppFile = /* @__PURE__ */ route('files', 'abort-app', 'account', 'write', object({ app, upload }), none)
/** Removes one file of an app, or with `name` null all of them, from the account page. */
export const removeAppFiles = /* @__PURE__ */ route(
  'files',
  'remove-app',
  'account',
  'write',
  object({ app, name: nullable(fileName) }),
  object({ removed: integer() }),
)
