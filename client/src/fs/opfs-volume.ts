import { FsError, type FsCode } from './errors.ts'
import { joined, nameOf, parentOf } from './paths.ts'
import type { News } from './news.ts'
import { removeStale } from './private-files.ts'
import type { Entry, Volume } from './volume.ts'

/** Folder of files on their way, which nothing lists. */
const TEMPORARY = '.deputy-temporary'

const isMissing = (error: unknown): boolean => error instanceof DOMException && error.name === 'NotFoundError'

interface Movable extends FileSystemFileHandle {
  move?(parent: FileSystemDirectoryHandle, name: string): Promise<void>
}

const codes: Readonly<Record<string, FsCode>> = {
  NotFoundError: 'ENOENT',
  TypeMismatchError: 'ENOTDIR',
  InvalidModificationError: 'ENOTEMPTY',
  QuotaExceededError: 'ENOSPC',
  NotAllowedError: 'EPERM',
  SecurityError: 'EPERM',
}
const translated = (error: unknown): unknown => {
  const code = error instanceof DOMException ? codes[error.name] : undefined
  return code === undefined ? error : new FsError(code, {}, { cause: error, deputyCode: code === 'ENOSPC' ? 'QUOTA' : undefined })
}

const isMovable = typeof FileSystemFileHandle !== 'undefined' && 'move' in FileSystemFileHandle.prototype

/**
 * A volume whose files are real files of the origin's private file system, below `root`. A file is written beside its place and moved there, so nobody sees half of
 * one; one change at a time over all tabs, by a Web Lock of the volume's name.
 */
