import { connectAvailability } from './connect.ts'
import type { Refusal } from './refusals.ts'
import {
  boolean,
  buffer,
  bytes,
  call,
  callback,
  either,
  integer,
  list,
  nothing,
  nullable,
  number,
  object,
  oneOf,
  optional,
  string,
  type Received,
} from './shape.ts'

/** Why a call of the file storage is refused. */
export const fsErrorCodes = [
  'invalid',
  'not-found',
  'denied',
  'locked',
  'integrity',
  'account-changed',
  'conflict',
  'stale-epoch',
  'quota',
  'too-many',
  'too-large',
  'unavailable',
] as const
export type FsErrorCode = (typeof fsErrorCodes)[number]

/** Every refusal of `cloud.fs`. */
export const fsRefusals = {
  accountChanged: { code: 'account-changed', message: 'fs: the signed-in account changed' },
  badFile: { code: 'invalid', message: 'fs: the data is not an ArrayBuffer, a Uint8Array or a string' },
  badPath: { code: 'invalid', message: 'fs: the path does not name a file' },
  changed: { code: 'conflict', message: 'fs: the file was changed meanwhile' },
  integrity: { code: 'integrity', message: 'fs: the file does not open under this account' },
  locked: { code: 'locked', message: 'fs: the storage is locked, call unlock to open it' },
  needsAccount: { code: 'denied', message: 'fs: storing needs an account' },
  notFound: { code: 'not-found', message: 'fs: no file at this path' },
  quota: { code: 'quota', message: 'fs: storage quota exceeded' },
  staleEpoch: { code: 'stale-epoch', message: 'fs: the keys were replaced, unlock the storage to go on' },
  tooLarge: { code: 'too-large', message: 'fs: the file is too large to store' },
  tooMany: { code: 'too-many', message: 'fs: too many files' },
  unavailable: { code: 'unavailable', message: 'fs: the file storage is unavailable' },
} as const satisfies Record<string, Refusal<FsErrorCode>>

/** One file: `size` the file's own bytes, `updatedAt` an ISO time. */
export const storageEntry = /* @__PURE__ */ object({
  contentType: /* @__PURE__ */ nullable(/* @__PURE__ */ string({ max: 255 })),
  encryption: /* @__PURE__ */ nullable(/* @__PURE__ */ string({ max: 64 })),
  path: /* @__PURE__ */ string(),
  size: /* @__PURE__ */ integer(),
  updatedAt: /* @__PURE__ */ string({ max: 64 }),
})
export type StorageEntry = Received<typeof storageEntry>

export const storageQuota = /* @__PURE__ */ object({
  limitBytes: /* @__PURE__ */ number(),
  maxObjects: /* @__PURE__ */ number(),
  objects: /* @__PURE__ */ number(),
  remaining: /* @__PURE__ */ number(),
  usedBytes: /* @__PURE__ */ number(),
})
export type StorageQuota = Received<typeof storageQuota>

export const encryptionState = /* @__PURE__ */ object({ enrolled: boolean, keyEpoch: /* @__PURE__ */ nullable(/* @__PURE__ */ integer()), unlocked: boolean })
export type EncryptionState = Received<typeof encryptionState>

/** Trailing option of every pinned call; without it the call is unpinned. */
export const accountPinOptions = /* @__PURE__ */ object({ accountPin: /* @__PURE__ */ optional(/* @__PURE__ */ string({ max: 1024 })) })
export type AccountPinOptions = Received<typeof accountPinOptions>

/** What waits in this browser to be taken into the account. */
export const adoptRequest = /* @__PURE__ */ object({ bytes: /* @__PURE__ */ integer(), files: /* @__PURE__ */ integer() })
export type AdoptRequest = Received<typeof adoptRequest>
export type AdoptState = AdoptRequest

export const conflictSide = /* @__PURE__ */ object({
  size: /* @__PURE__ */ integer(),
  updatedAt: /* @__PURE__ */ nullable(/* @__PURE__ */ string({ max: 64 })),
})
export type ConflictSide = Received<typeof conflictSide>
export const conflictRequest = /* @__PURE__ */ object({ cloud: conflictSide, local: conflictSide, path: /* @__PURE__ */ string() })
export type ConflictRequest = Received<typeof conflictRequest>
/** The side to keep, or `null` when the person decided nothing. */
export const conflictChoice = /* @__PURE__ */ nullable(/* @__PURE__ */ oneOf('local', 'cloud'))
export type ConflictChoice = Received<typeof conflictChoice>

const path = /* @__PURE__ */ string()
const fileBytes = 2 ** 30
export const writeData = /* @__PURE__ */ either(
  /* @__PURE__ */ buffer({ max: fileBytes }),
  /* @__PURE__ */ bytes({ max: fileBytes }),
  /* @__PURE__ */ string({ max: fileBytes }),
)
export type WriteData = Received<typeof writeData>

/** `sealedAt` is the writer's own claim, authenticated by the envelope; `null` when the envelope has no such field. */
export const sealedFile = /* @__PURE__ */ object({
  bytes: /* @__PURE__ */ bytes({ max: fileBytes }),
  sealedAt: /* @__PURE__ */ nullable(/* @__PURE__ */ number()),
})
export type SealedFile = Received<typeof sealedFile>

