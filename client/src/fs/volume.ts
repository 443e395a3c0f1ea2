/** What a directory that was made by itself is kept as: an empty file of this type at its own path. */
export const DIRECTORY = 'inode/directory'

/** One file or directory. */
export interface Entry {
  /** As `pathOf` spells it. */
  readonly path: string
  readonly directory: boolean
  /** Bytes of the content. */
  readonly size: number
  /** Epoch ms of the last change. */
  readonly mtime: number
  readonly contentType: string | null
  /** Names this state of the file; compared for equality only. */
  readonly version: string
}

/** How a file is to be written. */
export interface Write {
  readonly contentType?: string | null | undefined
  /** The version that must be there, `null` that there must be nothing; absent: whatever is there. */
  readonly base?: string | null | undefined
}

/** Told of a change at a path, here or elsewhere. */
export type Listener = (path: string, event: 'rename' | 'change') => void

/**
 * A place files are kept in, by paths as `pathOf` spells them. Every kind of file storage is one, and Node's shape is made over it.
 * A directory is there when it was made or when anything stands below it; a file's directories come with it.
 */
export interface Volume {
  /** What is at a path, `null` where nothing is. @throws {FsError} `ENOTDIR` when a file stands in the way. */
  stat(path: string): Promise<Entry | null>
  /** What stands directly in a directory that is there. */
  children(path: string): Promise<readonly Entry[]>
  /** Everything below a directory, directories before what is in them. */
  below(path: string): Promise<readonly Entry[]>
  /** The bytes of a file from `start` to `end` exclusive. @throws {FsError} `ENOENT`, `EISDIR` */
  read(path: string, start?: number, end?: number): Promise<Uint8Array<ArrayBuffer>>
  /** Puts the whole of a file in place, all or nothing; durable once it resolves. @throws {FsError} `EISDIR`, `ENOTDIR`, `CONFLICT` */
  write(path: string, bytes: Uint8Array<ArrayBuffer>, options?: Write): Promise<Entry>
  /** Makes a directory that stays when it is empty. @throws {FsError} `EEXIST` when anything was there. */
  makeDirectory(path: string): Promise<void>
  /** Removes a file, or the mark of a directory with nothing in it. */
  remove(path: string): Promise<void>
  /** Moves a file in one step, where the volume can; absent, it is written anew and removed. */
  readonly move?: ((from: string, to: string) => Promise<void>) | undefined
  /** Runs with no other change to the volume in between, in whichever tab. Where that cannot be had, writes are conditional. */
  exclusive<T>(run: () => Promise<T>): Promise<T>
  /** Answers the end of the subscription. */
  watch(listener: Listener): () => void
}
