import { ownCalls } from './fs/cloud-tree.ts'
import { cloudVolumes } from './fs/cloud-volume.ts'
import { fileSystem } from './fs/file-system.ts'
import { broadcast, type News, newsOver } from './fs/news.ts'

export { FsError, type DeputyCode, type FsCode, type NodeCode } from './fs/errors.ts'
export type { CopyOptions, FileSystem, ReaddirOptions, ReadOptions, RmOptions, WriteFlag, WriteOptions } from './fs/file-system.ts'
export type { FileHandle } from './fs/file-handle.ts'
export { Dirent, Stats } from './fs/stats.ts'

let news: News | undefined

/**
 * The account's cloud files in Node's shape, without a copy in this browser: every call goes to the broker, pinned to the account that is signed in
 * when it is made. @throws {FsError} in every call.
 */
export const promises = /* @__PURE__ */ fileSystem(/* @__PURE__ */ cloudVolumes(ownCalls, () => (news ??= newsOver(broadcast('cloud-fs')))))

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
