import { ok } from './answers.ts'
import {
  blob,
  boolean,
  byteSource,
  call,
  callback,
  either,
  handle,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  signal,
  string,
  unchecked,
  type Fail,
  type Received,
  type Remote,
} from './shape.ts'

/** Why a storage call is refused; the messages are in the table `storageRefusals`. */
export const storageErrorCodes = ['invalid', 'not-found', 'integrity', 'denied', 'quota', 'too-many', 'account-changed', 'unavailable'] as const
export type StorageErrorCode = (typeof storageErrorCodes)[number]
/** The codes that stand in an answer: `aborted` says that the app's own signal fired. */
export const storageFailCodes = [...storageErrorCodes, 'aborted'] as const
export type StorageFail = Fail<(typeof storageFailCodes)[number]>

/** `created` in epoch ms, `size` the file's own bytes, `url` the address of the sealed bytes. */
const stored = {
  created: /* @__PURE__ */ number(),
  size: /* @__PURE__ */ integer(),
  status: /* @__PURE__ */ oneOf('uploading', 'ready'),
  url: /* @__PURE__ */ string(),
}
export const storedObject = /* @__PURE__ */ object(stored)
export type StoredObject = Received<typeof storedObject>

/** What `put` answers: the object, and the key that opens it. */
export const putObject = /* @__PURE__ */ object({ ...stored, key: /* @__PURE__ */ string({ max: 64 }) })
export type PutObject = Received<typeof putObject>

/** Newest first; `cursor` only while more objects remain. */
export const storedPage = /* @__PURE__ */ object({
  cursor: /* @__PURE__ */ optional(/* @__PURE__ */ string()),
  objects: /* @__PURE__ */ list(storedObject),
})
export type StoredPage = Received<typeof storedPage>

/** Bytes of the file itself, not of the sealed records. */
export const storageProgress = /* @__PURE__ */ object({ loaded: /* @__PURE__ */ integer(), total: /* @__PURE__ */ integer() })
export type StorageProgress = Received<typeof storageProgress>

const rules = { codes: storageFailCodes }
// Numbers and texts the contract answers with a refusal of their own reach the broker as they are.
const anyNumber = /* @__PURE__ */ unchecked(/* @__PURE__ */ number())
const anyText = /* @__PURE__ */ unchecked(/* @__PURE__ */ string())
const accountPin = /* @__PURE__ */ string({ max: 1024 })

/** A stored object being read: each record is checked before it is handed over. */
export const storedHandle = /* @__PURE__ */ handle({
  read: /* @__PURE__ */ call([/* @__PURE__ */ number(), /* @__PURE__ */ number()], byteSource, rules),
  size: /* @__PURE__ */ integer(),
})
export type StoredHandle = Received<typeof storedHandle>

/** The options of `put` as they cross: the app's own plus the pin of the account. */
export const storagePutWire = /* @__PURE__ */ object({
  accountPin,
  key: /* @__PURE__ */ optional(anyText),
  onProgress: /* @__PURE__ */ optional(/* @__PURE__ */ callback([storageProgress])),
  signal: /* @__PURE__ */ optional(signal),
  size: /* @__PURE__ */ optional(anyNumber),
})
/** A Blob, a stream of bytes, or what must be refused as neither. */
export const storageData = /* @__PURE__ */ either(blob, byteSource, /* @__PURE__ */ unchecked(/* @__PURE__ */ oneOf()))
export const storageGetOptions = /* @__PURE__ */ object({ signal: /* @__PURE__ */ optional(signal) })
export const storageListWire = /* @__PURE__ */ object({ accountPin, cursor: /* @__PURE__ */ optional(anyText), limit: /* @__PURE__ */ optional(anyNumber) })
export const storageDeleteWire = /* @__PURE__ */ object({ accountPin })

/** Objects sealed in the browser under an app-held key, served from a shareable url. */
export const storage = {
  available: /* @__PURE__ */ call([], boolean),
  // An upload may run as long as an unfinished one is kept: a day.
  put: /* @__PURE__ */ call([storageData, storagePutWire], putObject, { ...rules, deadline: 86_400_000 }),
  get: /* @__PURE__ */ call([anyText, anyText, /* @__PURE__ */ optional(storageGetOptions)], storedHandle, { ...rules, deadline: 60_000 }),
  list: /* @__PURE__ */ call([storageListWire], storedPage, rules),
  delete: /* @__PURE__ */ call([anyText, storageDeleteWire], ok, rules),
}

/** The app's own options of `put`. */
export interface StoragePutOptions {
  readonly key?: string | undefined
  readonly onProgress?: ((progress: StorageProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
  readonly size?: number | undefined
}
/** The app's own options of `put` plus the account pin, resolved at call time. */
export interface StoragePutWire extends StoragePutOptions {
  readonly accountPin: string
}
/** What the app side holds for `storage`. */
export type StorageRemote = Remote<typeof storage>
