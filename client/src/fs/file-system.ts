import { concatenated, type Data, decode, type Encoding, gather } from './encoding.ts'
import { FsError, isCode, type Place, placed } from './errors.ts'
import { openFile, type FileHandle } from './file-handle.ts'
import { isBelow, joined, nameOf, parentOf, type PathLike, pathOf } from './paths.ts'
import { Dirent, Stats } from './stats.ts'
import { readStream, type StreamOptions, writeStream } from './streams.ts'
import type { Entry, Volume } from './volume.ts'
import { changesOf, type WatchEvent, type WatchOptions } from './watching.ts'

type Signal = { readonly signal?: AbortSignal | undefined }
export type ReadOptions = Encoding | null | (Signal & { readonly encoding?: Encoding | null | undefined })
/** `w` writes, `wx` only where nothing is, `a` behind what is there, `ax` both. */
export type WriteFlag = 'w' | 'wx' | 'a' | 'ax'
/** `contentType` is kept with the file; `base` is the version of its `stat` that must be there still, `null` that nothing may be, else the write is refused `CONFLICT`. */
export type WriteOptions =
  | Encoding
  | null
  | (Signal & {
      readonly encoding?: Encoding | null | undefined
      readonly flag?: WriteFlag | undefined
      readonly contentType?: string | null | undefined
      readonly base?: string | null | undefined
    })
export type RmOptions = { readonly recursive?: boolean | undefined; readonly force?: boolean | undefined }
export type ReaddirOptions = { readonly recursive?: boolean | undefined; readonly withFileTypes?: boolean | undefined }
export type CopyOptions = { readonly recursive?: boolean | undefined; readonly force?: boolean | undefined; readonly errorOnExist?: boolean | undefined }

/** Node's `fs/promises` over a volume. Relative and absolute paths are the same: both begin at the volume's root. */
export interface FileSystem {
  readFile(path: PathLike, options: Encoding | { readonly encoding: Encoding; readonly signal?: AbortSignal | undefined }): Promise<string>
  readFile(path: PathLike, options?: null | (Signal & { readonly encoding?: null | undefined })): Promise<Uint8Array<ArrayBuffer>>
  readFile(path: PathLike, options?: ReadOptions): Promise<string | Uint8Array<ArrayBuffer>>
  writeFile(path: PathLike, data: Data, options?: WriteOptions): Promise<void>
  appendFile(path: PathLike, data: Data, options?: WriteOptions): Promise<void>
  truncate(path: PathLike, length?: number): Promise<void>
  unlink(path: PathLike): Promise<void>
  rm(path: PathLike, options?: RmOptions): Promise<void>
  rmdir(path: PathLike): Promise<void>
  mkdir(path: PathLike, options?: { readonly recursive?: boolean | undefined }): Promise<string | undefined>
  readdir(path: PathLike, options: ReaddirOptions & { readonly withFileTypes: true }): Promise<Dirent[]>
  readdir(path: PathLike, options?: ReaddirOptions & { readonly withFileTypes?: false | undefined }): Promise<string[]>
  stat(path: PathLike): Promise<Stats>
  lstat(path: PathLike): Promise<Stats>
  access(path: PathLike): Promise<void>
  exists(path: PathLike): Promise<boolean>
  rename(from: PathLike, to: PathLike): Promise<void>
  copyFile(from: PathLike, to: PathLike, mode?: number): Promise<void>
  cp(from: PathLike, to: PathLike, options?: CopyOptions): Promise<void>
  open(path: PathLike, flags?: string): Promise<FileHandle>
  createReadStream(path: PathLike, options?: StreamOptions): ReadableStream<Uint8Array<ArrayBuffer>>
  createWriteStream(path: PathLike, options?: { readonly flags?: WriteFlag | undefined }): WritableStream<string | Uint8Array>
  watch(path: PathLike, options?: WatchOptions): AsyncGenerator<WatchEvent, void>
}

const isEmpty = async (volume: Volume, path: string): Promise<boolean> => (await volume.children(path)).length === 0

