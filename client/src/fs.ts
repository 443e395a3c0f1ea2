import { browserGround, type FilesOptions } from './fs/browser-ground.ts'
import { fileSystem } from './fs/file-system.ts'
import { type LocalFirst, localFirst } from './fs/local-first.ts'
import type { Status } from './fs/status.ts'

export { FsError, type DeputyCode, type FsCode, type NodeCode } from './fs/errors.ts'
export type { CopyOptions, FileSystem, ReaddirOptions, ReadOptions, RmOptions, WriteFlag, WriteOptions } from './fs/file-system.ts'
export type { FileHandle } from './fs/file-handle.ts'
export type { FilesOptions } from './fs/browser-ground.ts'
export type { Status } from './fs/status.ts'
export type { ConflictChoice, ConflictRequest, ConflictSide } from '@deputy/contract/fs'
export { Dirent, Stats } from './fs/stats.ts'

let chosen: FilesOptions = {}
let running: LocalFirst | undefined
const files = (): LocalFirst => (running ??= localFirst(browserGround(() => chosen)))

/** Says how conflicts are decided and whether adoption is asked for, in place of the broker's cards. */
export function configureFiles(options: FilesOptions): void {
  chosen = { ...chosen, ...options }
}

/** How the files and the cloud stand now. */
export const status = (): Status => files().status()

/** Calls the listener whenever that changes. Answers the unsubscribe function. */
export const onStatus = (listener: (status: Status) => void): (() => void) => files().onStatus(listener)

/** Resolves once the cloud knows everything that was written under this account. @throws {FsError} with the reason why it cannot now; it is tried again by itself all the same. */
export const sync = (): Promise<void> => files().sync()

/** Opens the storage with a window of the broker; call it from a click. */
export const unlock = (): Promise<boolean> => files().unlock()

/** Asks the person whether files written while nobody was connected are taken into the account. Answers whether they were. */
export const adopt = (): Promise<boolean> => files().adopt()

/**
 * The account's files in Node's shape, local first: a write resolves once it is durable in this browser, and the cloud hears of it as soon as it can.
 * Reads come from this browser. @throws {FsError} in every call.
 */
export const promises = /* @__PURE__ */ fileSystem(() => files().open())

export const {
  readFile,
  writeFile,
  appendFile,
  truncate,
  unlink,
  rm,
  rmdir,
  mkdir,
  readdir,
  stat,
  lstat,
  access,
  exists,
  rename,
  copyFile,
  cp,
  open,
  createReadStream,
  createWriteStream,
  watch,
} = promises
