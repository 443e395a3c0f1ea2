import { route } from './api.ts'
import { integer, list, object, oneOf, optional, string } from './shape.ts'

const none = /* @__PURE__ */ object({})
/** A version 4 uuid in lower case. */
const id = /* @__PURE__ */ string({ min: 36, max: 36, pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/ })
const stored = /* @__PURE__ */ object({ created: integer(), size: integer(), status: oneOf('uploading', 'ready'), url: string({ max: 500 }) })
const page = /* @__PURE__ */ object({ cursor: optional(string({ max: 500 })), limit: optional(integer({ min: 1, max: 1000 })) })

/**
 * Reserves storage for an object of `size` plain bytes under an id the caller minted. Parts are then put as raw sealed bytes with
 * `PUT {api}/v1/objects/<id>/parts/<n>`, n from 0, each of `partBytes` but the last. Refused `conflict` (id in use), `quota`,
 * `too-many` (objects), `too-many-this-hour`, `too-large`.
 */
export const reserveObject = /* @__PURE__ */ route(
  'objects',
  'reserve',
  'app',
  'write',
  object({ id, size: integer() }),
  object({ partBytes: integer(), parts: integer(), recordsPerPart: integer(), expiresAt: integer() }),
)
/** Makes the object ready once every part has landed with exactly its size; `conflict` while one is missing. Repeating it answers the same. */
export const completeObject = /* @__PURE__ */ route('objects', 'complete', 'app', 'write', object({ id }), stored)
/** Gives an unfinished upload's reservation back. */
export const abortObject = /* @__PURE__ */ route('objects', 'abort', 'app', 'write', object({ id }), none)
/** The calling app's objects, newest first; `cursor` only while more remain, opaque and signed. */
export const listObjects = /* @__PURE__ */ route(
  'objects',
  'list',
  'app',
  'read',
  page,
  object({ objects: list(stored), cursor: optional(string({ max: 500 })) }),
)
/** Deletes an object the calling app stored under this account; another's is `denied`. */
export const deleteObject = /* @__PURE__ */ route('objects', 'delete', 'app', 'write', object({ id }), none)

/** Every object of the account with the app that stored it, newest first, for the account page. */
export const listAccountObjects = /* @__PURE__ */ route(
  'objects',
  'list-account',
  'account',
  'read',
  page,
  object({
    objects: list(
      object({ id, app: string({ max: 300 }), created: integer(), size: integer(), status: oneOf('uploading', 'ready'), url: string({ max: 500 }) }),
    ),
    cursor: optional(string({ max: 500 })),
  }),
)
/** Deletes any object of the account, from the account page. */
export const removeObject = /* @__PURE__ */ route('objects', 'remove', 'account', 'write', object({ id }), none)

/** What the account uses of its object storage: bytes count 28 more per 1 MiB record. */
export const readUsage = /* @__PURE__ */ route(
  'usage',
  'read',
  'session',
  'read',
  none,
  object({ usedBytes: integer(), limitBytes: integer(), objects: integer(), maxObjects: integer(), storedThisHour: integer(), maxPerHour: integer() }),
)