const pinned = /* @__PURE__ */ optional(accountPinOptions)
const codes = { codes: fsErrorCodes } as const
const transfer = { codes: fsErrorCodes, deadline: 600_000 } as const
const person = { deadline: Infinity } as const
// Written out: a bundler cannot drop what spreads.
const laterCodes = { codes: fsErrorCodes, since: 3 } as const
const laterTransfer = { codes: fsErrorCodes, deadline: 600_000, since: 3 } as const

/** Names a state of one file: what `stat`, `changes` and a conditional write answer. Opaque, and compared for equality only. */
const fileVersion = /* @__PURE__ */ string({ min: 1, max: 64 })
/** An entry that also names its state. */
export const versionedEntry = /* @__PURE__ */ object({
  contentType: /* @__PURE__ */ nullable(/* @__PURE__ */ string({ max: 255 })),
  encryption: /* @__PURE__ */ nullable(/* @__PURE__ */ string({ max: 64 })),
  path: /* @__PURE__ */ string(),
  size: /* @__PURE__ */ integer(),
  updatedAt: /* @__PURE__ */ string({ max: 64 }),
  version: fileVersion,
})
export type VersionedEntry = Received<typeof versionedEntry>
/** Options of a conditional call: `base` is the version that must be there, `null` that there must be no file. */
export const conditional = /* @__PURE__ */ object({
  accountPin: /* @__PURE__ */ optional(/* @__PURE__ */ string({ max: 1024 })),
  base: /* @__PURE__ */ nullable(fileVersion),
})
/** What a conditional write leaves. */
export const fileState = /* @__PURE__ */ object({ updatedAt: /* @__PURE__ */ string({ max: 64 }), version: fileVersion })
/** Bytes from `start` to `end` (exclusive; to the end of the file where absent). */
export const readOptions = /* @__PURE__ */ object({
  accountPin: /* @__PURE__ */ optional(/* @__PURE__ */ string({ max: 1024 })),
  start: /* @__PURE__ */ integer({ min: 0 }),
  end: /* @__PURE__ */ optional(/* @__PURE__ */ integer({ min: 0 })),
})
/** What has changed since a cursor an earlier call answered; `reset` says that `entries` is the whole list, and whatever it lacks is gone. */
export const fileChanges = /* @__PURE__ */ object({
  cursor: /* @__PURE__ */ string({ max: 256 }),
  entries: /* @__PURE__ */ list(versionedEntry, { max: 1_000_000 }),
  removed: /* @__PURE__ */ list(path, { max: 1_000_000 }),
  reset: boolean,
})
export type FileChanges = Received<typeof fileChanges>

/** By itself too: a page that pins an upload need not load the shapes of all file storage. */
export const accountPin = /* @__PURE__ */ call([], /* @__PURE__ */ string({ max: 1024 }), { since: 2 })

/** Encrypted file storage of the account, per app. */
export const fs = {
  accountPin,
  availability: /* @__PURE__ */ call([], connectAvailability),
  available: /* @__PURE__ */ call([], boolean),
  encryption: /* @__PURE__ */ call([], encryptionState),
  list: /* @__PURE__ */ call([pinned], /* @__PURE__ */ list(storageEntry, { max: 1_000_000 }), codes),
  promptAdopt: /* @__PURE__ */ call([adoptRequest], boolean, person),
  promptConflict: /* @__PURE__ */ call([conflictRequest], conflictChoice, person),
  quota: /* @__PURE__ */ call([], storageQuota, codes),
  readFile: /* @__PURE__ */ call([path, pinned], /* @__PURE__ */ bytes({ max: fileBytes }), transfer),
  readFileSealed: /* @__PURE__ */ call([path, pinned], sealedFile, transfer),
  remove: /* @__PURE__ */ call([path, pinned], nothing, codes),
  setAdoptSource: /* @__PURE__ */ call([/* @__PURE__ */ nullable(adoptRequest), /* @__PURE__ */ nullable(/* @__PURE__ */ callback([]))], nothing),
  unlock: /* @__PURE__ */ call([], boolean, person),
  writeFile: /* @__PURE__ */ call([path, writeData, /* @__PURE__ */ nullable(/* @__PURE__ */ string({ max: 255 })), pinned], nothing, transfer),

  // Beyond the first contract: what a local-first store needs to never overwrite unseen, told by presence.
  stat: /* @__PURE__ */ call([path, pinned], /* @__PURE__ */ nullable(versionedEntry), laterCodes),
  readRange: /* @__PURE__ */ call([path, readOptions], /* @__PURE__ */ bytes({ max: fileBytes }), laterTransfer),
  writeFileIf: /* @__PURE__ */ call([path, writeData, /* @__PURE__ */ nullable(/* @__PURE__ */ string({ max: 255 })), conditional], fileState, laterTransfer),
  removeIf: /* @__PURE__ */ call([path, conditional], nothing, laterCodes),
  changes: /* @__PURE__ */ call(
    [
      /* @__PURE__ */ object({
        accountPin: /* @__PURE__ */ optional(/* @__PURE__ */ string({ max: 1024 })),
        cursor: /* @__PURE__ */ optional(/* @__PURE__ */ string({ max: 256 })),
      }),
    ],
    fileChanges,
    laterCodes,
  ),
}