/** Makes Node's shape over what `open` answers. `open` is called at once in every call, before anything is waited for, so that a volume can pin itself to the account of that moment. */
export function fileSystem(open: () => Volume): FileSystem {
  const within = async <T>(place: Place, run: (volume: Volume) => Promise<T>): Promise<T> => {
    try {
      return await run(open())
    } catch (error) {
      throw placed(error, place)
    }
  }
  const one = <T>(syscall: string, path: PathLike, run: (volume: Volume, path: string) => Promise<T>): Promise<T> =>
    within({ syscall, path: String(path) }, async volume => run(volume, pathOf(path)))
  const two = <T>(syscall: string, from: PathLike, to: PathLike, run: (volume: Volume, from: string, to: string) => Promise<T>): Promise<T> =>
    within({ syscall, path: String(from), dest: String(to) }, async volume => run(volume, pathOf(from), pathOf(to)))

  const there = async (volume: Volume, path: string): Promise<Entry> => {
    const entry = await volume.stat(path)
    if (entry === null) throw new FsError('ENOENT')
    return entry
  }

  const put = async (volume: Volume, path: string, data: Data, options: WriteOptions, append: boolean): Promise<void> => {
    const { encoding, flag = append ? 'a' : 'w', contentType, signal, base } = typeof options === 'object' && options !== null ? options : { encoding: options }
    if (!['w', 'wx', 'a', 'ax'].includes(flag)) throw new FsError('EINVAL')
    signal?.throwIfAborted()
    const bytes = await gather(data, encoding ?? undefined)
    signal?.throwIfAborted()
    if (path === '') throw new FsError('EISDIR')
    if (flag.startsWith('a')) await appended(volume, path, bytes, flag === 'ax', contentType)
    else if (flag === 'wx') await created(volume, path, bytes, contentType)
    else await volume.exclusive(() => volume.write(path, bytes, { contentType, base }))
  }
  const created = async (volume: Volume, path: string, bytes: Uint8Array<ArrayBuffer>, contentType?: string | null): Promise<void> => {
    await volume.exclusive(async () => {
      if ((await volume.stat(path)) !== null) throw new FsError('EEXIST')
      await volume.write(path, bytes, { contentType, base: null }).catch((error: unknown) => {
        throw isCode(error, 'CONFLICT') ? new FsError('EEXIST') : error
      })
    })
  }
  const appended = async (volume: Volume, path: string, bytes: Uint8Array<ArrayBuffer>, isNew: boolean, contentType?: string | null): Promise<void> => {
    await changed(
      volume,
      path,
      async entry => {
        if (entry === null) return bytes
        if (isNew) throw new FsError('EEXIST')
        return concatenated([await volume.read(path), bytes])
      },
      contentType,
    )
  }
  /** Reads, changes and writes a file as one: where others can write in between, the write is conditional and begins again. */
  const changed = async (
    volume: Volume,
    path: string,
    change: (entry: Entry | null) => Promise<Uint8Array<ArrayBuffer>>,
    contentType?: string | null,
  ): Promise<void> => {
    for (let tries = 32; ; tries--) {
      try {
        await volume.exclusive(async () => {
          const entry = await volume.stat(path)
          if (entry?.directory === true) throw new FsError('EISDIR')
          const bytes = await change(entry)
          await volume.write(path, bytes, { contentType: contentType ?? entry?.contentType, base: entry?.version ?? null })
        })
        return
      } catch (error) {
        if (tries === 0 || !isCode(error, 'CONFLICT')) throw error
      }
    }
  }
  const copied = async (volume: Volume, entry: Entry, to: string): Promise<void> => {
    if (entry.directory) {
      if ((await volume.stat(to)) === null) await volume.makeDirectory(to)
    } else await volume.write(to, await volume.read(entry.path), { contentType: entry.contentType })
  }
  const moved = async (volume: Volume, from: Entry, to: string): Promise<void> => {
    if (!from.directory && volume.move !== undefined) await volume.move(from.path, to)
    else {
      await copied(volume, from, to)
      if (!from.directory) await volume.remove(from.path)
    }
  }
  const removedAll = async (volume: Volume, path: string): Promise<void> => {
    for (const { path: found } of (await volume.below(path)).toReversed()) await volume.remove(found)
    if (path !== '') await volume.remove(path)
  }

  const shape: FileSystem = {
    readFile: ((path: PathLike, options?: ReadOptions) =>
      one('open', path, async (volume, at) => {
        const { encoding, signal } = typeof options === 'object' && options !== null ? options : { encoding: options, signal: undefined }
        signal?.throwIfAborted()
        if (at === '') throw new FsError('EISDIR')
        const bytes = await volume.read(at)
        signal?.throwIfAborted()
        return encoding ? decode(bytes, encoding) : bytes
      })) as FileSystem['readFile'],
    writeFile: (path, data, options = null) => one('open', path, (volume, at) => put(volume, at, data, options, false)),
    appendFile: (path, data, options = null) => one('open', path, (volume, at) => put(volume, at, data, options, true)),
    truncate: (path, length = 0) =>
      one('open', path, (volume, at) =>
        changed(volume, at, async entry => {
          if (entry === null) throw new FsError('ENOENT')
          const bytes = new Uint8Array(Math.max(0, length))
          bytes.set((await volume.read(at, 0, Math.min(length, entry.size))).subarray(0, bytes.length))
          return bytes
        }),
      ),
    unlink: path =>
      one('unlink', path, (volume, at) =>
        volume.exclusive(async () => {
          if ((await there(volume, at)).directory) throw new FsError('EPERM')
          await volume.remove(at)
        }),
      ),
    rm: (path, { recursive = false, force = false } = {}) =>
      one('rm', path, (volume, at) =>
        volume.exclusive(async () => {
          const entry = await volume.stat(at)
          if (entry === null) {
            if (!force) throw new FsError('ENOENT')
          } else if (!entry.directory) await volume.remove(at)
          else if (recursive) await removedAll(volume, at)
          else throw new FsError('EISDIR')
        }),
      ),
    rmdir: path =>
      one('rmdir', path, (volume, at) =>
        volume.exclusive(async () => {
          if (!(await there(volume, at)).directory) throw new FsError('ENOTDIR')
          if (at === '') throw new FsError('EPERM')
          if (!(await isEmpty(volume, at))) throw new FsError('ENOTEMPTY')
          await volume.remove(at)
        }),
      ),
    mkdir: (path, { recursive = false } = {}) =>
      one('mkdir', path, (volume, at) =>
        volume.exclusive(async () => {
          const found = await volume.stat(at)
          if (found !== null) {
            if (recursive && found.directory) return undefined
            throw new FsError('EEXIST')
          }
          const missing = [at]
          for (let parent = parentOf(at); parent !== '' && (await volume.stat(parent)) === null; parent = parentOf(parent)) missing.unshift(parent)
          if (missing.length > 1 && !recursive) throw new FsError('ENOENT')
          for (const directory of missing) await volume.makeDirectory(directory)
          return recursive ? missing[0] : undefined
        }),
      ),
    readdir: ((path: PathLike, options?: ReaddirOptions) =>
      one('scandir', path, async (volume, at) => {
        if (!(await there(volume, at)).directory) throw new FsError('ENOTDIR')
        const found = await (options?.recursive === true ? volume.below(at) : volume.children(at))
        if (options?.withFileTypes === true) return found.map(entry => new Dirent(entry))
        return found.map(entry => (at === '' ? entry.path : entry.path.slice(at.length + 1)))
      })) as FileSystem['readdir'],
    stat: path => one('stat', path, async (volume, at) => new Stats(await there(volume, at))),
    lstat: path => one('lstat', path, async (volume, at) => new Stats(await there(volume, at))),
    access: path => one('access', path, async (volume, at) => void (await there(volume, at))),
    exists: path =>
      one('access', path, (volume, at) => volume.stat(at)).then(
        entry => entry !== null,
        (error: unknown) => {
          if (isCode(error, 'ENOTDIR', 'EINVAL')) return false
          throw error
        },
      ),
    rename: (from, to) =>
      two('rename', from, to, (volume, source, target) =>
        volume.exclusive(async () => {
          const entry = await there(volume, source)
          const present = await volume.stat(target)
          if (source === '' || target === '' || isBelow(target, source)) throw new FsError('EINVAL')
          if (source === target) return
          if (present?.directory === true && !entry.directory) throw new FsError('EISDIR')
          if (present?.directory === false && entry.directory) throw new FsError('ENOTDIR')
          if (present?.directory === true && !(await isEmpty(volume, target))) throw new FsError('ENOTEMPTY')
          if (!entry.directory) return moved(volume, entry, target)
          const below = await volume.below(source)
          for (const inner of [entry, ...below]) await moved(volume, inner, target + inner.path.slice(source.length))
          return removedAll(volume, source)
        }),
      ),
    copyFile: (from, to, mode = 0) =>
      two('copyfile', from, to, (volume, source, target) =>
        volume.exclusive(async () => {
          const entry = await there(volume, source)
          if (entry.directory) throw new FsError('EPERM')
          // 1 is COPYFILE_EXCL.
          if (mode & 1 && (await volume.stat(target)) !== null) throw new FsError('EEXIST')
          await copied(volume, entry, target)
        }),
      ),
    cp: (from, to, { recursive = false, force = true, errorOnExist = false } = {}) =>
      two('cp', from, to, (volume, source, target) =>
        volume.exclusive(async () => {
          const entry = await there(volume, source)
          if (entry.directory && !recursive) throw new FsError('EISDIR')
          if (isBelow(target, source)) throw new FsError('EINVAL')
          for (const inner of [entry, ...(entry.directory ? await volume.below(source) : [])]) {
            const copy = inner.path === source ? target : joined(target, source === '' ? inner.path : inner.path.slice(source.length + 1))
            const present = await volume.stat(copy)
            if (present !== null && present.directory !== inner.directory) throw new FsError(present.directory ? 'EISDIR' : 'ENOTDIR')
            if (present === null || inner.directory || force) await copied(volume, inner, copy)
            else if (errorOnExist) throw new FsError('EEXIST')
          }
        }),
      ),
    open: (path, flags = 'r') => one('open', path, (volume, at) => openFile(volume, at, flags)),
    createReadStream: (path, options = {}) => readStream((syscall, run) => one(syscall, path, run), options),
    createWriteStream: (path, { flags = 'w' } = {}) => writeStream(parts => shape.writeFile(path, parts, { flag: flags })),
    watch: (path, options = {}) => changesOf(open, pathOf(path), nameOf(pathOf(path)), options),
  }
  return shape
}