export function opfsVolume({ root, name, news }: { readonly root: FileSystemDirectoryHandle; readonly name: string; readonly news: News }): Volume {
  const directoryAt = async (path: string, create = false): Promise<FileSystemDirectoryHandle> => {
    let handle = root
    for (const segment of path === '' ? [] : path.split('/')) handle = await handle.getDirectoryHandle(segment, { create })
    return handle
  }
  const entryOf = (path: string, file: File): Entry => ({
    ...{ path, directory: false, size: file.size, mtime: file.lastModified },
    contentType: file.type === '' ? null : file.type,
    version: `${file.lastModified}-${file.size}`,
  })
  const directory = (path: string): Entry => ({ path, directory: true, size: 0, mtime: 0, contentType: null, version: 'directory' })
  const attempt = <T>(run: () => Promise<T>): Promise<T> =>
    run().catch((error: unknown) => {
      throw translated(error)
    })
  const fileAt = async (path: string): Promise<File | null> => {
    try {
      return await (await (await directoryAt(parentOf(path))).getFileHandle(nameOf(path))).getFile()
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotFoundError') return null
      throw error
    }
  }

  // Every handle costs a trip to another process: those of the folder of files on their way and of the folder written to last serve again.
  let temporary: Promise<FileSystemDirectoryHandle> | undefined
  const temporaryFolder = (): Promise<FileSystemDirectoryHandle> =>
    (temporary ??= (async () => {
      const folder = await root.getDirectoryHandle(TEMPORARY, { create: true })
      for await (const name of folder.keys()) await removeStale(folder, name)
      return folder
    })().catch((error: unknown) => {
      temporary = undefined
      throw error
    }))
  let latest: { readonly path: string; readonly handle: FileSystemDirectoryHandle } | undefined
  const folderOf = async (path: string): Promise<FileSystemDirectoryHandle> => {
    if (latest?.path !== path) latest = { path, handle: await directoryAt(path, true) }
    return latest.handle
  }
  /** Whether a file is there to be written anew. */
  const isThere = async (path: string): Promise<boolean> => {
    try {
      await (await folderOf(parentOf(path))).getFileHandle(nameOf(path))
      return true
    } catch (error) {
      if (isMissing(error)) return false
      latest = undefined
      // A file in the way of a folder is told as that.
      if ((await stat(path))?.directory === true) throw new FsError('EISDIR')
      throw error
    }
  }
  const filled = async (handle: FileSystemFileHandle, bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
    const writable = await handle.createWritable()
    await writable.write(bytes)
    await writable.close()
  }
  const filledBeside = async (bytes: Uint8Array<ArrayBuffer>): Promise<Movable> => {
    const name = crypto.randomUUID()
    const beside = async (): Promise<Movable> => (await temporaryFolder()).getFileHandle(name, { create: true })
    const handle = await beside().catch((error: unknown) => {
      if (!isMissing(error)) throw error
      temporary = undefined
      return beside()
    })
    await filled(handle, bytes)
    return handle
  }
  const placed = async (handle: Movable, path: string): Promise<void> => {
    try {
      await handle.move?.(await folderOf(parentOf(path)), nameOf(path))
    } catch (error) {
      // The folder went since it was used last, perhaps in another tab.
      if (!isMissing(error)) throw error
      latest = undefined
      await handle.move?.(await folderOf(parentOf(path)), nameOf(path))
    }
  }

  const stat = (path: string): Promise<Entry | null> =>
    attempt(async () => {
      if (path === '') return directory('')
      const parent = await directoryAt(parentOf(path)).catch((error: unknown) => {
        if (error instanceof DOMException && error.name === 'NotFoundError') return null
        throw error
      })
      if (parent === null) return null
      try {
        return entryOf(path, await (await parent.getFileHandle(nameOf(path))).getFile())
      } catch (error) {
        if (error instanceof DOMException && error.name === 'TypeMismatchError') return directory(path)
        if (error instanceof DOMException && error.name === 'NotFoundError') return null
        throw error
      }
    })
  const children = (path: string): Promise<Entry[]> =>
    attempt(async () => {
      const found: Entry[] = []
      for await (const handle of (await directoryAt(path)).values()) {
        const at = joined(path, handle.name)
        if (at === TEMPORARY || handle.name.endsWith('.crswap')) continue
        if (handle.kind === 'directory') found.push(directory(at))
        // Gone since it was listed.
        else
          found.push(
            ...(await handle.getFile().then(
              file => [entryOf(at, file)],
              () => [],
            )),
          )
      }
      return found.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    })
  const below = async (path: string): Promise<Entry[]> => {
    const found: Entry[] = []
    for (const entry of await children(path)) found.push(entry, ...(entry.directory ? await below(entry.path) : []))
    return found
  }
  const guard = async (path: string): Promise<Entry | null> => {
    const found = await stat(path)
    if (found?.directory === true) throw new FsError('EISDIR')
    return found
  }

  return {
    stat,
    children,
    below,
    read: (path, start, end) =>
      attempt(async () => {
        if ((await guard(path)) === null) throw new FsError('ENOENT')
        const file = await fileAt(path)
        if (file === null) throw new FsError('ENOENT')
        return new Uint8Array(await (start === undefined ? file : file.slice(start, end)).arrayBuffer())
      }),
    write: (path, bytes, { base } = {}) =>
      attempt(async () => {
        if (base !== undefined && base !== ((await guard(path))?.version ?? null)) throw new FsError('CONFLICT')
        let handle: Movable
        let present: boolean
        if (isMovable) {
          const [looked, made] = await Promise.allSettled([isThere(path), filledBeside(bytes)])
          if (looked.status === 'rejected' || made.status === 'rejected') {
            if (made.status === 'fulfilled') await (await temporaryFolder()).removeEntry(made.value.name).catch(() => undefined)
            throw looked.status === 'rejected' ? looked.reason : (made as PromiseRejectedResult).reason
          }
          present = looked.value
          handle = made.value
          await placed(handle, path)
        } else {
          present = await isThere(path)
          handle = await (await directoryAt(parentOf(path), true)).getFileHandle(nameOf(path), { create: true })
          await filled(handle, bytes)
        }
        news.tell(path, present ? 'change' : 'rename')
        return entryOf(path, await handle.getFile())
      }),
    makeDirectory: path =>
      attempt(async () => {
        if ((await stat(path)) !== null) throw new FsError('EEXIST')
        await directoryAt(path, true)
        news.tell(path, 'rename')
      }),
    remove: path =>
      attempt(async () => {
        await (await directoryAt(parentOf(path))).removeEntry(nameOf(path))
        news.tell(path, 'rename')
      }),
    move: (from, to) =>
      attempt(async () => {
        const handle: Movable = await (await directoryAt(parentOf(from))).getFileHandle(nameOf(from))
        const parent = await directoryAt(parentOf(to), true)
        if (handle.move === undefined) throw new FsError('EPERM')
        await handle.move(parent, nameOf(to))
        news.tell(from, 'rename')
        news.tell(to, 'rename')
      }),
    exclusive: run => navigator.locks.request(`deputy:${name}`, run) as ReturnType<typeof run>,
    watch: listener => news.listen(listener),
  }
}
