import { nameOf, parentOf } from './paths.ts'
import type { Entry } from './volume.ts'

/** What `stat` answers: Node's `Stats` as far as it has a meaning here, and the content type and version of the file. */
export class Stats {
  readonly size: number
  readonly mtimeMs: number
  readonly mode: number
  readonly contentType: string | null
  /** Names this state of the file; compared for equality only. */
  readonly version: string
  readonly dev = 0
  readonly ino = 0
  readonly nlink = 1
  readonly uid = 0
  readonly gid = 0
  readonly rdev = 0
  readonly blksize = 4096
  readonly #directory: boolean
  constructor({ size, mtime, directory, contentType, version }: Entry) {
    this.size = size
    this.mtimeMs = mtime
    this.mode = directory ? 0o040755 : 0o100644
    this.contentType = contentType
    this.version = version
    this.#directory = directory
  }
  get blocks(): number {
    return Math.ceil(this.size / 512)
  }
  get atimeMs(): number {
    return this.mtimeMs
  }
  get ctimeMs(): number {
    return this.mtimeMs
  }
  get birthtimeMs(): number {
    return this.mtimeMs
  }
  get mtime(): Date {
    return new Date(this.mtimeMs)
  }
  get atime(): Date {
    return this.mtime
  }
  get ctime(): Date {
    return this.mtime
  }
  get birthtime(): Date {
    return this.mtime
  }
  isFile(): boolean {
    return !this.#directory
  }
  isDirectory(): boolean {
    return this.#directory
  }
  isSymbolicLink(): boolean {
    return false
  }
  isFIFO(): boolean {
    return false
  }
  isSocket(): boolean {
    return false
  }
  isBlockDevice(): boolean {
    return false
  }
  isCharacterDevice(): boolean {
    return false
  }
}

/** One name in a directory, as `readdir` with `withFileTypes` answers it. */
export class Dirent {
  readonly name: string
  /** The directory it stands in. */
  readonly parentPath: string
  readonly #directory: boolean
  constructor({ path, directory }: Entry) {
    this.name = nameOf(path)
    this.parentPath = parentOf(path)
    this.#directory = directory
  }
  isFile(): boolean {
    return !this.#directory
  }
  isDirectory(): boolean {
    return this.#directory
  }
  isSymbolicLink(): boolean {
    return false
  }
}
