import { deferredVolume } from './fs/deferred-volume.ts'
import { fileSystem, type FileSystem } from './fs/file-system.ts'
import { idbRecords } from './fs/idb-records.ts'
import { broadcast, newsOver } from './fs/news.ts'
import { opfsVolume } from './fs/opfs-volume.ts'
import { recordsVolume } from './fs/records-volume.ts'
import { privateFolder } from './fs/private-files.ts'
import type { Volume } from './fs/volume.ts'

export { FsError, type DeputyCode, type FsCode, type NodeCode } from './fs/errors.ts'
export type { CopyOptions, FileSystem, ReaddirOptions, ReadOptions, RmOptions, WriteFlag, WriteOptions } from './fs/file-system.ts'
export type { FileHandle } from './fs/file-handle.ts'
export { Dirent, Stats } from './fs/stats.ts'

/** Where the files of a local file system are kept. */
export type Backing = 'opfs' | 'indexeddb'

/**
 * Opens a file system of this origin by name, in a folder of the private file system or, where there is none that a page can write to or `backing` says so, in
 * IndexedDB. All tabs that open one name share it.
 */
export function openLocal(name: string, { backing }: { readonly backing?: Backing | undefined } = {}): FileSystem & { readonly backing: Promise<Backing> } {
  const volumeOf = async (): Promise<{ readonly volume: Volume; readonly backing: Backing }> => {
    const news = newsOver(broadcast(`files:${name}`))
    const root = backing === 'indexeddb' ? undefined : await privateFolder(name)
    if (root !== undefined) return { volume: opfsVolume({ root, name, news }), backing: 'opfs' }
    const records = idbRecords(`deputy-${name}`)
    const now = () => Date.now()
    const volume = recordsVolume({ records, space: 'files', news, now, unique: () => crypto.randomUUID(), owes: false })
    return { volume, backing: 'indexeddb' }
  }
  let opened: ReturnType<typeof volumeOf> | undefined
  const open = () => (opened ??= volumeOf())
  const volume = () => deferredVolume(open().then(made => made.volume))
  return {
    ...fileSystem(volume),
    get backing() {
      return open().then(made => made.backing)
    },
  }
}

/** The origin's own files in Node's shape: on this device only, sent nowhere. */
export const promises: FileSystem = /* @__PURE__ */ openLocal('files')

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
